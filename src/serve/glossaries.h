#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run/term_list.h"
#include "serve/http_message.h"
#include "text/language_tags.h"

namespace dragoman::serve {

// A list of terms for each direction, under a name.
struct Glossary {
  struct Dictionary {
    text::LanguagePair pair;
    std::shared_ptr<const run::TermList> terms;
  };
  std::string id, name, owner;
  std::string created;  // ISO 8601
  std::vector<Dictionary> dictionaries;

  // Null if there is none.
  const Dictionary* find(const text::LanguagePair& pair) const;
};

// Terms as clients send them: lines of a source term, a tab and a target term ("tsv"), or CSV with a comma. Throws
// HttpError 400 if they are empty, damaged, too long or too many.
std::shared_ptr<const run::TermList> parse_terms(const std::string& text, const std::string& format);
std::string write_terms(const std::vector<run::TermList::Term>& terms);

// The glossaries of all clients, in memory. A client sees only its own, and has room for as many terms as it leaves to
// others.
class Glossaries {
 public:
  static constexpr std::size_t kMostBytes = 128 << 20;

  explicit Glossaries(std::size_t most_bytes = kMostBytes) : bytes_(most_bytes, Shares::Rule::store) {}

  // Throws HttpError 400 if there is no room left for the caller's terms.
  Glossary create(const Caller& caller, const std::string& name, std::vector<Glossary::Dictionary> dictionaries);
  // These throw HttpError 404 if the client has no such glossary.
  Glossary get(const std::string& owner, const std::string& id) const;
  void remove(const std::string& owner, const std::string& id);
  void rename(const std::string& owner, const std::string& id, const std::string& name);
  // Replaces the dictionary of this direction or adds one. Throws HttpError 400 if there is no room left for it.
  void put(const std::string& owner, const std::string& id, Glossary::Dictionary dictionary);
  void remove_dictionary(const std::string& owner, const std::string& id, const text::LanguagePair& pair);
  std::vector<Glossary> list(const std::string& owner) const;

 private:
  struct Entry {
    Glossary glossary;
    std::unique_ptr<Shares::Holding> bytes;
  };
  // Call with the mutex held.
  const Entry& find(const std::string& owner, const std::string& id) const;
  Entry& find(const std::string& owner, const std::string& id);

  mutable std::mutex mutex_;
  Shares bytes_;
  std::map<std::string, Entry> all_;
};

}  // namespace dragoman::serve

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run/term_list.h"
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

// The glossaries of all clients, in memory. A client sees only its own.
class Glossaries {
 public:
  // Throws HttpError 400 if the client has too many, or too many terms.
  Glossary create(const std::string& owner, const std::string& name, std::vector<Glossary::Dictionary> dictionaries);
  // These throw HttpError 404 if the client has no such glossary.
  Glossary get(const std::string& owner, const std::string& id) const;
  void remove(const std::string& owner, const std::string& id);
  void rename(const std::string& owner, const std::string& id, const std::string& name);
  // Replaces the dictionary of this direction or adds one. Throws HttpError 400 if the client has too many terms.
  void put(const std::string& owner, const std::string& id, Glossary::Dictionary dictionary);
  void remove_dictionary(const std::string& owner, const std::string& id, const text::LanguagePair& pair);
  std::vector<Glossary> list(const std::string& owner) const;

 private:
  // Call with the mutex held.
  const Glossary& find(const std::string& owner, const std::string& id) const;
  Glossary& find(const std::string& owner, const std::string& id);
  // Throws if the client would have too much with this glossary in the place of the one with its id, if there is one.
  void check_room(const Glossary& wanted) const;

  mutable std::mutex mutex_;
  std::map<std::string, Glossary> all_;
};

}  // namespace dragoman::serve

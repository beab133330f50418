#include "serve/glossaries.h"

#include <algorithm>

#include "base/random_id.h"
#include "base/utc_time.h"
#include "data/csv.h"
#include "serve/http_message.h"
#include "serve/term_collector.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kLongestLine = 4096, kLongestName = 1024;

void parse_tsv(const std::string& text, TermCollector& terms) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::size_t tab = std::min(line.find('\t'), line.size());
    terms.add(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
  }
}

void parse_csv(const std::string& text, TermCollector& terms) {
  data::CsvReader reader(data::bytes_of(text, "the glossary"), kLongestLine);
  for (std::vector<std::string> fields; reader.next(fields);) {
    if (fields.size() < 2) throw HttpError(400, "expected two columns of CSV: source terms and target terms");
    terms.add(fields[0], fields[1]);
  }
}

// About how much memory a glossary takes; many small ones cost more than their terms, as lists of them do.
std::size_t bytes_of(const Glossary& glossary) {
  constexpr std::size_t kBytesBesideText = 100, kBytesOfGlossary = 64 << 10;
  std::size_t bytes = kBytesOfGlossary + glossary.name.size();
  for (const Glossary::Dictionary& dictionary : glossary.dictionaries)
    for (const auto& [source, target] : dictionary.terms->all())
      bytes += source.size() + target.size() + kBytesBesideText;
  return bytes;
}

HttpError no_room() {
  return {400, "there is no room for the terms; delete a glossary first, or try again when others have done so"};
}

}  // namespace

const Glossary::Dictionary* Glossary::find(const text::LanguagePair& pair) const {
  const auto found =
      std::find_if(dictionaries.begin(), dictionaries.end(), [&](const Dictionary& one) { return one.pair == pair; });
  return found == dictionaries.end() ? nullptr : &*found;
}

std::shared_ptr<const run::TermList> parse_terms(const std::string& text, const std::string& format) {
  TermCollector terms;
  if (format == "tsv")
    parse_tsv(text, terms);
  else if (format == "csv")
    parse_csv(text, terms);
  else
    throw HttpError(400, "entries_format must be tsv or csv");
  if (terms.empty()) throw HttpError(400, "the glossary has no terms");
  return std::move(terms).finish();
}

std::string write_terms(const std::vector<run::TermList::Term>& terms) {
  std::string text;
  for (const auto& [source, target] : terms) text.append(source).append("\t").append(target).append("\n");
  return text;
}

Glossary Glossaries::create(const Caller& caller, const std::string& name,
                            std::vector<Glossary::Dictionary> dictionaries) {
  if (name.empty() || name.size() > kLongestName) throw HttpError(400, "a glossary needs a name");
  if (dictionaries.empty()) throw HttpError(400, "a glossary needs a dictionary");
  // Clients expect fractions of seconds.
  std::string created = utc_time();
  created.replace(created.size() - 1, 1, ".000000Z");
  Glossary glossary{random_id(), name, caller.owner, created, std::move(dictionaries)};
  const std::lock_guard lock(mutex_);
  auto bytes = bytes_.take(caller.client, bytes_of(glossary));
  if (bytes == nullptr) throw no_room();
  all_[glossary.id] = {glossary, std::move(bytes)};
  return glossary;
}

const Glossaries::Entry& Glossaries::find(const std::string& owner, const std::string& id) const {
  const auto found = all_.find(id);
  if (found == all_.end() || found->second.glossary.owner != owner) throw HttpError(404, "there is no such glossary");
  return found->second;
}

Glossaries::Entry& Glossaries::find(const std::string& owner, const std::string& id) {
  return const_cast<Entry&>(std::as_const(*this).find(owner, id));
}

Glossary Glossaries::get(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return find(owner, id).glossary;
}

void Glossaries::remove(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  find(owner, id);
  all_.erase(id);
}

void Glossaries::rename(const std::string& owner, const std::string& id, const std::string& name) {
  if (name.empty() || name.size() > kLongestName) throw HttpError(400, "a glossary needs a name");
  const std::lock_guard lock(mutex_);
  find(owner, id).glossary.name = name;
}

void Glossaries::put(const std::string& owner, const std::string& id, Glossary::Dictionary dictionary) {
  const std::lock_guard lock(mutex_);
  Entry& entry = find(owner, id);
  Glossary changed = entry.glossary;
  std::erase_if(changed.dictionaries, [&](const auto& one) { return one.pair == dictionary.pair; });
  changed.dictionaries.push_back(std::move(dictionary));
  if (!entry.bytes->resize(bytes_of(changed))) throw no_room();
  entry.glossary = std::move(changed);
}

void Glossaries::remove_dictionary(const std::string& owner, const std::string& id, const text::LanguagePair& pair) {
  const std::lock_guard lock(mutex_);
  if (std::erase_if(find(owner, id).glossary.dictionaries, [&](const auto& one) { return one.pair == pair; }) == 0)
    throw HttpError(404, "the glossary has no dictionary for these languages");
}

std::vector<Glossary> Glossaries::list(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<Glossary> own;
  for (const auto& [id, entry] : all_)
    if (entry.glossary.owner == owner) own.push_back(entry.glossary);
  return own;
}

}  // namespace dragoman::serve

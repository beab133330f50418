#include "text/contractions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "text/word_split.h"

namespace dragoman::text {
namespace {

// Verbs that are irregular before n't.
const std::unordered_map<std::string, std::string> kNegated = {{"wo", "will"}, {"sha", "shall"}, {"ca", "can"}};
const std::unordered_map<std::string, std::string> kEnclitics = {{"n't", "not"},  {"'re", "are"},  {"'ve", "have"},
                                                                 {"'ll", "will"}, {"'d", "would"}, {"'m", "am"}};
// After these words 's is a verb, elsewhere a possessive.
const std::unordered_set<std::string> kSubjects = {"it",  "he",   "she",  "that",  "this", "there", "here",
                                                   "who", "what", "when", "where", "how",  "why"};
const std::unordered_set<std::string> kAfterD = {"i", "you", "he", "she", "it", "we", "they", "who", "that", "there"};

std::string plain(std::string_view token) {
  std::string word = lower_case(token);
  for (std::size_t at; (at = word.find("\u2019")) != std::string::npos;) word.replace(at, 3, "'");
  return word;
}

std::string upper_ascii(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return word;
}

bool is_shouted(std::string_view token) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return std::none_of(token.begin(), token.end(), lower);
}

// `word` with the case of `model`: WO gives WILL, Wo gives Will, wo gives will.
std::string in_case_of(std::string_view model, const std::string& word) {
  if (is_shouted(model) && model.size() > 1) return upper_ascii(word);
  std::string out = word;
  if (model[0] >= 'A' && model[0] <= 'Z') out[0] = upper_ascii(word)[0];
  return out;
}

// The expansion of an enclitic after `subject`; empty if it is not a contraction.
std::string meaning(const std::string& subject, const std::string& enclitic) {
  if (enclitic == "'s") return subject == "let" ? "us" : kSubjects.contains(subject) ? "is" : "";
  if (enclitic == "'d" && !kAfterD.contains(subject)) return "";
  const auto found = kEnclitics.find(enclitic);
  return found == kEnclitics.end() ? "" : found->second;
}

}  // namespace

std::vector<std::pair<Span, std::string>> find_contractions(std::string_view text) {
  std::vector<std::pair<Span, std::string>> changes;
  const std::vector<WordSpan> words = split_words(text, Language::english);
  const auto token = [&](std::size_t i) {
    return text.substr(words[i].span.begin, words[i].span.end - words[i].span.begin);
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].tight || !is_enclitic(Language::english, token(i))) continue;
    const std::string subject = plain(token(i - 1)), enclitic = plain(token(i));
    const std::string verb = meaning(subject, enclitic);
    if (verb.empty()) continue;
    const auto full = kNegated.find(subject);
    if (enclitic == "n't" && full != kNegated.end())
      changes.push_back({words[i - 1].span, in_case_of(token(i - 1), full->second)});
    // "I'M" is all upper case, "I'm" is not: the second part decides.
    changes.push_back({words[i].span, " " + (is_shouted(token(i)) ? upper_ascii(verb) : verb)});
  }
  return changes;
}

std::string expand_contractions(std::string_view text) {
  MappedText mapped(text);
  mapped.replace(find_contractions(text));
  return mapped.text();
}

}  // namespace dragoman::text

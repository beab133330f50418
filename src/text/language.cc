#include "text/language.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "text/unicode.h"

namespace dragoman::text {
namespace {

using Words = std::unordered_set<std::string_view>;

const Words kCommon = {"Dr", "Prof", "St",  "Co", "Corp", "Inc", "Ltd", "No",
                       "Nr", "vs",   "etc", "ca", "cf",   "al",  "Vol"};
const Words kEnglish = {"Mr",  "Mrs", "Ms",   "Messrs", "Gen", "Col",  "Lt",  "Sgt", "Capt",   "Maj",  "Rev",
                        "Hon", "Sen", "Rep",  "Gov",    "Jr",  "Sr",   "Mt",  "Ave", "Blvd",   "Rd",   "Jan",
                        "Feb", "Aug", "Sept", "Oct",    "Nov", "Dec",  "eg",  "ie",  "approx", "dept", "est",
                        "fig", "Fig", "pp",   "Bros",   "Sec", "Supt", "Esq", "Ph",  "Univ"};
const Words kGerman = {"bzw", "usw", "usf",  "vgl", "evtl", "ggf",  "inkl", "zzgl", "Abs",  "Art",
                       "Str", "Mio", "Mrd",  "Tel", "Hr",   "Fr",   "Frl",  "geb",  "gest", "Jh",
                       "Std", "Min", "Sek",  "Bd",  "Hrsg", "Aufl", "Ing",  "Dipl", "Mag",  "Kfm",
                       "jur", "med", "phil", "sog", "gem",  "ehem", "bes",  "insb", "lt",   "Jan",
                       "Feb", "Aug", "Sept", "Okt", "Nov",  "Dez",  "Abb",  "Abt",  "Ges",  "österr"};
const Words kHindi = {"डॉ", "श्री", "प्रो", "सु", "कु", "पं", "मो", "रु", "ई", "पू", "कि", "मी"};

const Words& words_of(Language language) {
  static const Words none;
  switch (language) {
    case Language::english: return kEnglish;
    case Language::german: return kGerman;
    case Language::hindi: return kHindi;
    case Language::generic:
    case Language::tokenized: return none;
  }
  return none;
}

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower_ascii(a) == lower_ascii(b); });
}

bool is_one_of_ignoring_case(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(),
                     [&](std::string_view entry) { return equal_ignoring_case(word, entry); });
}

std::size_t last_apostrophe(std::string_view word) {
  for (std::size_t at = word.size(); at-- > 0;)
    if (apostrophe_at(word, at)) return at;
  return std::string_view::npos;
}

// Exactly "n", an apostrophe and "t".
bool is_negation(std::string_view token) {
  if (token.size() < 3 || lower_ascii(token[0]) != 'n') return false;
  const std::size_t length = apostrophe_at(token, 1);
  return length > 0 && equal_ignoring_case(token.substr(1 + length), "t");
}

bool is_english_enclitic(std::string_view token) {
  if (is_negation(token)) return true;
  const std::size_t length = token.empty() ? 0 : apostrophe_at(token, 0);
  return length > 0 && is_one_of_ignoring_case(token.substr(length), {"s", "re", "ve", "ll", "d", "m"});
}

bool is_letters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (classify(point.code) != CharClass::letter) return false;
    at += point.length;
  }
  return !text.empty();
}

// Articles and pronouns that lose their vowel before an apostrophe have one or two letters: "l", "qu".
constexpr std::size_t kProcliticBytes = 2;

std::size_t english_split(std::string_view word) {
  const std::size_t at = last_apostrophe(word);
  if (at == std::string_view::npos || at == 0) return 0;
  if (is_english_enclitic(word.substr(at))) return at;
  if (at > 1 && is_negation(word.substr(at - 1))) return at - 1;
  return 0;
}

std::size_t generic_split(std::string_view word) {
  for (std::size_t at = 1; at <= kProcliticBytes + 1 && at < word.size(); ++at)
    if (const std::size_t length = apostrophe_at(word, at))
      return is_proclitic(Language::generic, word.substr(0, at + length)) && at + length < word.size() ? at + length
                                                                                                       : 0;
  return 0;
}

}  // namespace

std::size_t apostrophe_at(std::string_view text, std::size_t at) {
  if (text[at] == '\'') return 1;
  return text.substr(at).starts_with("\u2019") ? 3 : 0;
}

Language language_of(std::string_view code) {
  const std::string_view name = code.substr(0, code.find_first_of("-_"));
  for (const Language language : {Language::english, Language::german, Language::hindi})
    for (const auto& [one, known] : EnumNames<Language>::list)
      if (one == language && equal_ignoring_case(name, known)) return language;
  return Language::generic;
}

bool is_abbreviation(Language language, std::string_view word) {
  return kCommon.contains(word) || words_of(language).contains(word);
}

std::size_t clitic_split(Language language, std::string_view word) {
  switch (language) {
    case Language::english: return english_split(word);
    case Language::generic: return generic_split(word);
    default: return 0;
  }
}

bool is_enclitic(Language language, std::string_view token) {
  return language == Language::english && is_english_enclitic(token);
}

bool is_proclitic(Language language, std::string_view token) {
  if (language != Language::generic || token.size() < 2) return false;
  const std::size_t at = last_apostrophe(token);
  if (at == std::string_view::npos || at == 0 || at > kProcliticBytes) return false;
  return at + apostrophe_at(token, at) == token.size() && is_letters(token.substr(0, at));
}

}  // namespace dragoman::text

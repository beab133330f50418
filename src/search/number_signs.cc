#include "search/number_signs.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "search/numbers.h"
#include "search/words.h"
#include "text/language.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

// Where a sign stands beside its number.
enum class Side { currency, before, after };

struct Sign {
  std::string_view sign;
  Side side;
  std::array<std::string_view, 6> words;  // parts of words that mean the same, in lower case
};

constexpr std::array kSigns = std::to_array<Sign>({{"$", Side::currency, {"dollar", "usd"}},
                                                   {"€", Side::currency, {"euro", "eur"}},
                                                   {"£", Side::currency, {"pound", "pfund", "sterling", "gbp", "quid"}},
                                                   {"¥", Side::currency, {"yen", "yuan", "renminbi", "jpy", "cny"}},
                                                   {"%", Side::after, {"percent", "per cent", "prozent", "pct", "pc"}},
                                                   {"‰", Side::after, {"promille", "per mil", "per thousand"}},
                                                   {"°", Side::after, {"degree", "grad"}},
                                                   {"§", Side::before, {"section", "paragra", "article", "artikel"}},
                                                   {"±", Side::before, {"plus", "+/-", "+-", "error"}}});

// Signs that are a part of a word or stand alone.
constexpr std::array kInWords =
    std::to_array<Sign>({{"²", Side::after, {"square", "quadrat", "sq", "^2", "m2"}},
                         {"³", Side::after, {"cubic", "kubik", "cube", "^3", "m3"}},
                         {"½", Side::after, {"half", "halb", "hälfte", "1/2", ",5", ".5"}},
                         {"¼", Side::after, {"quarter", "viertel", "1/4", ",25", ".25"}},
                         {"¾", Side::after, {"three quarter", "dreiviertel", "drei viertel", "3/4", ",75", ".75"}}});

bool is_kept(const Sign& sign, std::string_view translation, std::string_view lower) {
  return translation.find(sign.sign) != translation.npos ||
         std::any_of(sign.words.begin(), sign.words.end(),
                     [&](std::string_view word) { return !word.empty() && lower.find(word) != lower.npos; });
}

// Bytes of a space at the beginning or the end of a text.
std::size_t space_after(std::string_view text) {
  if (text.starts_with(' ')) return 1;
  return text.starts_with("\u00a0") ? 2 : text.starts_with("\u202f") ? 3 : 0;
}
std::size_t space_before(std::string_view text) {
  if (text.ends_with(' ')) return 1;
  return text.ends_with("\u00a0") ? 2 : text.ends_with("\u202f") ? 3 : 0;
}

// Whether a number is the first of a range, or is counted in millions.
bool is_range_or_multiple(std::string_view following) {
  constexpr std::array kWords = std::to_array<std::string_view>(
      {"mill", "bill", "tril", "thou", "taus", "hund", "mio", "mrd", "bn", "mn", "m", "k", "tsd", "zill"});
  following.remove_prefix(space_after(following));
  if (following.starts_with('-') || following.starts_with("–") || following.starts_with('/')) return true;
  const std::string lower = text::lower_case(following.substr(0, 8));
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return lower.starts_with(word); });
}

// The number with its sign, or nothing if the sign is not beside it.
SignedNumber with_sign(const Sign& sign, const Number& number, std::string_view text,
                       const text::LanguagePair& languages) {
  const std::string_view before = text.substr(0, number.begin), after = text.substr(number.end);
  const std::size_t gap_before = space_before(before), gap_after = space_after(after);
  const bool precedes = sign.side != Side::after && before.substr(0, before.size() - gap_before).ends_with(sign.sign);
  const bool follows = sign.side != Side::before && after.substr(gap_after).starts_with(sign.sign);
  const std::string digits = rewritten(number, Separators::of(languages.source), Separators::of(languages.target));
  if ((!precedes && !follows) || digits.empty()) return {};
  const bool is_english = text::language_of(languages.target) == text::Language::english;
  std::size_t begin = number.begin, end = number.end;
  if (precedes) begin -= gap_before + sign.sign.size();
  if (!precedes) end += gap_after + sign.sign.size();
  if (is_range_or_multiple(text.substr(end)) || !stands_alone(text, begin, end)) return {};
  SignedNumber part{std::string(text.substr(begin, end - begin)), ""};
  const std::string mark(sign.sign);
  switch (sign.side) {
    case Side::currency: part.target = is_english ? mark + digits : digits + " " + mark; break;
    case Side::before:
      part.target = mark + std::string(text.substr(number.begin - gap_before, gap_before)) + digits;
      break;
    case Side::after: part.target = digits + (is_english ? "" : " ") + mark; break;
  }
  // 30 °C
  if (sign.sign == "°" && end < text.size() && (text[end] == 'C' || text[end] == 'F')) {
    part.source += text[end];
    part.target += text[end];
  }
  return part;
}

// The word around bytes [begin, end).
std::string word_around(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin > 0 && continues_word(text::code_point_before(text, begin).code))
    begin -= text::code_point_before(text, begin).length;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace

std::vector<SignedNumber> lost_signs(std::string_view source, std::string_view translation,
                                     const text::LanguagePair& languages, const std::vector<text::Span>& others) {
  std::vector<SignedNumber> lost;
  const text::Language language = text::language_of(languages.target);
  if (language != text::Language::english && language != text::Language::german) return lost;
  const std::string lower = text::lower_case(translation);
  for (const Sign& sign : kSigns) {
    if (source.find(sign.sign) == source.npos || is_kept(sign, translation, lower)) continue;
    for (const Number& number : numbers_of(source, "")) {
      if (overlaps(others, number.begin, number.end)) continue;
      SignedNumber part = with_sign(sign, number, source, languages);
      if (part.target.empty()) continue;
      lost.push_back(std::move(part));
      break;
    }
  }
  for (const Sign& sign : kInWords) {
    const std::size_t at = source.find(sign.sign);
    if (at == source.npos || is_kept(sign, translation, lower)) continue;
    const std::string word = word_around(source, at, at + sign.sign.size());
    lost.push_back({word, word});
  }
  return lost;
}

}  // namespace dragoman::search

#include "search/faithful.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/ascii.h"
#include "base/join.h"
#include "search/copied_parts.h"
#include "search/dates.h"
#include "search/marked_parts.h"
#include "search/number_signs.h"
#include "search/numbers.h"
#include "search/times_of_day.h"
#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr int kMostInWords = 12;            // up to here, numbers are often written as words
constexpr std::size_t kLongestNumber = 64;  // bytes; more are no number that a person reads
constexpr std::size_t kLongestLoop = 32;    // tokens that are repeated
constexpr std::size_t kRepetitions = 4;

bool is_small(char c) { return c >= 'a' && c <= 'z'; }

// A number with the letters that adjoin it.
struct NumberWord {
  std::size_t begin = 0, end = 0;  // in the text
  bool has_capital = false, has_small = false;
};

// The words around the numbers of a text, which are asked for in their order. The text is read once, however many
// numbers a word has.
class NumberWords {
 public:
  explicit NumberWords(std::string_view text) : text_(text) {}

  const NumberWord& around(const Number& number) {
    std::size_t read = word_.end;
    if (number.begin >= word_.end) {
      word_ = {.begin = number.begin};
      while (word_.begin > read && is_letter(text_[word_.begin - 1])) --word_.begin;
      read = word_.begin;
    }
    for (word_.end = read; word_.end < number.end || (word_.end < text_.size() && is_letter(text_[word_.end]));) {
      word_.has_capital |= is_ascii_capital(text_[word_.end]);
      word_.has_small |= is_small(text_[word_.end++]);
    }
    return word_;
  }

 private:
  static bool is_letter(char c) { return is_ascii_capital(c) || is_small(c) || is_ascii_digit(c); }

  std::string_view text_;
  NumberWord word_;  // the last one
};

// Whether a character that is no letter or digit stands several times in a row, perhaps with spaces between.
bool repeats_a_mark(std::string_view text) {
  char32_t last = 0;
  std::size_t count = 0;
  for (const char32_t code : text::code_points(text)) {
    const text::CharClass kind = text::classify(code);
    if (kind == text::CharClass::space) continue;
    count = code == last ? count + 1 : 1;
    last = code;
    if (count >= kRepetitions && kind != text::CharClass::letter && kind != text::CharClass::number) return true;
  }
  return false;
}

bool may_be_words(const std::string& digits) { return digits.size() <= 2 && std::stoi(digits) <= kMostInWords; }

using Spans = std::vector<text::Span>;

// Both, in order.
Spans joined(const Spans& some, const Spans& others) {
  Spans both;
  std::merge(some.begin(), some.end(), others.begin(), others.end(), std::back_inserter(both),
             [](text::Span a, text::Span b) { return a.begin < b.begin; });
  return both;
}

// Adds the parts that must be copied and are lost. Returns all of them.
Spans add_lost_copies(std::string_view source, std::string_view translation, std::vector<LostPart>& lost) {
  Spans spans;
  std::set<std::string> sought;
  for (const CopiedPart& part : find_copied(source)) {
    spans.push_back(part.span);
    const std::string text(source.substr(part.span.begin, part.span.end - part.span.begin));
    if (sought.insert(text).second && !contains_whole(translation, text, part.ending))
      lost.push_back({text, text, part.ending});
  }
  return spans;
}

// The same for times of day that are not among `others`. Returns both.
Spans add_lost_times(std::string_view source, std::string_view translation, std::string_view target_language,
                     const Spans& others, std::vector<LostPart>& lost) {
  Spans spans;
  std::set<std::string> sought;
  for (const TimeOfDay& time : find_times(source)) {
    if (overlaps(others, time.span.begin, time.span.end)) continue;
    spans.push_back(time.span);
    const std::string text = time.show(target_language);
    if (sought.insert(text).second && !keeps_time(translation, time, target_language))
      lost.push_back(
          {std::string(source.substr(time.span.begin, time.span.end - time.span.begin)), text, Ending::no_digit});
  }
  return joined(spans, others);
}

// The same for dates.
Spans add_lost_dates(std::string_view source, std::string_view translation, const Spans& others,
                     std::vector<LostPart>& lost) {
  Spans spans;
  std::set<std::string> sought;
  for (const text::Span date : find_dates(source)) {
    if (overlaps(others, date.begin, date.end)) continue;
    spans.push_back(date);
    const std::string text(source.substr(date.begin, date.end - date.begin));
    if (sought.insert(text).second && !keeps_date(translation, text)) lost.push_back({text, text, Ending::no_digit});
  }
  return joined(spans, others);
}

// The digits of each number of a translation, with spaces between numbers and without.
std::set<std::string> digits_of(std::string_view translation) {
  std::set<std::string> digits;
  for (const std::string_view separators : {"", " "})
    for (const Number& number : numbers_of(translation, separators)) digits.insert(number.digits());
  return digits;
}

// Whether spaces group the digits: 14 000, but not 030 123 456, which is no number to count with.
bool is_spaced(const Number& number) {
  const auto& groups = number.groups;
  return groups.size() > 1 && groups[0].size() <= 3 && groups[0][0] != '0' &&
         std::all_of(groups.begin() + 1, groups.end(), [](const auto& group) { return group.size() == 3; }) &&
         std::all_of(number.separators.begin(), number.separators.end(),
                     [](const auto& separator) { return separator == " "; });
}

// Whether the number may be a part of 14 000, which other languages and the model write in other ways.
bool may_be_spaced(const Number& number, std::string_view text) {
  const auto digits_before = [&](std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_ascii_digit(text[begin - 1])) --begin;
    return end - begin;
  };
  const auto digits_from = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && is_ascii_digit(text[end])) ++end;
    return end - begin;
  };
  const bool has_before = number.begin > 1 && text[number.begin - 1] == ' ';
  const bool has_after = number.end + 1 < text.size() && text[number.end] == ' ';
  const std::size_t before = has_before ? digits_before(number.begin - 1) : 0;
  const std::size_t after = has_after ? digits_from(number.end + 1) : 0;
  return (number.groups.front().size() == 3 && before > 0 && before <= 3) ||
         (number.groups.back().size() <= 3 && after == 3);
}

// The same for numbers whose digits are grouped by spaces: 14 000. Where a translation has each group, they may have
// been numbers of their own.
Spans add_lost_spaced_numbers(std::string_view source, std::string_view translation, const Spans& others,
                              std::vector<LostPart>& lost) {
  const std::set<std::string> kept = digits_of(translation);
  const auto is_kept = [&](const std::string& digits) { return kept.contains(digits); };
  Spans spans;
  for (const Number& number : numbers_of(source, " ")) {
    if (!is_spaced(number) || overlaps(others, number.begin, number.end)) continue;
    spans.push_back({static_cast<std::uint32_t>(number.begin), static_cast<std::uint32_t>(number.end)});
    const std::string text(source.substr(number.begin, number.end - number.begin));
    if (!is_kept(number.digits()) && !std::all_of(number.groups.begin(), number.groups.end(), is_kept))
      lost.push_back({text, text, Ending::no_digit});
  }
  return joined(spans, others);
}

// The same for numbers that are not among `others`.
void add_lost_numbers(std::string_view source, std::string_view translation, const text::LanguagePair& languages,
                      const Spans& others, std::vector<LostPart>& lost) {
  std::set<std::string> kept = digits_of(translation);
  const Separators from = Separators::of(languages.source), to = Separators::of(languages.target);
  NumberWords words(source);
  std::size_t sought = 0;  // the end of the last word that is lost
  for (const Number& number : numbers_of(source, ":/-")) {
    const std::string digits = number.digits();
    const NumberWord& around = words.around(number);
    if (around.begin < sought || around.end - around.begin > kLongestNumber || kept.contains(digits) ||
        overlaps(others, around.begin, around.end) || !stands_alone(source, around.begin, around.end) ||
        may_be_spaced(number, source) || is_hour(digits, source.substr(number.end)))
      continue;
    const std::string_view word = source.substr(around.begin, around.end - around.begin);
    const std::string_view ending = source.substr(number.end, around.end - number.end);
    const bool has_ending_only = number.begin == around.begin && std::all_of(ending.begin(), ending.end(), is_small);
    std::string text;
    if (around.has_capital && !around.has_small) text = word;
    if (!around.has_capital && has_ending_only && !may_be_words(digits)) text = rewritten(number, from, to);
    if (text.empty()) continue;
    sought = around.end;
    kept.insert(digits);
    lost.push_back({std::string(word), text, Ending::no_digit});
  }
}

// The same for signs beside numbers; a number that is lost with its sign is one part.
void add_lost_signs(std::string_view source, std::string_view translation, const text::LanguagePair& languages,
                    const Spans& others, std::vector<LostPart>& lost) {
  for (SignedNumber& part : lost_signs(source, translation, languages, others)) {
    std::erase_if(lost, [&](const LostPart& number) { return part.source.find(number.source) != std::string::npos; });
    lost.push_back({std::move(part.source), std::move(part.target), Ending::no_digit});
  }
}

// The same for marks directly around addresses and placeholders: brackets, quotation marks and, at the end, a stop.
void add_lost_marks(std::string_view source, std::string_view translation, std::vector<LostPart>& lost) {
  for (const MarkedPart& part : find_marked(source)) {
    if (keeps_marks(translation, part)) continue;
    lost.push_back({part.source, part.target, Ending::none});
  }
}

}  // namespace

std::vector<LostPart> lost_parts(std::string_view source, std::string_view translation,
                                 const text::LanguagePair& languages) {
  std::vector<LostPart> lost;
  const Spans copies = add_lost_copies(source, translation, lost);
  const Spans times = add_lost_times(source, translation, languages.target, copies, lost);
  const Spans dates = add_lost_dates(source, translation, times, lost);
  const Spans found = add_lost_spaced_numbers(source, translation, dates, lost);
  add_lost_numbers(source, translation, languages, found, lost);
  add_lost_signs(source, translation, languages, found, lost);
  add_lost_marks(source, translation, lost);
  return lost;
}

bool lacks_less(std::span<const LostPart> now, std::span<const LostPart> before) {
  return now.size() < before.size() && std::all_of(now.begin(), now.end(), [&](const LostPart& part) {
           return std::find(before.begin(), before.end(), part) != before.end();
         });
}

Tokens find_loop(std::span<const std::int32_t> ids) {
  for (std::size_t size = 1; size <= std::min(kLongestLoop, ids.size() / kRepetitions); ++size) {
    std::size_t same = 0;  // tokens in a row that are the same as those `size` before them
    for (std::size_t i = size; i < ids.size(); ++i) {
      same = ids[i] == ids[i - size] ? same + 1 : 0;
      if (same == size * (kRepetitions - 1)) {
        const auto end = ids.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        return {end - static_cast<std::ptrdiff_t>(size), end};
      }
    }
  }
  return {};
}

std::size_t times_in_a_row(std::span<const std::int32_t> loop, std::span<const std::int32_t> ids) {
  std::size_t most = 0;
  for (std::size_t first = 0; !loop.empty() && first + loop.size() <= ids.size(); ++first) {
    std::size_t times = 0;
    while (first + (times + 1) * loop.size() <= ids.size() &&
           std::equal(loop.begin(), loop.end(), ids.begin() + static_cast<std::ptrdiff_t>(first + times * loop.size())))
      ++times;
    most = std::max(most, times);
    if (times > 0) first += (times - 1) * loop.size();
  }
  return most;
}

bool is_mostly_loop(std::span<const std::int32_t> ids) {
  const Tokens loop = find_loop(ids);
  return 2 * loop.size() * times_in_a_row(loop, ids) > ids.size();
}

bool is_fault(std::string_view loop, std::string_view source) {
  bool has_mark = false;
  for (const char32_t code : text::code_points(loop)) {
    const text::CharClass kind = text::classify(code);
    if (kind == text::CharClass::letter) return true;
    has_mark = has_mark || (kind != text::CharClass::number && kind != text::CharClass::space);
  }
  return has_mark && !repeats_a_mark(source);
}

}  // namespace dragoman::search

#include "text/sentences.h"

#include <algorithm>
#include <array>
#include <span>

#include "text/unicode.h"

namespace dragoman::text {
namespace {

bool is_space(char32_t code) { return classify(code) == CharClass::space; }

bool ends_sentence(char32_t code) {
  switch (code) {
    case U'.':
    case U'!':
    case U'?':
    case U'\u2026':
    case U'\u203d':
    case U'\u3002':
    case U'\uff01':
    case U'\uff1f':
    case U'\u0964':
    case U'\u0965':
    case U'\u061f':
    case U'\u06d4': return true;
    default: return false;
  }
}

// Marks that need no space after them, from scripts written without spaces.
bool ends_without_space(char32_t code) { return code == U'\u3002' || code == U'\uff01' || code == U'\uff1f'; }

bool closes(char32_t code) {
  switch (code) {
    case U'"':
    case U'\'':
    case U')':
    case U']':
    case U'}':
    case U'\u2019':
    case U'\u201c':
    case U'\u201d':
    case U'\u00bb':
    case U'\u00ab':
    case U'\u203a':
    case U'\u2039':
    case U'\u300d':
    case U'\u300f':
    case U'\uff09': return true;
    default: return false;
  }
}

// The word that ends before `end`, or its end if it is longer than any abbreviation.
std::string_view word_before(std::string_view text, std::size_t end) {
  constexpr std::size_t kLongest = 64;  // bytes; bounds the time for text such as a.a.a.a
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongest) {
    const CodePoint point = code_point_before(text, begin);
    const CharClass kind = classify(point.code);
    if (kind != CharClass::letter && kind != CharClass::mark && kind != CharClass::number && point.code != U'.') break;
    begin -= point.length;
  }
  return text.substr(begin, end - begin);
}

bool all_digits(std::string_view word) {
  for (const char32_t code : code_points(word))
    if (!is_digit(code)) return false;
  return !word.empty();
}

bool is_among(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether a word is short for one that numbers follow: no. 12, Tel. 123, max. 10, Bahnhofstr. 5.
bool precedes_numbers(std::string_view word, Language language) {
  constexpr std::array kWords = std::to_array<std::string_view>(
      {"No", "tel", "Tel", "eq", "Eq", "min", "Min", "max", "Max", "ca", "Fig", "fig", "Abb", "approx", "ext"});
  return is_among(word, kWords) || word.ends_with("str") || (word == "no" && language == Language::english);
}

// Whether a digit follows, perhaps after spaces.
bool is_before_digit(std::string_view text) {
  const std::size_t at = text.find_first_not_of(' ');
  return at != text.npos && is_digit(code_point_at(text, at).code);
}

// Text of an unknown language has the abbreviations of all of them. References such as "vol. 2" are no words of the
// tokenizer.
bool has_period(Language language, std::string_view word) {
  constexpr std::array kReferences = std::to_array<std::string_view>({"vol", "pp", "nr", "cf", "Cf", "Fa", "Tsd"});
  if (is_abbreviation(language, word) || is_among(word, kReferences)) return true;
  return language == Language::generic &&
         (is_abbreviation(Language::english, word) || is_abbreviation(Language::german, word));
}

// Whether a period belongs to the word before it.
bool is_part_of_word(std::string_view text, std::size_t period, Language language) {
  const std::string_view word = word_before(text, period);
  if (word.empty()) return false;
  if (has_period(language, word) || (precedes_numbers(word, language) && is_before_digit(text.substr(period + 1))))
    return true;
  const std::vector<char32_t> letters = code_points(word);
  if (letters.size() == 1 && classify(letters[0]) == CharClass::letter) return true;  // J. S. Bach, z. B., p. 3
  if (word.find('.') != std::string_view::npos && letters.size() <= 5) return true;   // e.g. this
  return language == Language::german && all_digits(word) && letters.size() <= 2;     // am 3. Oktober
}

bool can_begin(char32_t code) {
  const CharClass kind = classify(code);
  return !is_lower(code) && kind != CharClass::mark && code != U',' && code != U';' && code != U':';
}

Span without_spaces(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin < end && is_space(code_point_at(text, begin).code)) begin += code_point_at(text, begin).length;
  while (end > begin && is_space(code_point_before(text, end).code)) end -= code_point_before(text, end).length;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

// Calls f(position) after every position where this kind of cut is possible.
template <class F>
void each_pause(std::string_view text, F&& f) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.length;
    const bool pause = point.code == U',' || point.code == U';' || point.code == U':' || point.code == U'\u3001' ||
                       point.code == U'\uff0c' || point.code == U'\u2013' || point.code == U'\u2014';
    if (pause && at < text.size() && (point.code > 0x3000 || is_space(code_point_at(text, at).code))) f(at);
  }
}

template <class F>
void each_space(std::string_view text, F&& f) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.length;
    if (is_space(point.code)) f(at);
  }
}

template <class F>
void each_character(std::string_view text, F&& f) {
  for (std::size_t at = 0; at < text.size();) f(at += code_point_at(text, at).length);
}

// Greedily joins as many parts as fit. Returns false if a single part does not fit.
bool fill_up(std::string_view text, std::size_t offset, const std::vector<std::size_t>& cuts,
             const std::function<bool(std::string_view)>& fits, std::vector<Span>& parts) {
  std::vector<Span> added;
  std::size_t begin = 0, next = 0;
  while (begin < text.size()) {
    // Finds the farthest cut that fits by doubling, then bisection, because fits() costs a pass over the text.
    std::size_t low = next, high = cuts.size();
    // Without the spaces at its ends, a part can have more tokens: some tokenizers encode " word" as one.
    const auto fits_to = [&](std::size_t index) {
      const Span part = without_spaces(text, begin, cuts[index]);
      return fits(text.substr(part.begin, part.end - part.begin));
    };
    if (low >= cuts.size() || !fits_to(low)) return false;
    std::size_t step = 1;
    while (low + step < high && fits_to(low + step)) low += step, step *= 2;
    high = std::min(high, low + step);
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (fits_to(middle) ? low : high) = middle;
    }
    const Span part = without_spaces(text, begin, cuts[low]);
    if (part.begin < part.end)
      added.push_back({static_cast<std::uint32_t>(part.begin + offset), static_cast<std::uint32_t>(part.end + offset)});
    begin = cuts[low];
    next = low + 1;
  }
  parts.insert(parts.end(), added.begin(), added.end());
  return true;
}

}  // namespace

std::vector<Span> split_sentences(std::string_view paragraph, Language language) {
  std::vector<Span> sentences;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const Span sentence = without_spaces(paragraph, begin, end);
    if (sentence.begin < sentence.end) sentences.push_back(sentence);
    begin = end;
  };
  for (std::size_t at = 0; at < paragraph.size();) {
    const std::size_t mark = at;
    const CodePoint point = code_point_at(paragraph, at);
    at += point.length;
    if (!ends_sentence(point.code)) continue;
    if (point.code == U'.' && is_part_of_word(paragraph, mark, language)) continue;
    while (at < paragraph.size()) {
      const char32_t code = code_point_at(paragraph, at).code;
      if (!ends_sentence(code) && !closes(code)) break;
      at += code_point_at(paragraph, at).length;
    }
    std::size_t after = at;
    while (after < paragraph.size() && is_space(code_point_at(paragraph, after).code))
      after += code_point_at(paragraph, after).length;
    if (after == paragraph.size()) break;
    if ((after > at && can_begin(code_point_at(paragraph, after).code)) || ends_without_space(point.code)) cut(at);
  }
  cut(paragraph.size());
  return sentences;
}

std::vector<Span> split_to_fit(std::string_view text, const std::function<bool(std::string_view)>& fits,
                               Language language) {
  std::vector<Span> parts;
  std::vector<std::size_t> ends;
  for (const Span& sentence : split_sentences(text, language)) ends.push_back(sentence.end);
  if (!ends.empty()) ends.back() = text.size();
  if (fill_up(text, 0, ends, fits, parts)) return parts;
  // Only sentences that are too long themselves are split further.
  for (const Span& sentence : split_sentences(text, language)) {
    const std::string_view words = text.substr(sentence.begin, sentence.end - sentence.begin);
    const auto try_cuts = [&](auto each) {
      std::vector<std::size_t> cuts;
      each(words, [&](std::size_t at) { cuts.push_back(at); });
      if (cuts.empty() || cuts.back() != words.size()) cuts.push_back(words.size());
      return fill_up(words, sentence.begin, cuts, fits, parts);
    };
    const bool done = try_cuts([](std::string_view t, auto f) { each_pause(t, f); }) ||
                      try_cuts([](std::string_view t, auto f) { each_space(t, f); }) ||
                      try_cuts([](std::string_view t, auto f) { each_character(t, f); });
    check(done, "a single character exceeds the limit of the model");
  }
  return parts;
}

}  // namespace dragoman::text

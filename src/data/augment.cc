#include "data/augment.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/ascii.h"
#include "data/random_text.h"
#include "text/unicode.h"

namespace dragoman::data {
namespace {

constexpr std::size_t kLongestJoin = 3;         // pairs before the last one
constexpr std::size_t kLongestJoinBytes = 600;  // of a side
constexpr std::size_t kLettersOfTypo = 4;       // shorter words are left alone

bool to_upper(Pair& pair, Random&) {
  pair = {text::upper_case(pair.source), text::upper_case(pair.target), pair.line};
  return true;
}

bool to_lower(Pair& pair, Random&) {
  std::string lower = text::lower_case(pair.source);
  if (lower == pair.source) return false;
  pair.source = std::move(lower);
  return true;
}

// The bytes of the final full stop, question or exclamation mark.
std::size_t final_mark(std::string_view text) {
  return text.size() > 1 && (text.back() == '.' || text.back() == '?' || text.back() == '!') ? 1 : 0;
}

bool drop_final_mark(Pair& pair, Random&) {
  if (final_mark(pair.source) == 0 || final_mark(pair.target) == 0) return false;
  pair.source.pop_back();
  pair.target.pop_back();
  return true;
}

bool drop_apostrophes(Pair& pair, Random&) {
  std::string source;
  for (const char32_t code : text::code_points(pair.source))
    if (code != U'\'' && code != U'\u2019') text::append_utf8(code, source);
  std::swap(source, pair.source);
  return source != pair.source;
}

// One typing error at letter `at` of `word`, which is not its first.
void mistype(std::u32string& word, std::size_t at, Random& random) {
  switch (random.below(4)) {
    case 0: std::swap(word[at - 1], word[at]); break;
    case 1: word.erase(at, 1); break;
    case 2: word.insert(at, 1, word[at]); break;
    default: word[at] = U"abcdefghijklmnopqrstuvwxyz"[random.below(26)];
  }
}

bool mistype_words(Pair& pair, Random& random) {
  std::vector<std::u32string> runs;  // of letters, or of anything else, in turns
  bool letters = false;
  for (const char32_t code : text::code_points(pair.source)) {
    const bool is_letter = text::classify(code) == text::CharClass::letter;
    if (runs.empty() || is_letter != letters) runs.emplace_back();
    runs.back().push_back(code);
    letters = is_letter;
  }
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].size() >= kLettersOfTypo && text::classify(runs[i][0]) == text::CharClass::letter) words.push_back(i);
  if (words.empty()) return false;
  for (std::size_t errors = 1 + words.size() / 8; errors > 0; --errors) {
    std::u32string& word = runs[words[random.below(words.size())]];
    mistype(word, 1 + random.below(word.size() - 1), random);
  }
  pair.source.clear();
  for (const std::u32string& run : runs)
    for (const char32_t code : run) text::append_utf8(code, pair.source);
  return true;
}

// The whole numbers of a text that nothing but white space, brackets or a final mark touches, and where they begin.
// Other numbers (1,5 and 1.5, 3rd, B2) are written differently in different languages, or belong to a name.
std::multimap<std::string, std::size_t> plain_numbers(std::string_view text) {
  const auto ends_number = [&](std::size_t at) {
    if (at >= text.size() || std::string_view(" ()?!").find(text[at]) != std::string_view::npos) return true;
    return std::string_view(".,:;").find(text[at]) != std::string_view::npos &&
           (at + 1 == text.size() || text[at + 1] == ' ');
  };
  std::multimap<std::string, std::size_t> numbers;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_ascii_digit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_ascii_digit(text[end])) ++end;
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
    if (begins && ends_number(end)) numbers.emplace(text.substr(at, end - at), at);
    at = end;
  }
  return numbers;
}

// A number that both sides contain, and another one of the same kind: four digits may be a year; 1 would ask for a
// singular.
struct SharedNumber {
  std::size_t source, target, size;  // where it is, and its digits
  std::string fresh;
};

bool change_numbers(Pair& pair, Random& random) {
  const auto source = plain_numbers(pair.source), target = plain_numbers(pair.target);
  std::vector<SharedNumber> shared;
  for (const auto& [number, at] : source) {
    if (number == "1" || source.count(number) != 1 || target.count(number) != 1) continue;
    const bool is_year = number.size() == 4;
    shared.push_back({at, target.find(number)->second, number.size(),
                      is_year ? std::to_string(1000 + random.below(1100)) : random_number(random)});
  }
  const auto replace = [&](std::string& text, std::size_t SharedNumber::*place) {
    std::sort(shared.begin(), shared.end(), [&](const auto& a, const auto& b) { return a.*place > b.*place; });
    for (const SharedNumber& number : shared) text.replace(number.*place, number.size, number.fresh);
  };
  replace(pair.source, &SharedNumber::source);
  replace(pair.target, &SharedNumber::target);
  return !shared.empty();
}

// Adds the same words to both sides: before the first word, after the last one, or in brackets before the final mark.
void add_to_both(Pair& pair, const std::string& words, std::uint64_t place) {
  for (std::string* text : {&pair.source, &pair.target}) {
    if (place == 0)
      *text = words + " " + *text;
    else if (place == 1)
      *text += " " + words;
    else
      text->insert(text->size() - final_mark(*text), " (" + words + ")");
  }
}

bool add_address(Pair& pair, Random& random) {
  const std::string address = random.below(2) == 0 ? random_url(random) : random_mail_address(random);
  add_to_both(pair, address, random.below(3));
  return true;
}

bool add_emoji(Pair& pair, Random& random) {
  const std::string emoji = random_emoji(random);
  add_to_both(pair, emoji, random.below(2));
  return true;
}

// A name or a number that each side contains once, and where. Words end at white space, marks at their end do not
// count, and a name begins with a capital letter.
struct SharedWord {
  std::size_t source, target, size;
};

std::multimap<std::string_view, std::size_t> names_and_numbers(std::string_view text) {
  constexpr std::string_view kMarks = ".,:;?!";
  std::multimap<std::string_view, std::size_t> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t next = end;
    while (end > at && kMarks.find(text[end - 1]) != std::string_view::npos) --end;
    const bool is_wanted = is_ascii_digit(text[at]) || (text[at] >= 'A' && text[at] <= 'Z');
    if (end > at && is_wanted) words.emplace(text.substr(at, end - at), at);
    at = next;
  }
  return words;
}

std::vector<SharedWord> shared_words(const Pair& pair) {
  const auto source = names_and_numbers(pair.source), target = names_and_numbers(pair.target);
  std::vector<SharedWord> shared;
  for (const auto& [word, at] : source)
    if (source.count(word) == 1 && target.count(word) == 1)
      shared.push_back({at, target.find(word)->second, word.size()});
  return shared;
}

// Markup around a word that both sides share (a name or a number), or a placeholder in its place.
void mark_word(Pair& pair, const SharedWord& word, Random& random) {
  std::string fresh;
  if (random.below(2) == 0) {
    const Markup markup = random_markup(random);
    fresh = markup.before + pair.source.substr(word.source, word.size) + markup.after;
  } else {
    fresh = random_code(random);
  }
  pair.source.replace(word.source, word.size, fresh);
  pair.target.replace(word.target, word.size, fresh);
}

void mark_sides(Pair& pair, Random& random) {
  const Markup markup = random_markup(random);
  for (std::string* text : {&pair.source, &pair.target}) *text = markup.before + *text + markup.after;
}

bool add_signs(Pair& pair, Random& random) {
  const std::vector<SharedWord> shared = shared_words(pair);
  const std::uint64_t kind = random.below(4);
  if (kind < 2 && !shared.empty())
    mark_word(pair, shared[random.below(shared.size())], random);
  else if (kind == 3)
    add_to_both(pair, random_code(random), random.below(3));
  else
    mark_sides(pair, random);
  return true;
}

bool add_foreign_words(Pair& pair, Random& random) {
  const std::string words = random_foreign_words(random);
  const std::uint64_t place = random.below(4);
  if (place == 3)
    pair.source = pair.target = words;
  else
    add_to_both(pair, words, place);
  return true;
}

bool copy_target(Pair& pair, Random&) {
  if (pair.source == pair.target) return false;
  pair.source = pair.target;
  return true;
}

}  // namespace

Augmenter::Augmenter(const AugmentOptions& options) : random_(options.seed) {
  for (const Kind& kind : std::initializer_list<Kind>{{"upper", options.upper, to_upper},
                                                      {"lower", options.lower, to_lower},
                                                      {"unpunctuated", options.unpunctuated, drop_final_mark},
                                                      {"apostrophes", options.apostrophes, drop_apostrophes},
                                                      {"typos", options.typos, mistype_words},
                                                      {"numbers", options.numbers, change_numbers},
                                                      {"addresses", options.addresses, add_address},
                                                      {"emoji", options.emoji, add_emoji},
                                                      {"signs", options.signs, add_signs},
                                                      {"foreign", options.foreign, add_foreign_words},
                                                      {"joined", options.joined, nullptr},
                                                      {"copied", options.copied, copy_target}})
    if (kind.share > 0) kinds_.push_back(kind);
}

void Augmenter::augment(const Pair& pair, const std::function<void(const Pair&)>& take) {
  if (pair.source.empty() || pair.target.empty()) return;
  for (Kind& kind : kinds_) {
    if (random_.uniform() >= kind.share) continue;
    Pair copy = pair;
    if (!(kind.change ? kind.change(copy, random_) : join(copy))) continue;
    take(copy);
    ++kind.made;
  }
  remember(pair);
}

Counts Augmenter::made() const {
  Counts counts;
  for (const Kind& kind : kinds_) counts.emplace_back(kind.name, kind.made);
  return counts;
}

bool Augmenter::join(Pair& pair) {
  const std::size_t wanted = 1 + random_.below(kLongestJoin);
  std::size_t joined = 0;
  for (; joined < std::min(wanted, before_.size()); ++joined) {
    const Pair& other = before_[before_.size() - 1 - joined];
    if (std::max(pair.source.size() + other.source.size(), pair.target.size() + other.target.size()) >
        kLongestJoinBytes)
      break;
    pair.source.insert(0, other.source + " ");
    pair.target.insert(0, other.target + " ");
  }
  return joined > 0;
}

void Augmenter::remember(const Pair& pair) {
  if (before_.size() == kLongestJoin) before_.erase(before_.begin());
  before_.push_back(pair);
}

}  // namespace dragoman::data

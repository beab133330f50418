#include "search/times_of_day.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "text/language.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

// The numbers of one or two digits of a text; longer ones are no hours and no minutes.
struct Group {
  std::size_t begin = 0, end = 0;
  int value = -1;
};

std::vector<Group> groups_of(std::string_view text) {
  std::vector<Group> groups;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_ascii_digit(text[at])) continue;
    Group group{at, at};
    while (group.end < text.size() && is_ascii_digit(text[group.end])) ++group.end;
    if (group.end - at <= 2) group.value = std::stoi(std::string(text.substr(at, group.end - at)));
    groups.push_back(group);
    at = group.end;
  }
  return groups;
}

// The words after a time: none, those of the 24-hour clock, or of a half of the day.
enum class Clock { unsaid, whole, morning, afternoon };

struct ClockWord {
  Clock clock = Clock::unsaid;
  std::size_t end = 0;  // in the text that follows the time
};

ClockWord clock_after(std::string_view text) {
  struct Word {
    std::string_view text;
    Clock clock;
  };
  constexpr std::array kWords = std::to_array<Word>({{"uhr", Clock::whole},
                                                     {"a.m.", Clock::morning},
                                                     {"a.m", Clock::morning},
                                                     {"am", Clock::morning},
                                                     {"p.m.", Clock::afternoon},
                                                     {"p.m", Clock::afternoon},
                                                     {"pm", Clock::afternoon}});
  const std::size_t begin = text.starts_with(' ') ? 1 : 0;
  const std::string next = text::lower_case(text.substr(begin, 4));
  for (const Word& word : kWords)
    if (next.starts_with(word.text) &&
        (next.size() == word.text.size() || !std::isalpha(static_cast<unsigned char>(next[word.text.size()]))))
      return {word.clock, begin + word.text.size()};
  return {};
}

int hour_of_24(int hour, Clock clock) {
  if (clock == Clock::morning && hour == 12) return 0;
  if (clock == Clock::afternoon && hour < 12) return hour + 12;
  return hour % 24;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool is_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_half(Clock clock) { return clock == Clock::morning || clock == Clock::afternoon; }

bool is_english(std::string_view language) { return text::language_of(language) == text::Language::english; }
bool is_german(std::string_view language) { return text::language_of(language) == text::Language::german; }

// Whether a text has a word for the half of the day that an hour is in; in languages other than English and German, it
// may have one.
bool may_say_half(std::string_view text, int hour, std::string_view language) {
  if (is_english(language))
    return hour < 12 ? contains_any(text, {"a.m.", "morning", "night"})
                     : contains_any(text, {"p.m.", "noon", "evening", "night"});
  if (is_german(language))
    return hour < 12 ? contains_any(text, {"morgen", "vormittag", "früh", "nacht"})
                     : contains_any(text, {"mittag", "abend", "nacht"});
  return true;
}

// A number that may be an hour, as it is written.
struct Reading {
  std::size_t begin = 0, end = 0;  // with the minutes, if there are any
  int hour = 0, minute = 0;
  char separator = 0;  // before the minutes; 0 if there are none
  ClockWord word;
  int next = -1;  // the next number, if it is none of the above and has one or two digits
};

std::vector<Reading> readings_of(std::string_view text) {
  constexpr std::string_view kJoins = ".,:/-";  // digits to a longer number
  std::vector<Reading> readings;
  const std::vector<Group> groups = groups_of(text);
  const auto are_joined = [&](std::size_t i) {  // this number and the next one
    return i + 1 < groups.size() && groups[i + 1].begin == groups[i].end + 1 &&
           kJoins.find(text[groups[i].end]) != kJoins.npos;
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].value < 0 || groups[i].value > 24 || (i > 0 && are_joined(i - 1))) continue;
    const bool has_minutes = are_joined(i) && !are_joined(i + 1) && groups[i + 1].end == groups[i + 1].begin + 2 &&
                             groups[i + 1].value <= 59;
    if (are_joined(i) && !has_minutes) continue;
    const std::size_t last = has_minutes ? i + 1 : i;
    readings.push_back({.begin = groups[i].begin,
                        .end = groups[last].end,
                        .hour = groups[i].value,
                        .minute = has_minutes ? groups[last].value : 0,
                        .separator = has_minutes ? text[groups[i].end] : '\0',
                        .word = clock_after(text.substr(groups[last].end)),
                        .next = last + 1 < groups.size() ? groups[last + 1].value : -1});
  }
  return readings;
}

}  // namespace

std::string TimeOfDay::show(std::string_view language) const {
  if (is_german(language) && minute == 0) return fmt::format("{}", hour);
  if (!is_english(language) || !is_certain) return fmt::format("{}:{:02}", hour, minute);
  if (hour == 0 && minute == 0) return "midnight";
  const std::string minutes = minute == 0 ? "" : fmt::format(":{:02}", minute);
  return fmt::format("{}{} {}", (hour + 11) % 12 + 1, minutes, hour < 12 ? "a.m." : "p.m.");
}

std::vector<TimeOfDay> find_times(std::string_view text) {
  std::vector<TimeOfDay> times;
  const bool may_be_afternoon = contains_any(text::lower_case(text), {"abend", "nachmittag", "nacht"});
  for (const Reading& read : readings_of(text)) {
    // Hours above twelve are in no half of the day (15 pm); in German, "um 15:30 am Montag" has none either.
    const ClockWord word = read.hour > 12 && is_half(read.word.clock) ? ClockWord() : read.word;
    const bool is_time = read.separator == ':' || (read.separator == '.' && word.clock != Clock::unsaid) ||
                         (read.separator == 0 && word.clock != Clock::unsaid);
    if (!is_time) continue;
    TimeOfDay time;
    time.hour = hour_of_24(read.hour, word.clock);
    time.minute = read.minute;
    time.span = {static_cast<std::uint32_t>(read.begin),
                 static_cast<std::uint32_t>(read.separator == 0 ? read.end + word.end : read.end)};
    const bool is_said = is_half(word.clock) || (word.clock == Clock::whole && !may_be_afternoon);  // 8 Uhr abends
    time.is_certain = is_said || time.hour == 0 || time.hour > 12;
    times.push_back(time);
  }
  return times;
}

bool is_hour(std::string_view digits, std::string_view following) {
  return digits.size() <= 2 && std::stoi(std::string(digits)) <= 24 && clock_after(following).clock != Clock::unsaid;
}

bool keeps_time(std::string_view translation, const TimeOfDay& time, std::string_view language) {
  if (time.minute == 0 && !time.is_certain) return true;
  const std::string text = text::lower_case(translation);
  const bool says_half = may_say_half(text, time.hour, language);
  bool is_impossible = false, is_other_half = false;
  for (const Reading& read : readings_of(text)) {
    // 15 p.m., and p.m. in other languages than English.
    const bool is_foreign = read.word.clock == Clock::afternoon && !is_english(language);
    if ((read.hour > 12 && is_half(read.word.clock)) || is_foreign) {
      is_impossible = true;
      continue;
    }
    const int hour = hour_of_24(read.hour, read.word.clock);
    const bool is_either_half = !time.is_certain || (says_half && !is_half(read.word.clock));
    const bool is_hour = hour == time.hour || (is_either_half && hour % 12 == time.hour % 12);
    if (is_hour && (read.minute == time.minute || read.next == time.minute)) return true;
    is_other_half = is_other_half || (is_half(read.word.clock) && hour % 12 == time.hour % 12);
  }
  if (time.minute == 30) return contains_any(text, {"half", "halb"});
  if (time.minute % 30 == 15) return contains_any(text, {"quarter", "viertel"});
  if (time.minute != 0) return false;
  if (time.hour >= 1 && time.hour <= 12) return !is_other_half;
  return (says_half && !is_impossible) || (time.hour == 0 && contains_any(text, {"midnight", "mitternacht"}));
}

std::vector<std::pair<text::Span, std::string>> to_24_hour_clock(std::string_view text) {
  std::vector<std::pair<text::Span, std::string>> changes;
  const auto write = [&](const Reading& read, std::size_t end, Clock clock) {
    changes.emplace_back(text::Span{static_cast<std::uint32_t>(read.begin), static_cast<std::uint32_t>(end)},
                         fmt::format("{}:{:02}", hour_of_24(read.hour, clock), read.minute));
  };
  std::optional<Reading> from;  // the last number, if it says no clock
  for (const Reading& read : readings_of(text)) {
    const std::optional<Reading> before = std::exchange(from, std::nullopt);
    if (read.hour == 0 || read.hour > 12) continue;
    if (!is_half(read.word.clock)) {
      if (read.word.clock == Clock::unsaid) from = read;
      continue;
    }
    const bool is_range = before && is_any(text.substr(before->end, read.begin - before->end),
                                           {" to ", " and ", " or ", " until ", " - ", "–", " – "});
    if (is_range) {
      const Clock other = read.word.clock == Clock::morning ? Clock::afternoon : Clock::morning;
      write(*before, before->end, before->hour % 12 < read.hour % 12 ? read.word.clock : other);
    }
    std::size_t end = read.end + read.word.end;
    const bool ends_text = text.find_first_not_of(" \"')”", end) == text.npos;
    if (text[end - 1] == '.' && ends_text) --end;  // it ends the sentence, too
    write(read, end, read.word.clock);
  }
  return changes;
}

}  // namespace dragoman::search

#include "search/times_of_day.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "text/unicode.h"

namespace dragoman::search {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The numbers of one or two digits of a text; longer ones are no hours and no minutes.
struct Group {
  std::size_t begin = 0, end = 0;
  int value = -1;
};

std::vector<Group> groups_of(std::string_view text) {
  std::vector<Group> groups;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    Group group{at, at};
    while (group.end < text.size() && is_digit(text[group.end])) ++group.end;
    if (group.end - at <= 2) group.value = std::stoi(std::string(text.substr(at, group.end - at)));
    groups.push_back(group);
    at = group.end;
  }
  return groups;
}

// The words after a time: none, a clock of 24 hours, or a half of the day.
enum class Clock { unsaid, whole, morning, afternoon };

Clock clock_after(std::string_view text) {
  struct Word {
    std::string_view text;
    Clock clock;
  };
  constexpr std::array kWords = std::to_array<Word>({{"uhr", Clock::whole},
                                                     {"a.m", Clock::morning},
                                                     {"am", Clock::morning},
                                                     {"p.m", Clock::afternoon},
                                                     {"pm", Clock::afternoon}});
  if (text.starts_with(' ')) text.remove_prefix(1);
  const std::string next = text::lower_case(text.substr(0, 4));
  for (const Word& word : kWords)
    if (next.starts_with(word.text) &&
        (next.size() == word.text.size() || !std::isalpha(static_cast<unsigned char>(next[word.text.size()]))))
      return word.clock;
  return Clock::unsaid;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != text.npos; });
}

}  // namespace

std::string TimeOfDay::show() const { return fmt::format("{}:{:02}", hour, minute); }

std::vector<TimeOfDay> find_times(std::string_view text) {
  constexpr std::string_view kJoins = ".,:/-";  // digits to a longer number
  std::vector<TimeOfDay> times;
  const std::vector<Group> groups = groups_of(text);
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    const Group &hour = groups[i], &minute = groups[i + 1];
    const bool is_pair = minute.begin == hour.end + 1 && minute.end == minute.begin + 2 && hour.value >= 0 &&
                         hour.value <= 24 && minute.value <= 59;
    const bool is_joined_before =
        i > 0 && groups[i - 1].end + 1 == hour.begin && kJoins.find(text[hour.begin - 1]) != kJoins.npos;
    const bool is_joined_after =
        i + 2 < groups.size() && groups[i + 2].begin == minute.end + 1 && kJoins.find(text[minute.end]) != kJoins.npos;
    if (!is_pair || is_joined_before || is_joined_after) continue;
    const Clock clock = clock_after(text.substr(minute.end));
    const char separator = text[hour.end];
    if (separator != ':' && (separator != '.' || clock == Clock::unsaid)) continue;
    TimeOfDay time{
        {static_cast<std::uint32_t>(hour.begin), static_cast<std::uint32_t>(minute.end)}, hour.value, minute.value};
    if (clock == Clock::morning && time.hour == 12) time.hour = 0;
    if (clock == Clock::afternoon && time.hour < 12) time.hour += 12;
    times.push_back(time);
  }
  return times;
}

bool is_hour(std::string_view digits, std::string_view following) {
  return digits.size() <= 2 && std::stoi(std::string(digits)) <= 24 && clock_after(following) != Clock::unsaid;
}

bool keeps_time(std::string_view translation, const TimeOfDay& time) {
  if (time.minute == 0) return true;
  const std::vector<Group> groups = groups_of(translation);
  for (std::size_t i = 0; i + 1 < groups.size(); ++i)
    if (groups[i].value >= 0 && groups[i].value % 12 == time.hour % 12 && groups[i + 1].value == time.minute)
      return true;
  const std::string text = text::lower_case(translation);
  if (time.minute == 30) return contains_any(text, {"half", "halb"});
  return time.minute % 30 == 15 && contains_any(text, {"quarter", "viertel"});
}

}  // namespace dragoman::search

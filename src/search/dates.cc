#include "search/dates.h"

#include <algorithm>
#include <functional>
#include <set>

#include "search/numbers.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

// Whether the groups of digits are a day, a month and a year, with the same mark between them.
bool is_date(const Number& number, std::string_view marks) {
  if (number.groups.size() != 3 || number.groups[0].size() > 2 || number.groups[1].size() > 2) return false;
  const int day = std::stoi(number.groups[0]), month = std::stoi(number.groups[1]);
  const std::string& mark = number.separators[0];
  const bool has_year = number.groups[2].size() == 4 || number.groups[2].size() == 2;
  return day >= 1 && day <= 31 && month >= 1 && month <= 12 && has_year && mark == number.separators[1] &&
         marks.find(mark) != marks.npos;
}

// The values of the groups, in any order: languages differ in theirs. Years may have their last two digits only.
std::multiset<int> values_of(const Number& number, bool has_short_year) {
  std::multiset<int> values;
  for (const std::string& group : number.groups)
    if (group.size() <= 4) values.insert(has_short_year ? std::stoi(group) % 100 : std::stoi(group));
  return values;
}

}  // namespace

std::vector<text::Span> find_dates(std::string_view text) {
  std::vector<text::Span> dates;
  for (const Number& number : numbers_of(text, ":/-"))
    if (is_date(number, ".") && stands_alone(text, number.begin, number.end))
      dates.push_back({static_cast<std::uint32_t>(number.begin), static_cast<std::uint32_t>(number.end)});
  return dates;
}

bool keeps_date(std::string_view translation, std::string_view date) {
  const Number written = numbers_of(date, "").front();
  const bool has_short_year = written.groups[2].size() == 2;
  const std::multiset<int> values = values_of(written, has_short_year);
  std::multiset<int> single;  // the numbers of one group
  for (const Number& number : numbers_of(translation, "/-")) {
    const bool has_one_mark = std::adjacent_find(number.separators.begin(), number.separators.end(),
                                                 std::not_equal_to<>()) == number.separators.end();
    if (number.groups.size() == 3 && has_one_mark && number.separators[0] != "," &&
        values_of(number, has_short_year) == values)
      return true;
    if (number.groups.size() == 1) single.merge(values_of(number, has_short_year));
  }
  const auto has = [&](std::size_t group) { return single.contains(std::stoi(written.groups[group])); };
  return has(2) && (has(0) || has(1));
}

}  // namespace dragoman::search

#include "serve/duration.h"

#include "base/error.h"
#include "base/text_value.h"

namespace dragoman::serve {

std::chrono::microseconds parse_duration(const std::string& text, const char* setting) {
  constexpr std::pair<const char*, double> kUnits[] = {{"ms", 1e-3}, {"min", 60}, {"s", 1}};
  constexpr double kMost = 86'400;  // seconds
  for (const auto& [unit, seconds_each] : kUnits) {
    if (!text.ends_with(unit)) continue;
    double count = -1;
    try {
      count = text_value::parse_number(text.substr(0, text.size() - std::char_traits<char>::length(unit)));
    } catch (const Error&) {
      break;
    }
    const double seconds = count * seconds_each;
    if (!(seconds >= 0 && seconds <= kMost)) break;
    return std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
  }
  fail("--{} {}: expected a time of at most a day, such as 5ms, 1.5s or 2min", setting, text);
}

}  // namespace dragoman::serve

#include "recipe/cost.h"

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "base/text_value.h"

namespace dragoman::recipe {

double parse_duration(const std::string& text) {
  constexpr double kLongest = 366.0 * 24 * 3600;
  const std::size_t unit = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string name = text.substr(unit);
  const double seconds = name == "s" ? 1 : name == "min" ? 60 : name == "h" ? 3600 : 0;
  check(unit > 0 && seconds > 0, "expected a time such as 90s, 30min or 2h but got '{}'", excerpt(text));
  const double total = seconds * text_value::parse_number(text.substr(0, unit));
  check(total > 0 && total <= kLongest, "expected a time of more than 0 s and at most a year but got '{}'",
        excerpt(text));
  return total;
}

Cost parse_cost(const std::string& text) {
  constexpr std::string_view kOn = " on ";
  const std::size_t on = text.find(kOn);
  const std::string machine = on == std::string::npos ? "" : text.substr(on + kOn.size());
  check(!machine.empty(), "expected a time and a machine, such as '5min on an NVIDIA H200', but got '{}'",
        excerpt(text));
  return {parse_duration(text.substr(0, on)), machine};
}

}  // namespace dragoman::recipe

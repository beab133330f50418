#include "base/counted.h"

#include <fmt/format.h>

#include <string>

#include "base/progress.h"

namespace dragoman {
namespace {

std::string show(const Counted& counted) {
  const std::string number = with_commas(static_cast<std::int64_t>(counted.count));
  if (counted.count == 1 || !counted.plural.empty())
    return fmt::format("{} {}", number, counted.count == 1 ? counted.thing : counted.plural);
  return fmt::format("{} {}s", number, counted.thing);
}

}  // namespace
}  // namespace dragoman

fmt::format_context::iterator fmt::formatter<dragoman::Counted>::format(const dragoman::Counted& counted,
                                                                        format_context& context) const {
  return fmt::formatter<fmt::string_view>::format(dragoman::show(counted), context);
}

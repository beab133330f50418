#include "base/bounded_json.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "base/quote.h"

namespace dragoman {
namespace {

template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw DamagedJson(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

// One pass over the text, before anything is built. Counts brackets, commas and colons outside strings, whether or not
// the text is valid otherwise.
std::size_t check_json_limits(std::string_view text, std::string_view where) {
  constexpr int kDeepest = 32;
  constexpr std::size_t kMostValues = 1 << 20;
  int depth = 0;
  std::size_t values = 0, members = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (c == ':') ++members;
    require(depth <= kDeepest, "{}: JSON nested deeper than {} levels", where, kDeepest);
    require(values <= kMostValues, "{}: JSON of more than {} values", where, kMostValues);
  }
  return members;
}

namespace detail {

void fail_json(std::string_view where, const nlohmann::json::exception& error) {
  const auto* const syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error);
  throw DamagedJson(syntax ? fmt::format("{}: not valid JSON from byte {} on", where, syntax->byte)
                           : fmt::format("{}: not valid JSON: it has a number that is out of range", where));
}

void fail_repeated_key(std::string_view text, std::string_view where) {
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> open;  // the keys of the objects that have not ended
  const auto visit = [&](int /*depth*/, Event event, nlohmann::json& parsed) {
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key)
      require(open.back().insert(parsed.get<std::string>()).second, "{}: an object has the key '{}' twice", where,
              excerpt(parsed.get_ref<const std::string&>()));
    return true;
  };
  [[maybe_unused]] const auto parsed = nlohmann::json::parse(text.begin(), text.end(), visit);
  throw DamagedJson(fmt::format("{}: an object has a key twice", where));
}

}  // namespace detail

}  // namespace dragoman

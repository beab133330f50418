#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace dragoman {

// Thrown for text that is not JSON or not within the limits.
class DamagedJson : public Error {
 public:
  using Error::Error;
};

// Throws DamagedJson if the text is nested deeper than 32 levels or has more than a million values. The headers and
// vocabularies that this program writes have 3 levels and up to some 100,000 values. The limits keep the memory of the
// parsed values below about 100 MB plus the text, whatever the text is. Returns how many members the objects of the
// text have.
std::size_t check_json_limits(std::string_view text, std::string_view where);

namespace detail {

template <class Json>
std::size_t count_members(const Json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured())
    for (const Json& part : value) count += count_members(part);
  return count;
}

// Throw DamagedJson; the second one names a key that an object of valid JSON has twice.
[[noreturn]] void fail_json(std::string_view where, const nlohmann::json::exception& error);
[[noreturn]] void fail_repeated_key(std::string_view text, std::string_view where);

}  // namespace detail

// Parses JSON that a stranger may have written; the only way to read JSON. Throws DamagedJson with a message that
// begins with `where`. A key that an object has twice is an error: another reader might use the other value.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, std::string_view where) {
  const std::size_t members = check_json_limits(text, where);
  Json value;
  try {
    value = Json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    detail::fail_json(where, error);
  }
  if (detail::count_members(value) != members) detail::fail_repeated_key(text, where);
  return value;
}

// Empties a value from the inside out when it goes out of scope. The library's destructor of an array or object
// allocates memory for its members and ends the process if there is none; that of an empty one does not. For values
// that may be large, declared after the value.
template <class Json>
class JsonReleaser {
 public:
  explicit JsonReleaser(Json& value) : value_(value) {}
  ~JsonReleaser() { release(value_); }
  JsonReleaser(const JsonReleaser&) = delete;
  JsonReleaser& operator=(const JsonReleaser&) = delete;

 private:
  static void release(Json& value) noexcept {
    if (!value.is_structured()) return;
    for (Json& part : value) release(part);
    value.clear();
  }

  Json& value_;
};

// For text that may be damaged, such as the last line of a log: null instead of an error.
template <class Json = nlohmann::json>
Json parse_json_or_null(std::string_view text) {
  try {
    return parse_json<Json>(text, "");
  } catch (const DamagedJson&) {
    return nullptr;
  }
}

}  // namespace dragoman

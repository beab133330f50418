#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bounded_json.h"

// Reads logs and results, which are JSON files. They may be incomplete or damaged, and a number may be missing: JSON
// has neither infinity nor NaN, so that both are written as null.
namespace dragoman::report {

using Json = nlohmann::ordered_json;

// Nothing if the value is not a number.
std::optional<double> number(const Json& value);
// The number of an object's key; nothing if there is none.
std::optional<double> number(const Json& object, const std::string& key);

// The text of an object's key; empty if there is none.
std::string text(const Json& object, const std::string& key);
// The object or the list of an object's key; an empty one if there is none.
const Json& object_at(const Json& object, const std::string& key);
const Json& list_at(const Json& object, const std::string& key);

// Throws Error: the file is not `what`.
[[noreturn]] void fail_damaged(const std::string& path, const std::string& what);

// Calls `read`, which reads JSON of a file. If the JSON is damaged or of other types than `read` expects, the error
// names the file and says that it is not `what`.
template <class Read>
auto reading(const std::string& path, const std::string& what, Read read) {
  try {
    return read();
  } catch (const Json::exception&) {
    fail_damaged(path, what);
  } catch (const DamagedJson&) {
    fail_damaged(path, what);
  }
}

// The JSON of a file; nothing if there is no file. Throws DamagedJson if it is not JSON.
std::optional<Json> parse_file(const std::string& path);

// What `read` makes of the JSON of a file, which must be `what`; nothing if there is no file.
template <class Read>
auto read_json(const std::string& path, const std::string& what, Read read) {
  using Result = std::optional<decltype(read(std::declval<const Json&>()))>;
  return reading(path, what, [&]() -> Result {
    const std::optional<Json> json = parse_file(path);
    if (!json) return std::nullopt;
    return read(*json);
  });
}

// The objects on the lines of a log. Other lines are skipped: the last one of a run that goes on may be incomplete.
std::vector<Json> read_log(const std::string& path);

}  // namespace dragoman::report

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace YAML {
class Node;
struct Mark;
}  // namespace YAML

namespace dragoman {

// Settings and recipes have a few kilobytes.
inline constexpr std::size_t kLongestYaml = 1 << 20;

// Parses YAML that a stranger may have written; the only way to read YAML. Settings need neither anchors nor aliases,
// and nesting of a few levels. Aliases are refused, since they can refer to themselves and, doubled level by level,
// stand for any number of values; so are nesting deeper than 32 levels and maps that have a key twice. Throws Error
// with `where` and the line.
YAML::Node load_yaml(const std::string& text, const std::string& where);

// The elements of a list. Throws Error if `node` is anything else or an element is not plain text.
std::vector<std::string> plain_values(const YAML::Node& node);

// "config.yaml:12".
std::string yaml_place(const std::string& where, const YAML::Mark& mark);

}  // namespace dragoman

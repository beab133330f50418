#include "base/text_value.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/quote.h"
#include "base/yaml.h"

namespace dragoman {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({substitute, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  constexpr std::size_t kLongestName = 100;  // a longer word is no misspelt name, and comparing it takes time
  if (word.size() > kLongestName) return best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool is_alike = distance < std::max(word.size(), candidate.size());  // otherwise no letter is the same
    if (is_alike && distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

namespace text_value {

std::int64_t parse_integer(const std::string& text) {
  std::int64_t value = 0;
  const char* const first = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, status] = std::from_chars(first, text.data() + text.size(), value);
  check(status == std::errc() && end == text.data() + text.size() && !text.empty(), "expected an integer but got '{}'",
        excerpt(text));
  return value;
}

double parse_number(const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(status == std::errc() && end == text.data() + text.size() && !text.empty(), "expected a number but got '{}'",
        excerpt(text));
  return value;
}

bool parse_bool(const std::string& text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  fail("expected true or false but got '{}'", excerpt(text));
}

std::string quote(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
  }) && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '/' || text[0] == '.');
  static const std::set<std::string> words = {"true", "false", "yes", "no", "on", "off", "null"};
  return plain && !words.contains(text) ? text : out.c_str();
}

std::string show(double value) { return fmt::format("{}", value); }

std::vector<std::string> parse_list(const std::string& text) {
  if (text.empty()) return {};
  if (text.front() != '[') return {text};
  return plain_values(load_yaml(text, "list"));
}

std::string show_list(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + quote(value);
  return text + "]";
}

}  // namespace text_value

}  // namespace dragoman

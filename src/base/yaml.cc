#include "base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman {
namespace {

constexpr std::size_t kDeepest = 32;

// Reads the events of a document, which the parser makes without building anything, and throws on those that are not
// allowed.
class Limits final : public YAML::EventHandler {
 public:
  explicit Limits(const std::string& where) : where_(where) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    leaf(mark, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor, false);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor, true);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  // A list or a map that has not ended. In a map, keys and values alternate.
  struct Open {
    bool is_map = false, is_key = false;           // is_key: the next value is a key
    std::unordered_map<std::string, int> lines{};  // of the keys so far
  };

  // An anchor has a number in every event, and so has the alias that refers to it.
  void check_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    check(anchor == YAML::NullAnchor, "{}: anchors (&name) and aliases (*name) are not allowed; write the value out",
          yaml_place(where_, mark));
  }
  // Returns whether the value that begins is a key.
  bool begin_value() {
    if (open_.empty() || !open_.back().is_map) return false;
    open_.back().is_key = !open_.back().is_key;
    return !open_.back().is_key;
  }
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value) {
    check_anchor(mark, anchor);
    if (!begin_value()) return;
    const auto [known, is_new] = open_.back().lines.emplace(value, mark.line + 1);
    check(is_new, "{}: '{}' is given twice, first in line {}; remove one of them", yaml_place(where_, mark),
          excerpt(value), known->second);
  }
  void enter(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    check_anchor(mark, anchor);
    begin_value();
    check(open_.size() < kDeepest, "{}: nested deeper than {} levels", yaml_place(where_, mark), kDeepest);
    open_.push_back({is_map, is_map});
  }

  const std::string& where_;
  std::vector<Open> open_;
};

}  // namespace

std::string yaml_place(const std::string& where, const YAML::Mark& mark) {
  return mark.is_null() ? where : fmt::format("{}:{}", where, mark.line + 1);
}

YAML::Node load_yaml(const std::string& text, const std::string& where) {
  check(text.size() <= kLongestYaml, "{}: expected YAML of at most {} bytes", where, kLongestYaml);
  try {
    Limits limits(where);
    std::istringstream stream(text);
    YAML::Parser(stream).HandleNextDocument(limits);
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    fail("{}: not valid YAML: {}", yaml_place(where, error.mark), excerpt(error.msg));
  }
}

std::vector<std::string> plain_values(const YAML::Node& node) {
  bool is_plain = node.IsSequence();
  std::vector<std::string> values;
  if (is_plain)
    for (const YAML::Node& element : node) {
      is_plain &= element.IsScalar();
      if (is_plain) values.push_back(element.Scalar());
    }
  check(is_plain, "expected a list of plain values such as [a, b]");
  return values;
}

}  // namespace dragoman

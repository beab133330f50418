#include "base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman {
namespace {

constexpr int kDeepest = 32;

// Reads the events of a document, which the parser makes without building anything, and throws on those that are not
// allowed.
class Limits final : public YAML::EventHandler {
 public:
  explicit Limits(const std::string& where) : where_(where) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string&) override {
    leaf(mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, anchor);
  }
  void OnMapEnd() override { --depth_; }

 private:
  // An anchor has a number in every event, and so has the alias that refers to it.
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    check(anchor == YAML::NullAnchor, "{}: anchors (&name) and aliases (*name) are not allowed; write the value out",
          yaml_place(where_, mark));
  }
  void enter(const YAML::Mark& mark, YAML::anchor_t anchor) {
    leaf(mark, anchor);
    check(++depth_ <= kDeepest, "{}: nested deeper than {} levels", yaml_place(where_, mark), kDeepest);
  }

  const std::string& where_;
  int depth_ = 0;
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

}  // namespace dragoman

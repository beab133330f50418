#include "base/bounded_json.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman {
namespace {

std::string problem_of(const std::string& text) {
  return support::message([&] { parse_json(text); });
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(BoundedJson, ReadsWhatIsWithinItsLimits) {
  EXPECT_EQ(parse_json(R"({"a": [1, "]\"[", {}]})").dump(), R"({"a":[1,"]\"[",{}]})");
  EXPECT_EQ(parse_json(repeated("[", 32) + repeated("]", 32)).size(), 1u);
  EXPECT_EQ(parse_json("\"" + repeated("[", 1000) + repeated(",", 2'000'000) + "\"").size(), 1u) << "inside a text";
  EXPECT_EQ(problem_of("{\"a\": "), "not valid JSON");
}

TEST(BoundedJson, RefusesDeepNestingAndTooManyValuesBeforeParsing) {
  EXPECT_EQ(problem_of(repeated("[", 40'000'000)), "JSON nested deeper than 32 levels");
  EXPECT_EQ(problem_of(repeated("{\"a\":", 33)), "JSON nested deeper than 32 levels");
  EXPECT_EQ(problem_of("[" + repeated("[],", 2'000'000) + "1]"), "JSON of more than 1048576 values");
}

}  // namespace
}  // namespace dragoman

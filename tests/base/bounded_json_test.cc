#include "base/bounded_json.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman {
namespace {

std::string problem_of(const std::string& text) {
  return support::message([&] { parse_json(text, "f.json"); });
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(BoundedJson, ReadsWhatIsWithinItsLimits) {
  EXPECT_EQ(parse_json(R"({"a": [1, "]\"[", {}]})", "f").dump(), R"({"a":[1,"]\"[",{}]})");
  EXPECT_EQ(parse_json(repeated("[", 32) + repeated("]", 32), "f").size(), 1u);
  EXPECT_EQ(parse_json("\"" + repeated("[", 1000) + repeated(",", 2'000'000) + "\"", "f").size(), 1u)
      << "inside a text";
}

TEST(BoundedJson, RefusesDeepNestingAndTooManyValuesBeforeParsing) {
  EXPECT_EQ(problem_of(repeated("[", 40'000'000)), "f.json: JSON nested deeper than 32 levels");
  EXPECT_EQ(problem_of(repeated("{\"a\":", 33)), "f.json: JSON nested deeper than 32 levels");
  EXPECT_EQ(problem_of("[" + repeated("[],", 2'000'000) + "1]"), "f.json: JSON of more than 1048576 values");
}

TEST(BoundedJson, SaysWhatIsWrongInItsOwnWords) {
  EXPECT_EQ(problem_of("{\"a\": "), "f.json: not valid JSON from byte 7 on");
  EXPECT_EQ(problem_of("[1, 1e999]"), "f.json: not valid JSON: it has a number that is out of range");
  EXPECT_EQ(problem_of("\"\xFF\""), "f.json: not valid JSON from byte 2 on");
}

TEST(BoundedJson, RefusesAKeyThatAnObjectHasTwice) {
  EXPECT_EQ(problem_of(R"({"a": 1, "b": {"c": 1, "c": 2}})"), "f.json: an object has the key 'c' twice");
  EXPECT_EQ(problem_of(R"([{"a": 1, "\u0061": 2}])"), "f.json: an object has the key 'a' twice");
  EXPECT_EQ(parse_json(R"({"a": {"a": ":"}, "b": [{"a": 1}, {"a": 1}]})", "f").size(), 2u);
}

}  // namespace
}  // namespace dragoman

#include "recipe/cost.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

TEST(RecipeCost, IsATimeOnAMachine) {
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  const Cost cost = parse_cost("5.5min on an NVIDIA H200");
  EXPECT_EQ(cost.seconds, 330);
  EXPECT_EQ(cost.machine, "an NVIDIA H200");
}

TEST(RecipeCost, RefusesWhatIsNoTime) {
  for (const char* text : {"", "5", "min", "5 min", "-5s", "0s", "1.2.3s", "9999999999999h", "5days"})
    EXPECT_NE(support::message([&] { parse_duration(text); }), "") << text;
  EXPECT_NE(support::message([] { parse_cost("5min"); }).find("expected a time and a machine"), std::string::npos);
  EXPECT_NE(support::message([] { parse_cost("soon on a machine"); }).find("such as 90s"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::recipe

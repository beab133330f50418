#include "base/counted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(Counted, OneThingIsSingular) {
  EXPECT_EQ(fmt::format("{}", counted(1, "line")), "1 line");
  EXPECT_EQ(fmt::format("{}", counted(0, "line")), "0 lines");
  EXPECT_EQ(fmt::format("{}", counted(std::uint64_t{1234567}, "line")), "1,234,567 lines");
}

TEST(Counted, ThePluralMayBeIrregular) {
  EXPECT_EQ(fmt::format("{}", counted(1, "batch", "batches")), "1 batch");
  EXPECT_EQ(fmt::format("{}", counted(2, "batch", "batches")), "2 batches");
}

}  // namespace
}  // namespace dragoman

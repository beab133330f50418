// What the process of a server obeys: signals, and the time to stop.
#include "serve/signals.h"

#include <gtest/gtest.h>

namespace dragoman::serve::test {
namespace {

using std::chrono::milliseconds;

TEST(StopDeadline, EndsAProgramThatDoesNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    const StopDeadline deadline(milliseconds(10));
    for (;;) std::this_thread::sleep_for(milliseconds(100));
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(1), "given up");
}

TEST(StopDeadline, LeavesAloneWhatEndsInTime) {
  const auto begin = std::chrono::steady_clock::now();
  { const StopDeadline deadline(std::chrono::minutes(1)); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace dragoman::serve::test

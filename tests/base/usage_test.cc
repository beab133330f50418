#include "base/usage.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/shell_word.h"

namespace dragoman {
namespace {

// Keeps one core busy for some milliseconds.
double work(int milliseconds) {
  double sum = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end)
    for (int i = 1; i < 1000; ++i) sum += 1.0 / i;
  return sum;
}

TEST(Usage, CountsBusyCoresAndResidentMemory) {
  UsageMeter meter("cpu");
  EXPECT_GT(work(100), 0);
  const Usage busy = meter.take();
  EXPECT_GT(busy.cores, 0) << "how much depends on what else the machine does";
  EXPECT_LT(busy.cores, 1.5) << "one thread";
  const std::vector<char> block(64 << 20, 1);
  EXPECT_GT(meter.take().memory, busy.memory + (32 << 20));
  EXPECT_EQ(busy.gpu, std::nullopt);
  EXPECT_EQ(block.back(), 1);
}

TEST(Usage, OfAGpuThatIsNotThereIsMissing) {
  UsageMeter meter("cuda:63");
  meter.sample();
  const Usage usage = meter.take();
  EXPECT_EQ(usage.gpu, std::nullopt);
  EXPECT_EQ(usage.gpu_memory, std::nullopt);
}

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_word("--output=run/a-1"), "--output=run/a-1");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace dragoman

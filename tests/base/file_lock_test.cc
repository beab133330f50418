#include "base/file_lock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman {
namespace {

TEST(FileLock, IsExclusiveAndReleasedByItsHolder) {
  const support::TempFolder folder;
  {
    const auto first = FileLock::try_lock(folder.file("lock"));
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(FileLock::try_lock(folder.file("lock")).has_value());
  }
  EXPECT_TRUE(folder.names().empty());
  EXPECT_TRUE(FileLock::try_lock(folder.file("lock")).has_value());
}

TEST(FileLock, OthersWaitForTheirTurn) {
  const support::TempFolder folder;
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        const FileLock lock(folder.file("lock"));
        most = std::max<int>(most, ++inside);
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST(FileLock, CreatesNothingWhereALinkLeads) {
  const support::TempFolder folder;
  std::filesystem::create_symlink("elsewhere", folder.file("lock"));
  EXPECT_NE(support::message([&] { FileLock::try_lock(folder.file("lock")); }).find("cannot be written"),
            std::string::npos);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"lock"});
}

TEST(FileLock, NamesThePathItCannotLock) {
  EXPECT_NE(support::message([] { FileLock("/proc/no/such/lock"); }).find("/proc/no/such/lock: cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman

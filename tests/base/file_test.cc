#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/mapped_file_faults.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman {
namespace {

using support::message;
using support::read_all;
using support::TempFolder;

TEST(AtomicFile, AppearsWholeWhenCommittedAndKeepsTheOldContentUntilThen) {
  const TempFolder folder;
  const std::string path = folder.write("a", "old");
  AtomicFile file(path);
  file.write("????new ");
  file.write_at("the ", 0);
  file.write("content");
  EXPECT_EQ(file.size(), 15u);
  EXPECT_EQ(read_all(path), "old");
  file.commit();
  EXPECT_EQ(read_all(path), "the new content");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(SharedOutput, SeveralWritersFillAFileThatHasOnlyItsTemporaryName) {
  const TempFolder folder;
  AtomicFile file(folder.file("a"));
  file.write("?????? ??????");
  SharedOutput first(file.partial()), second(file.partial());
  second.write_at("second", 7);
  first.write_at("first ", 0);
  first.sync();
  second.sync();
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  file.commit();
  EXPECT_EQ(read_all(folder.file("a")), "first  second");
  EXPECT_NE(message([&] { SharedOutput(folder.file("b")); }).find("cannot be opened"), std::string::npos);
}

TEST(AtomicFile, WritesThroughSymbolicLinks) {
  const TempFolder folder;
  folder.write("old", "old");
  std::filesystem::create_symlink("old", folder.file("link"));
  std::filesystem::create_symlink("new", folder.file("dangling"));
  for (const char* name : {"link", "dangling"}) {
    AtomicFile file(folder.file(name));
    file.write(name);
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file(name)));
  }
  EXPECT_EQ(read_all(folder.file("old")), "link");
  EXPECT_EQ(read_all(folder.file("new")), "dangling");
}

TEST(AtomicFile, WritesWhereAnOpenDescriptorStandsInsteadOfReplacingItsFile) {
  const TempFolder folder;
  const std::string path = folder.file("log");
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  const std::string number = std::to_string(descriptor);
  std::filesystem::create_symlink("/dev/fd/" + number, folder.file("link"));
  const auto put = [&](std::string_view text) {
    EXPECT_EQ(write(descriptor, text.data(), text.size()), std::ssize(text));
  };
  put("before ");
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, folder.file("link")}) {
    AtomicFile file(name);
    file.write("written ");
    file.commit();
  }
  put("after");
  close(descriptor);
  EXPECT_EQ(read_all(path), "before written written written after");
}

TEST(AtomicFile, WritesIntoPipesAndDevicesInsteadOfReplacingThem) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = read_all(pipe); });
  {
    AtomicFile file(pipe);
    file.write("through ");
    file.write("the pipe");
    file.commit();
  }
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  AtomicFile full("/dev/full");
  EXPECT_NE(message([&] { full.write("x"); }).find("No space left"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TempFolder folder;
  { AtomicFile(folder.file("a")).write("half"); }
  EXPECT_TRUE(folder.names().empty());
  EXPECT_NE(message([&] { AtomicFile file(folder.file("none/a")); }).find("cannot be written: No such file"),
            std::string::npos);
}

TEST(MappedFile, GivesTheBytesEvenAfterTheFileIsRemoved) {
  const TempFolder folder;
  const std::string path = folder.write("a", "bytes");
  const MappedFile file(path), empty(folder.write("b", ""));
  std::filesystem::remove(path);
  EXPECT_EQ(file.bytes(), "bytes");
  EXPECT_EQ(empty.bytes(), "");
  EXPECT_EQ(message([&] { MappedFile none(path); }), path + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message([&] { MappedFile none(folder.path()); }),
            folder.path() + ": expected a file but this is a folder; name the file inside it");
}

TEST(MappedFile, AFileThatIsTruncatedUnderneathIsASentenceAndAStatus) {
  const TempFolder folder;
  const std::string path = folder.write("a", std::string(100'000, 'x'));
  const auto read_truncated = [&] {
    report_mapped_file_faults();
    const MappedFile file(path);
    std::filesystem::resize_file(path, 10);
    std::exit(std::count(file.bytes().begin(), file.bytes().end(), 'y') == 0 ? 0 : 2);
  };
  EXPECT_EXIT(read_truncated(), testing::ExitedWithCode(1), "error: .*/a: has become shorter while it was read");
}

TEST(MappedFile, NoticesThatTheFileWasWrittenToButNotThatItWasReplaced) {
  const TempFolder folder;
  const std::string path = folder.write("a", "0123456789");
  const MappedFile replaced(path);
  std::filesystem::rename(folder.write("b", "another"), path);
  EXPECT_NO_THROW(replaced.check_unchanged());
  const MappedFile rewritten(path);
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::seconds(9));
  EXPECT_EQ(message([&] { rewritten.check_unchanged(); }),
            path + ": another program has written to it while it was in use");
  const MappedFile shortened(path);
  std::filesystem::resize_file(path, 3);
  EXPECT_NE(message([&] { shortened.check_unchanged(); }), "");
}

TEST(InputFile, ReadsPartsAndNoticesThatTheFileHasBecomeShorter) {
  const TempFolder folder;
  const std::string path = folder.write("a", "0123456789");
  const InputFile file(path);
  EXPECT_EQ(file.size(), 10u);
  char part[4];
  file.read(3, part, 4);
  EXPECT_EQ(std::string(part, 4), "3456");
  std::filesystem::resize_file(path, 5);
  EXPECT_EQ(message([&] { file.read(3, part, 4); }),
            path + ": has become shorter while it was read; another program is writing to it");
  EXPECT_EQ(read_file(path), "01234");
  EXPECT_EQ(read_file(folder.write("b", "")), "");
}

TEST(InputFile, RefusesPipesAndDevicesInsteadOfWaitingForThem) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")})
    EXPECT_EQ(message([&] { InputFile file(path); }),
              path + ": expected a regular file but this is a pipe or a device; copy it to a file first");
}

}  // namespace
}  // namespace dragoman

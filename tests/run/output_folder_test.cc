// A run writes into the folder that it began with, and removes nothing that is not its own.
#include "run/output_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

TEST(OutputFolder, RemovesOnlyFoldersThatItMade) {
  const support::TempFolder folder;
  const std::string path = folder.file("a/b");
  std::optional<NewFolders> made(path);
  fs::rename(folder.file("a/b"), folder.file("moved"));
  folder.write("a/b", "of somebody else");
  made.reset();
  EXPECT_EQ(support::read_all(path), "of somebody else");
  EXPECT_TRUE(fs::exists(folder.file("moved")));
  made.emplace(folder.file("c/d"));
  made.reset();
  EXPECT_FALSE(fs::exists(folder.file("c")));
}

TEST(OutputFolder, IsLeftAloneIfAnotherOneTakesItsPlace) {
  const support::TempFolder folder;
  TrainingOptions options;
  options.train.output = folder.file("run");
  options.overwrite = true;
  {
    const OutputFolder own(options);
    EXPECT_NO_THROW(own.check_place());
    fs::rename(folder.file("run"), folder.file("moved"));
    EXPECT_NE(support::message([&] { own.check_place(); }).find("was moved or replaced"), std::string::npos);
    fs::create_directory(folder.file("other"));
    folder.write("other/lock", "of somebody else");
    folder.write("other/model.safetensors", "of somebody else");
    fs::create_directory_symlink(folder.file("other"), folder.file("run"));
    EXPECT_THROW(own.check_place(), Error);
    EXPECT_THROW(own.begin(), Error);
  }
  EXPECT_EQ(support::read_all(folder.file("other/model.safetensors")), "of somebody else");
  EXPECT_EQ(support::read_all(folder.file("other/lock")), "of somebody else");
}

}  // namespace
}  // namespace dragoman::run

// The reference pages equal the output of `dragoman docs`.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"

namespace dragoman::docs {
namespace {

namespace fs = std::filesystem;

TEST(Reference, IsWhatDragomanDocsWrites) {
  const fs::path stored = fs::path(DRAGOMAN_SOURCE) / "docs" / "reference";
  const support::TempFolder folder;
  ASSERT_EQ(std::system(("'" DRAGOMAN_PROGRAM "' docs --output '" + folder.path() + "' 2>/dev/null").c_str()), 0);
  int pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    ++pages;
    const fs::path name = fs::relative(entry.path(), folder.path());
    ASSERT_TRUE(fs::exists(stored / name)) << "docs/reference/" << name.string() << " is missing: run `dragoman docs`";
    EXPECT_TRUE(support::read_all(entry.path()) == support::read_all(stored / name))
        << "docs/reference/" << name.string() << " is out of date: run `dragoman docs`";
  }
  EXPECT_GT(pages, 10);
  for (const auto& entry : fs::directory_iterator(stored / "commands"))
    EXPECT_TRUE(fs::exists(folder.file("commands/" + entry.path().filename().string())))
        << entry.path() << " describes no command";
}

}  // namespace
}  // namespace dragoman::docs

// The reference pages equal the output of `dragoman docs`, and the page of the library is complete.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

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

// The names of a row: `dragoman_open`, or `_free` after `dragoman_result_count`, which means dragoman_result_free.
std::set<std::string> named_functions(const std::string& page) {
  std::set<std::string> names;
  std::string first;
  const std::regex name("`(dragoman)?(_[a-z_]+)`");
  for (std::sregex_iterator found(page.begin(), page.end(), name), end; found != end; ++found) {
    if ((*found)[1].matched) first = (*found)[1].str() + (*found)[2].str();
    for (std::size_t at = first.find('_'); at != std::string::npos && !(*found)[1].matched;
         at = first.find('_', at + 1))
      names.insert(first.substr(0, at) + (*found)[2].str());
    names.insert(first);
  }
  return names;
}

TEST(Reference, NamesEveryFunctionOfTheCInterface) {
  const fs::path source = DRAGOMAN_SOURCE;
  const std::string header = support::read_all(source / "include/dragoman/dragoman.h");
  const std::set<std::string> named = named_functions(support::read_all(source / "docs/reference/library.md"));
  const std::regex declared("DRAGOMAN_API [^;(]*?(dragoman_[a-z_]+)\\(");
  int functions = 0;
  for (std::sregex_iterator found(header.begin(), header.end(), declared), end; found != end; ++found, ++functions)
    EXPECT_TRUE(named.contains((*found)[1].str())) << "docs/reference/library.md lacks " << (*found)[1].str();
  EXPECT_GT(functions, 80);
}

}  // namespace
}  // namespace dragoman::docs

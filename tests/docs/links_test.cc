// Links and paths in the documents refer to existing files and headings.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "tests/docs/document.h"
#include "tests/support/temp_folder.h"

namespace dragoman::docs {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = DRAGOMAN_SOURCE;

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), none; match != none; ++match)
    all.push_back((*match)[1]);
  return all;
}

TEST(Links, LeadToFilesAndHeadings) {
  int links = 0;
  for (const Document& document : documents()) {
    for (const std::string& link : matches(without_blocks(document.text), std::regex(R"(\]\(([^)\s]+)\))"))) {
      if (link.find("://") != std::string::npos) continue;
      ++links;
      const std::string path = link.substr(0, link.find('#'));
      const fs::path target = path.empty() ? kRoot / document.path : (kRoot / document.path).parent_path() / path;
      EXPECT_TRUE(fs::exists(target)) << document.path << " links to " << link;
      if (link.find('#') == std::string::npos || !fs::exists(target)) continue;
      const std::string anchor = link.substr(link.find('#') + 1);
      const std::vector<std::string> known = anchors(support::read_all(target));
      EXPECT_NE(std::find(known.begin(), known.end(), anchor), known.end())
          << document.path << ": no heading for " << link;
    }
  }
  EXPECT_GT(links, 50);
}

TEST(Links, PathsOfTheSourceExist) {
  // A path ends before a pattern (row_*), a placeholder or the full stop of its sentence.
  const std::regex path(
      R"((?:^|[\s`(])((?:src|tests|bench|configs|examples|include|tools|cmake)/[\w./+-]*[\w/])(?![\w*{<]))");
  int paths = 0;
  for (const Document& document : documents())
    for (const std::string& mentioned : matches(document.text, path)) {
      ++paths;
      EXPECT_TRUE(fs::exists(kRoot / mentioned)) << document.path << " mentions " << mentioned;
    }
  EXPECT_GT(paths, 20);
}

}  // namespace
}  // namespace dragoman::docs

#include "data/line_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "data/byte_source.h"
#include "tests/support/temp_folder.h"

namespace dragoman::data {
namespace {

TEST(LineWriter, WritesAFileThatAppearsAsAWhole) {
  const support::TempFolder folder;
  LineWriter writer(folder.file("out"));
  writer.write("one");
  writer.write_lines("two\nthree\n");
  writer.flush();
  EXPECT_FALSE(std::filesystem::exists(folder.file("out")));
  writer.commit();
  EXPECT_EQ(support::read_all(folder.file("out")), "one\ntwo\nthree\n");
}

TEST(LineWriter, CompressesIfTheNameSaysSoAndFlushesDoNotMatter) {
  const support::TempFolder folder;
  std::string expected;
  for (const char* name : {"a.gz", "b.gz"}) {
    LineWriter writer(folder.file(name));
    expected.clear();
    for (int i = 0; i < 20'000; ++i) {
      writer.write("line " + std::to_string(i));
      expected += "line " + std::to_string(i) + "\n";
      if (name[0] == 'b' && i % 7000 == 0) writer.flush();
    }
    writer.commit();
    EXPECT_LT(std::filesystem::file_size(folder.file(name)), expected.size() / 2);
    EXPECT_EQ(read_whole(folder.file(name)), expected);
  }
  EXPECT_EQ(support::read_all(folder.file("a.gz")), support::read_all(folder.file("b.gz")));
}

TEST(LineWriter, RefusesAnEmptyName) { EXPECT_THROW(LineWriter(""), Error); }

}  // namespace
}  // namespace dragoman::data

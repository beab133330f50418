#include "data/line_reader.h"

#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::TempFolder;

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(LineReader, ConsumesTheBytesOfTheFileCompressedOrNot) {
  const TempFolder folder;
  for (const std::string& path :
       {folder.write("plain", many_lines()), testing::write_gzip(folder.file("packed"), many_lines())}) {
    LineReader lines(open_bytes(path));
    const std::uint64_t size = std::filesystem::file_size(path);
    Line line;
    ASSERT_TRUE(lines.next(line));
    EXPECT_LT(lines.consumed(), size);
    for (std::uint64_t before = 0; lines.next(line); before = lines.consumed()) ASSERT_GE(lines.consumed(), before);
    EXPECT_EQ(lines.consumed(), size) << path;
    EXPECT_EQ(lines.count(), 200'000u);
  }
}

TEST(LineReader, LinesLongerThanItsBufferComeWhole) {
  const std::string text = std::string(3'000'000, 'x') + "\nshort";
  LineReader lines(bytes_of(text, "memory"), 3'000'000);
  Line line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.text.size(), 3'000'000u);
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.text, "short");
  EXPECT_EQ(lines.consumed(), text.size());
  EXPECT_FALSE(lines.next(line));
}

TEST(LineReader, ALineWithoutAnEndIsOversizedAtOnce) {
  LineReader reader(open_bytes("/dev/zero"), 1 << 20);
  Line line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(line.oversized);
  EXPECT_LT(reader.consumed(), 2u << 20);
}

TEST(LineReader, LinesAfterAnOversizedOneComeWhole) {
  const TempFolder folder;
  for (const std::string end : {"\n", "", "\nafter\n", "\nafter", "\n\n"}) {
    const std::string path = folder.write("file", "first\n" + std::string(300'000, 'x') + end);
    LineReader reader(open_bytes(path), 10);
    Line line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line.text, "first");
    ASSERT_TRUE(reader.next(line));
    EXPECT_TRUE(line.oversized && line.text.empty() && line.number == 2);
    const bool has_more = end.size() > 1;
    EXPECT_EQ(reader.next(line), has_more) << end;
    EXPECT_TRUE(!has_more || (!line.oversized && line.number == 3 && line.text == (end == "\n\n" ? "" : "after")))
        << end;
    EXPECT_FALSE(reader.next(line)) << end;
    EXPECT_EQ(reader.count(), has_more ? 3u : 2u);
  }
}

TEST(ByteSource, AWholeFileIsReadCompressedOrNot) {
  const TempFolder folder;
  EXPECT_EQ(read_whole(folder.write("plain", many_lines())), many_lines());
  EXPECT_EQ(read_whole(testing::write_gzip(folder.file("packed"), many_lines())), many_lines());
  EXPECT_EQ(read_whole(folder.write("empty", "")), "");
}

}  // namespace
}  // namespace dragoman::data

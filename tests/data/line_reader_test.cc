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

TEST(ByteSource, AWholeFileIsReadCompressedOrNot) {
  const TempFolder folder;
  EXPECT_EQ(read_whole(folder.write("plain", many_lines())), many_lines());
  EXPECT_EQ(read_whole(testing::write_gzip(folder.file("packed"), many_lines())), many_lines());
  EXPECT_EQ(read_whole(folder.write("empty", "")), "");
}

}  // namespace
}  // namespace dragoman::data

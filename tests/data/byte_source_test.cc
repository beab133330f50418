#include "data/byte_source.h"

#include "data/line_reader.h"
#include "data/text_file.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using testing::TempFolder;

std::string zipped(const TempFolder& folder, const std::string& content) {
  return testing::read_all(testing::write_gzip(folder.file("member"), content));
}

TEST(ByteSource, GzipMembersOneAfterAnotherAreOneText) {
  const TempFolder folder;
  std::string all = zipped(folder, "one\n") + zipped(folder, "") + zipped(folder, "two\n");
  EXPECT_EQ(read_whole(folder.write("a.gz", all)), "one\ntwo\n");
  EXPECT_EQ(read_whole(folder.write("a.gz", all + std::string(200'000, '\0'))), "one\ntwo\n") << "zeros are padding";
  EXPECT_EQ(read_whole(folder.write("b.gz", zipped(folder, ""))), "");
}

TEST(ByteSource, BytesAfterTheEndOfGzipDataAreAnError) {
  const TempFolder folder;
  const std::string one = zipped(folder, "one\n");
  for (const std::string& garbage : {std::string("x"), std::string("garbage"), std::string("\0\0x", 3),
                                     std::string(300'000, '\0') + "x", std::string("\x1f\x8c\x08rest")}) {
    const std::string path = folder.write("a.gz", one + garbage);
    const std::string said = message([&] { read_whole(path); });
    EXPECT_TRUE(said.starts_with(path + ": bytes that are not gzip data follow") ||
                said == path + ": the gzip file is truncated")
        << said;
  }
}

TEST(ByteSource, EveryTruncationOfAGzipFileIsSeen) {
  const TempFolder folder;
  const std::string one = zipped(folder, "one\n"), all = one + zipped(folder, "two\n");
  for (std::size_t size = 0; size < all.size(); ++size) {
    if (size == one.size()) continue;  // a complete file
    const std::string path = folder.write("a.gz", all.substr(0, size));
    const std::string said = message([&] { read_whole(path); });
    EXPECT_EQ(said, path + (size < 2 ? ": expected a gzip file but the header is not that of one"
                                     : ": the gzip file is truncated"))
        << size;
  }
}

TEST(ByteSource, FilesThatExpandAsNoTextDoesAreRefusedBeforeTheyFillTheMemory) {
  const TempFolder folder;
  const std::string path = testing::write_gzip(folder.file("bomb.gz"), std::string(100 << 20, 'x'));
  const auto source = open_bytes(path);
  std::string part(1 << 20, '\0');
  std::uint64_t total = 0;
  const std::string said = message([&] {
    while (const std::size_t got = source->read(part)) total += got;
  });
  EXPECT_EQ(said, path +
                      ": the gzip file expands more than 200 times, as no text does; decompress it first if it is what "
                      "you want");
  EXPECT_LE(total, std::uint64_t{65} << 20);
}

TEST(LineReader, ALineLongerThanTheLimitIsAnErrorThatNamesIt) {
  const std::string most(kMostLineBytes, 'x');
  const std::string text = "short\n" + most + "\n" + most + "x\nmore\n";
  LineReader lines(bytes_of(text, "memory"));
  Line line;
  ASSERT_TRUE(lines.next(line));
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line.text.size(), kMostLineBytes);
  EXPECT_EQ(message([&] { lines.next(line); }),
            "memory:3: expected a sentence but the line is longer than 1048576 bytes; break it into lines");
}

TEST(TextFile, ListsOfLinesHaveALimitAndStreamsNone) {
  const TempFolder folder;
  const std::string path = testing::write_gzip(folder.file("many.gz"), std::string(kMostLines + 1, '\n'));
  EXPECT_EQ(message([&] { read_lines(path); }),
            path + ": expected at most 4194304 lines, because they are kept in memory; split the file");
  std::size_t count = 0;
  for_each_line(path, [&](std::string_view) { ++count; });
  EXPECT_EQ(count, kMostLines + 1);
}

}  // namespace
}  // namespace dragoman::data

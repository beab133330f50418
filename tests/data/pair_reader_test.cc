#include "data/pair_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "data/filters.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using testing::TempFolder;
using Sentences = std::vector<std::pair<std::string, std::string>>;

Sentences read_pairs(const Corpus& corpus, const ReadingOptions& options = {}, ReadingReport* report = nullptr) {
  Sentences pairs;
  const auto reader = PairReader::open(corpus, options);
  for (Pair pair; reader->next(pair);) pairs.emplace_back(pair.source, pair.target);
  if (report) *report = reader->report();
  return pairs;
}

Corpus table(const std::string& path, Format format, const std::string& source = "1", const std::string& target = "2",
             bool header = false) {
  return {.source = path,
          .target = "",
          .format = format,
          .source_column = source,
          .target_column = target,
          .header = header};
}

TEST(PairReader, ReadsTwoFilesLineByLine) {
  TempFolder folder;
  const Corpus corpus{folder.write("a.de", "ein Haus\n\nzwei"), folder.write("a.en", "a house\n\ntwo\n")};
  EXPECT_EQ(read_pairs(corpus), (Sentences{{"ein Haus", "a house"}, {"", ""}, {"zwei", "two"}}));
}

TEST(PairReader, ReadsGzipWhateverTheNameSays) {
  TempFolder folder;
  const Corpus corpus{testing::write_gzip(folder.file("a.de.gz"), "eins\nzwei\n"),
                      testing::write_gzip(folder.file("a.en"), "one\ntwo\n")};
  EXPECT_EQ(read_pairs(corpus), (Sentences{{"eins", "one"}, {"zwei", "two"}}));
}

TEST(PairReader, ReadsSeveralGzipMembersAsOneFile) {
  TempFolder folder;
  testing::write_gzip(folder.file("1.gz"), "eins\n");
  testing::write_gzip(folder.file("2.gz"), "zwei\n");
  const std::string both =
      folder.write("both.gz", testing::read_all(folder.file("1.gz")) + testing::read_all(folder.file("2.gz")));
  EXPECT_EQ(read_pairs({both, both}), (Sentences{{"eins", "eins"}, {"zwei", "zwei"}}));
}

TEST(PairReader, DropsByteOrderMarksAndCarriageReturns) {
  TempFolder folder;
  const Corpus corpus{folder.write("a",
                                   "\xEF\xBB\xBF"
                                   "eins\r\nzwei\r\n"),
                      folder.write("b", "one\ntwo")};
  EXPECT_EQ(read_pairs(corpus), (Sentences{{"eins", "one"}, {"zwei", "two"}}));
}

TEST(PairReader, AFileOfOnlyAByteOrderMarkIsEmpty) {
  TempFolder folder;
  const std::string path = folder.write("a", "\xEF\xBB\xBF");
  EXPECT_TRUE(read_pairs({path, path}).empty());
}

TEST(PairReader, LinesThatCrossTheBufferComeWhole) {
  TempFolder folder;
  std::string text;
  Sentences expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string line = std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 1500), 'x');
    text += line + "\n";
    expected.emplace_back(line, line);
  }
  const std::string path = folder.write("a", text);
  EXPECT_EQ(read_pairs({path, path}), expected);
}

TEST(PairReader, UnequalLineCountsNameBothCountsAndTheFirstLonelyLine) {
  TempFolder folder;
  const std::string longer = folder.write("a", "1\n2\n3\n4\n"), shorter = folder.write("b", "1\n2\n");
  EXPECT_EQ(message([&] {
              read_pairs({longer, shorter});
            }),
            longer + " has 4 lines but " + shorter + " has 2: " + longer + ":3 has no partner");
  EXPECT_EQ(message([&] {
              read_pairs({shorter, longer});
            }),
            shorter + " has 2 lines but " + longer + " has 4: " + longer + ":3 has no partner");
}

TEST(PairReader, InvalidUtf8FailsIsReplacedOrSkipped) {
  TempFolder folder;
  const std::string bad = folder.write("a",
                                       "gut\nschl\xE4"
                                       "cht\ngut\n"),
                    good = folder.write("b", "x\ny\nz\n");
  EXPECT_EQ(
      message([&] {
        read_pairs({bad, good});
      }),
      bad + ":2: byte 5 of the sentence is not valid UTF-8 (0xE4); use --invalid-utf8 replace or skip to continue");
  ReadingReport report;
  EXPECT_EQ(read_pairs({bad, good}, {.invalid_utf8 = InvalidUtf8::replace}, &report), (Sentences{{"gut", "x"},
                                                                                                 {"schl\xEF\xBF\xBD"
                                                                                                  "cht",
                                                                                                  "y"},
                                                                                                 {"gut", "z"}}));
  EXPECT_EQ(report.replaced_utf8, 1u);
  EXPECT_EQ(read_pairs({good, bad}, {.invalid_utf8 = InvalidUtf8::skip}, &report),
            (Sentences{{"x", "gut"}, {"z", "gut"}}));
  EXPECT_EQ(report.skipped_utf8, 1u);
  EXPECT_EQ(report.pairs, 2u);
}

TEST(PairReader, NulBytesAreTreatedAsInvalidText) {
  TempFolder folder;
  const std::string bad = folder.write("a", std::string("a\0b\n", 4)), good = folder.write("b", "x\n");
  EXPECT_EQ(message([&] {
              read_pairs({bad, good});
            }),
            bad + ":1: byte 2 of the sentence is NUL (0x00); use --invalid-utf8 replace or skip to continue");
  EXPECT_EQ(read_pairs({bad, good}, {.invalid_utf8 = InvalidUtf8::replace}), (Sentences{{"a\xEF\xBF\xBD"
                                                                                         "b",
                                                                                         "x"}}));
}

TEST(PairReader, AHundredMegabyteLineIsSkippedAndCounted) {
  TempFolder folder;
  const std::string huge = folder.write("a", "eins\n" + std::string(100'000'000, 'x') + "\ndrei\n");
  const std::string good = folder.write("b", "one\ntwo\nthree\n");
  ReadingReport report;
  EXPECT_EQ(read_pairs({huge, good}, {}, &report), (Sentences{{"eins", "one"}, {"drei", "three"}}));
  EXPECT_EQ(report.skipped_length, 1u);
  const std::string open_quote = folder.write("a.csv", "a,b\n\"" + std::string(2'000'000, 'x') + "\n");
  EXPECT_NE(
      message([&] { read_pairs(table(open_quote, Format::csv)); }).find(":2: the record that begins here is longer"),
      std::string::npos);
}

TEST(PairReader, AMissingFileAndAFolderAreNamed) {
  TempFolder folder;
  EXPECT_EQ(message([&] {
              read_pairs({folder.file("none"), folder.file("none")});
            }),
            folder.file("none") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message([&] {
              read_pairs({folder.path(), folder.path()});
            }),
            folder.path() + ": expected a file but it is a folder");
}

TEST(PairReader, TruncatedAndDamagedGzipFilesAreErrors) {
  TempFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string whole = testing::read_all(testing::write_gzip(folder.file("whole.gz"), text));
  for (const std::size_t keep : {whole.size() / 2, whole.size() - 4, std::size_t{12}}) {
    const std::string cut = folder.write("cut.gz", whole.substr(0, keep));
    EXPECT_EQ(message([&] { read_pairs({cut, cut}); }), cut + ": the gzip file is truncated") << keep;
  }
  std::string broken = whole;
  broken[whole.size() / 2] ^= 0x55;
  const std::string damaged = folder.write("damaged.gz", broken);
  EXPECT_NE(message([&] {
              read_pairs({damaged, damaged});
            }).find(damaged + ": the gzip file is damaged"),
            std::string::npos);
  const std::string plain = folder.write("plain.gz", "not compressed\n");
  EXPECT_EQ(message([&] {
              read_pairs({plain, plain});
            }),
            plain + ": expected a gzip file but the header is not that of one");
}

TEST(PairReader, ReadsColumnsOfTsvByNumber) {
  TempFolder folder;
  const std::string path = folder.write("a.tsv", "7\tein \"Haus\"\ta house\n8\tzwei\ttwo\n");
  EXPECT_EQ(read_pairs(table(path, Format::tsv, "2", "3")), (Sentences{{"ein \"Haus\"", "a house"}, {"zwei", "two"}}));
}

TEST(PairReader, ABlankLineOfTsvIsAnEmptyPairWhateverTheColumns) {
  TempFolder folder;
  const std::string path = folder.write("a.tsv", "\nid\tde\ten\n1\teins\tone\n\r\n  \n2\tzwei\ttwo\n\n");
  const Sentences expected = {{"", ""}, {"eins", "one"}, {"", ""}, {"", ""}, {"zwei", "two"}, {"", ""}};
  EXPECT_EQ(read_pairs(table(path, Format::tsv, "de", "en", true)), expected);
  FilterOptions options;
  options.drop_empty = true;
  Filters filters(options);
  const auto reader = PairReader::open(table(path, Format::tsv, "2", "3", true), {});
  for (Pair pair; reader->next(pair);) filters.keeps(pair);
  EXPECT_EQ(filters.dropped(), (Counts{{"empty", 4}}));
  EXPECT_EQ(filters.kept(), 2u);
}

TEST(PairReader, ALabelledCorpusIsATableWhoseTargetIsTheLabel) {
  TempFolder folder;
  const std::string path = folder.write("reviews.tsv", "good\tI liked it\nbad\tI did not\n");
  EXPECT_EQ(read_pairs(table(path, Format::tsv, "2", "1")), (Sentences{{"I liked it", "good"}, {"I did not", "bad"}}));
}

TEST(PairReader, ReadsColumnsByTheirNamesInTheHeader) {
  TempFolder folder;
  const std::string path = folder.write("a.csv", "id,de,en\n1,eins,one\n2,zwei,two\n");
  EXPECT_EQ(read_pairs(table(path, Format::csv, "en", "de", true)), (Sentences{{"one", "eins"}, {"two", "zwei"}}));
  EXPECT_EQ(message([&] { read_pairs(table(path, Format::csv, "en", "fr", true)); }),
            path + ":1: expected a column 'fr' but the header has id, de, en");
  EXPECT_EQ(message([&] { read_pairs(table(path, Format::csv, "en", "de")); }),
            path + ": expected the number of a column, from 1, but got 'en'; a name needs --header");
  EXPECT_EQ(message([&] { read_pairs(table(path, Format::csv, "1", "0")); }),
            path + ": expected the number of a column, from 1, but got '0'; a name needs --header");
}

TEST(PairReader, AWrongNumberOfColumnsNamesTheLine) {
  TempFolder folder;
  const std::string narrow = folder.write("a.csv", "a,b\n\"c\nd\"\n"), wide = folder.write("b.tsv", "a\tb\nc\td\te\n");
  EXPECT_EQ(message([&] { read_pairs(table(narrow, Format::csv)); }),
            narrow + ":2: expected at least 2 columns separated by commas but got 1");
  EXPECT_EQ(message([&] { read_pairs(table(wide, Format::tsv)); }),
            wide + ":2: expected 2 columns as on the first line but got 3");
}

TEST(PairReader, LineEndsInsideCsvFieldsBecomeSpaces) {
  TempFolder folder;
  const std::string path = folder.write("a.csv", "\"two\r\nlines\",\"one\nmore\"\r\n");
  EXPECT_EQ(read_pairs(table(path, Format::csv)), (Sentences{{"two  lines", "one more"}}));
}

TEST(PairReader, ReadsStandardInput) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int before = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  std::thread writer([&] {
    const std::string text = "eins\tone\nzwei\ttwo\n";
    for (const char c : text) EXPECT_EQ(write(ends[1], &c, 1), 1);  // one byte at a time
    close(ends[1]);
  });
  const Sentences pairs = read_pairs(table("-", Format::tsv));
  writer.join();
  dup2(before, STDIN_FILENO);
  close(before);
  close(ends[0]);
  EXPECT_EQ(pairs, (Sentences{{"eins", "one"}, {"zwei", "two"}}));
}

TEST(CorpusOptions, DescribesSeveralCorporaWithWeights) {
  CorpusOptions options;
  Settings(options).read_yaml("source: [a.de, b.de]\ntarget: [a.en, b.en]\nweight: [1, 0.5]\n", "test");
  const std::vector<Corpus> corpora = options.corpora();
  ASSERT_EQ(corpora.size(), 2u);
  EXPECT_EQ(corpora[1].target, "b.en");
  EXPECT_EQ(corpora[1].weight, 0.5);
  EXPECT_EQ(corpora[1].format, Format::lines);
}

TEST(CorpusOptions, EveryCorpusSaysItsLanguages) {
  CorpusOptions options;
  options.source = {"a.en", "b.de"};
  options.target = {"a.de", "b.en"};
  EXPECT_FALSE(options.corpora()[0].languages.has_value());
  options.languages = {"en-de", "de-en"};
  EXPECT_EQ(options.corpora()[1].languages->target, "en");
  options.languages = {"en-de"};
  EXPECT_EQ(message([&] { options.corpora(); }), "2 source files but 1 language pair; give one for each source file");
  options.languages = {"en-de", "german"};
  EXPECT_NE(message([&] { options.corpora(); }).find("but got 'german'"), std::string::npos);
}

TEST(CorpusOptions, GuessesTheFormatAndRefusesWhatCannotBe) {
  const auto format_of = [](std::vector<std::string> source, std::vector<std::string> target = {}) {
    return CorpusOptions{.source = std::move(source), .target = std::move(target), .weight = {}}.corpora()[0].format;
  };
  EXPECT_EQ(format_of({"a.csv.gz"}), Format::csv);
  EXPECT_EQ(format_of({"a.tsv"}), Format::tsv);
  EXPECT_EQ(format_of({"-"}), Format::tsv);
  EXPECT_EQ(format_of({"a.csv"}, {"b.csv"}), Format::lines);
  EXPECT_NE(message([&] { format_of({"a.de"}); }).find("a.de: expected a target file"), std::string::npos);
  EXPECT_EQ(message([&] {
              format_of({"a", "b"}, {"c"});
            }),
            "2 source files but 1 target file; give one for each source file");
  EXPECT_NE(message([&] { format_of({"-"}, {"-"}); }).find("standard input"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::data

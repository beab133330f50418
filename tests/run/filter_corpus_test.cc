#include "run/filter_corpus.h"

#include <gtest/gtest.h>

#include "data/text_file.h"
#include "tests/support/errors.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

using Lines = std::vector<std::string>;

class FilterCorpus : public ::testing::Test {
 protected:
  FilterCorpus() {
    options_.output_source = folder_.file("out.de");
    options_.output_target = folder_.file("out.en");
    options_.corpus.source = {folder_.write("in.de", "eins\nzwei drei\n\nvier fünf sechs\nzwei drei\n")};
    options_.corpus.target = {folder_.write("in.en", "one\ntwo three\nnothing\nfour five six\ntwo three\n")};
  }
  // Pairs "s0 t0", "s1 t1", ...
  void use_numbered(int count) {
    std::string source, target;
    for (int i = 0; i < count; ++i) {
      source += "s" + std::to_string(i) + "\n";
      target += "t" + std::to_string(i) + "\n";
    }
    options_.corpus.source = {folder_.write("in.de", source)};
    options_.corpus.target = {folder_.write("in.en", target)};
  }
  Lines written_source() const { return data::read_lines(options_.output_source); }
  Lines written_target() const { return data::read_lines(options_.output_target); }

  support::TempFolder folder_;
  FilterCorpusOptions options_;
};

TEST_F(FilterCorpus, WritesThePairsThatTheFiltersKeepAndCountsTheRest) {
  options_.filters = {.drop_empty = true, .drop_duplicates = true, .max_words = 2};
  const data::Counts expected = {
      {"read", 5}, {"dropped: empty", 1}, {"dropped: too long", 1}, {"dropped: duplicate", 1}, {"kept", 2}};
  EXPECT_EQ(filter_corpus(options_), expected);
  EXPECT_EQ(written_source(), (Lines{"eins", "zwei drei"}));
  EXPECT_EQ(written_target(), (Lines{"one", "two three"}));
}

TEST_F(FilterCorpus, WithoutFiltersTheFilesAreCopied) {
  filter_corpus(options_);
  EXPECT_EQ(support::read_all(options_.output_source), support::read_all(options_.corpus.source[0]));
  EXPECT_EQ(support::read_all(options_.output_target), support::read_all(options_.corpus.target[0]));
}

TEST_F(FilterCorpus, FilesNamedGzAreCompressedAlwaysToTheSameBytes) {
  use_numbered(30'000);  // more than one buffer
  options_.output_source = folder_.file("a.gz");
  filter_corpus(options_);
  const std::string first = support::read_all(options_.output_source);
  EXPECT_TRUE(first.starts_with("\x1f\x8b"));
  EXPECT_LT(first.size(), support::read_all(options_.corpus.source[0]).size() / 2);
  EXPECT_EQ(written_source(), data::read_lines(options_.corpus.source[0]));
  filter_corpus(options_);
  EXPECT_EQ(support::read_all(options_.output_source), first);
}

TEST_F(FilterCorpus, SeveralCorporaBecomeOne) {
  options_.corpus.source.push_back(support::write_gzip(folder_.file("more.de.gz"), "eins\nsieben\n"));
  options_.corpus.target.push_back(folder_.write("more.en", "one\nseven\n"));
  options_.filters.drop_duplicates = true;
  const data::Counts expected = {{"read", 7}, {"dropped: duplicate", 2}, {"kept", 5}};
  EXPECT_EQ(filter_corpus(options_), expected);
  EXPECT_EQ(written_source().back(), "sieben");
}

TEST_F(FilterCorpus, TablesAreReadByColumn) {
  options_.corpus.source = {folder_.write("in.csv", "id,en,de\n1,\"one, two\",\"eins, zwei\"\n")};
  options_.corpus.target.clear();
  options_.corpus.header = true;
  options_.corpus.source_column = "de";
  options_.corpus.target_column = "en";
  filter_corpus(options_);
  EXPECT_EQ(written_source(), Lines{"eins, zwei"});
  EXPECT_EQ(written_target(), Lines{"one, two"});
}

TEST_F(FilterCorpus, SkipAndHeadTakeConsecutivePairsOfThoseKept) {
  options_.filters.drop_empty = true;
  options_.skip = 1;
  options_.head = 2;
  // The last pair need not be read.
  const data::Counts expected = {{"read", 4}, {"dropped: empty", 1}, {"kept", 3}, {"written", 2}};
  EXPECT_EQ(filter_corpus(options_), expected);
  EXPECT_EQ(written_source(), (Lines{"zwei drei", "vier fünf sechs"}));
}

TEST_F(FilterCorpus, ASampleKeepsTheOrderAndDependsOnTheSeedAlone) {
  use_numbered(1000);
  options_.sample = 100;
  EXPECT_EQ(filter_corpus(options_), (data::Counts{{"read", 1000}, {"kept", 1000}, {"written", 100}}));
  const Lines first = written_source();
  std::vector<int> numbers;
  for (const std::string& line : first) numbers.push_back(std::stoi(line.substr(1)));
  EXPECT_EQ(numbers.size(), 100u);
  EXPECT_EQ(std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()), numbers.end());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(written_target()[i].substr(1), first[i].substr(1));
  filter_corpus(options_);
  EXPECT_EQ(written_source(), first);
  options_.seed = 2;
  filter_corpus(options_);
  EXPECT_NE(written_source(), first);
}

TEST_F(FilterCorpus, EveryPairIsEquallyLikelyToBeSampled) {
  use_numbered(10'000);
  options_.sample = 5000;
  filter_corpus(options_);
  std::vector<int> times(10);  // by tenths of the corpus
  for (const std::string& line : written_source()) ++times[static_cast<std::size_t>(std::stoi(line.substr(1)) / 1000)];
  // 500 expected, with a standard deviation of 15.
  for (const int count : times) EXPECT_NEAR(count, 500, 75);
}

TEST_F(FilterCorpus, WordsAreCountedByTheRulesOfALanguage) {
  options_.corpus.source = {folder_.write("in.de", "Ja, das stimmt.\nJa!\n")};
  options_.corpus.target = {folder_.write("in.en", "Yes, it's right.\nYes!\n")};
  options_.filters.max_words = 3;
  EXPECT_EQ(filter_corpus(options_).back().second, 2u);
  options_.source_language = text::Language::german;
  options_.target_language = text::Language::english;
  EXPECT_EQ(filter_corpus(options_).back().second, 1u);
  EXPECT_EQ(written_source(), Lines{"Ja!"});
}

TEST_F(FilterCorpus, MayReplaceItsInput) {
  options_.output_source = options_.corpus.source[0];
  options_.output_target = options_.corpus.target[0];
  options_.head = 2;
  filter_corpus(options_);
  EXPECT_EQ(written_target(), (Lines{"one", "two three"}));
}

TEST_F(FilterCorpus, AFailureLeavesNoFile) {
  folder_.write("in.en", "one\n");
  EXPECT_NE(support::message([&] { filter_corpus(options_); }).find("has no partner"), std::string::npos);
  EXPECT_EQ(folder_.names(), (Lines{"in.de", "in.en"}));
}

TEST_F(FilterCorpus, OutputsAreChecked) {
  FilterCorpusOptions same = options_, missing = options_;
  same.output_target = folder_.path() + "/./out.de";
  EXPECT_NE(support::message([&] { filter_corpus(same); }).find("are the same file"), std::string::npos);
  missing.output_target.clear();
  EXPECT_NE(support::message([&] { filter_corpus(missing); }).find("--output-target"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::run

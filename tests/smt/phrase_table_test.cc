#include "smt/phrase_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "base/byte_stream.h"
#include "base/random.h"
#include "smt/phrase_count.h"
#include "tests/support/errors.h"

namespace dragoman::smt {
namespace {

using Pair = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

std::set<Pair> extracted(std::uint32_t source, std::uint32_t target, const align::Links& links, int length) {
  std::set<Pair> pairs;
  extract_phrases(source, target, links, length, [&](const PhrasePair& p) {
    EXPECT_TRUE(pairs.emplace(p.source_begin, p.source_end, p.target_begin, p.target_end).second) << "extracted twice";
  });
  return pairs;
}

TEST(PhraseExtraction, GivesExactlyTheConsistentPairs) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const auto source = static_cast<std::uint32_t>(1 + random.below(7));
    const auto target = static_cast<std::uint32_t>(1 + random.below(7));
    const int length = static_cast<int>(1 + random.below(7));
    align::Links links;
    for (int i = 0; i < int(source); ++i)
      for (int j = 0; j < int(target); ++j)
        if (random.below(5) == 0) links.push_back({i, j});
    std::set<Pair> expected;
    for (std::uint32_t i1 = 0; i1 < source; ++i1)
      for (std::uint32_t i2 = i1 + 1; i2 <= source; ++i2)
        for (std::uint32_t j1 = 0; j1 < target; ++j1)
          for (std::uint32_t j2 = j1 + 1; j2 <= target; ++j2) {
            if (int(i2 - i1) > length || int(j2 - j1) > length) continue;
            bool has_link = false, consistent = true;
            for (const align::Link& link : links) {
              const bool in_source = link.source >= int(i1) && link.source < int(i2);
              const bool in_target = link.target >= int(j1) && link.target < int(j2);
              has_link = has_link || (in_source && in_target);
              consistent = consistent && in_source == in_target;
            }
            if (has_link && consistent) expected.emplace(i1, i2, j1, j2);
          }
    EXPECT_EQ(extracted(source, target, links, length), expected) << align::to_pharaoh(links);
  }
}

TEST(PhraseExtraction, OrientationsFollowTheNeighbours) {
  // Words 1 and 2 are swapped.
  extract_phrases(4, 4, {{0, 0}, {1, 2}, {2, 1}, {3, 3}}, 1, [](const PhrasePair& pair) {
    const Orientation previous[] = {Orientation::monotone, Orientation::swap, Orientation::apart, Orientation::apart};
    const Orientation next[] = {Orientation::apart, Orientation::apart, Orientation::swap, Orientation::monotone};
    EXPECT_EQ(pair.previous, previous[pair.source_begin]) << pair.source_begin;
    EXPECT_EQ(pair.next, next[pair.source_begin]) << pair.source_begin;
  });
}

// "das haus" / "the house" three times, "das buch" / "the book" once, "haus" / "home" once.
PhraseCorpus small_corpus() {
  PhraseCorpus corpus;
  const auto add = [&](std::vector<std::uint32_t> source, std::vector<std::uint32_t> target) {
    corpus.source.add(source);
    corpus.target.add(target);
    align::Links links;
    for (int i = 0; i < int(source.size()); ++i) links.push_back({i, i});
    corpus.links.push_back(links);
  };
  for (int i = 0; i < 3; ++i) add({4, 5}, {4, 5});
  add({4, 6}, {4, 6});
  add({5}, {7});
  return corpus;
}

TEST(PhraseTable, HoldsRelativeFrequenciesAndLexicalWeightsInBothDirections) {
  const PhraseCorpus corpus = small_corpus();
  const LinkLexicon lexicon(corpus, 7, 8);
  const PhraseTable table = count_phrases(corpus, lexicon, {});
  std::vector<PhraseEntry> entries;
  table.find(phrase_hash(std::vector<std::uint32_t>{5}), entries);
  ASSERT_EQ(entries.size(), 2u);
  constexpr double kStep = 1.0 / 24 + 1e-6;
  EXPECT_EQ(entries[0].words, std::vector<std::uint32_t>{5});
  EXPECT_NEAR(entries[0].translation[0], 0, kStep);               // p(haus | house)
  EXPECT_NEAR(entries[0].translation[2], std::log(0.75), kStep);  // p(house | haus)
  EXPECT_NEAR(entries[0].translation[3], std::log(0.75), kStep);  // one link each
  EXPECT_NEAR(entries[1].translation[2], std::log(0.25), kStep);
  EXPECT_EQ(entries[0].alignment, 1u);
  entries.clear();
  table.find(phrase_hash(std::vector<std::uint32_t>{4, 5}), entries);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].words, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(entries[0].alignment, 0x21u);
  EXPECT_NEAR(entries[0].translation[2], 0, kStep);
  EXPECT_NEAR(entries[0].translation[3], std::log(0.75), kStep);
  // Sentence boundaries count as monotone.
  EXPECT_GT(entries[0].reordering[0], entries[0].reordering[1]);
  EXPECT_GT(entries[0].reordering[3], entries[0].reordering[5]);
}

TEST(PhraseTable, IsTheSameWhenPairsAreSortedOnDisk) {
  Random random(6);
  PhraseCorpus corpus;
  for (int s = 0; s < 1500; ++s) {
    std::vector<std::uint32_t> source(1 + random.below(12)), target(source.size());
    align::Links links;
    for (std::size_t i = 0; i < source.size(); ++i) {
      source[i] = 4 + static_cast<std::uint32_t>(random.below(20));
      target[i] = 4 + static_cast<std::uint32_t>(random.below(20));
      if (random.below(8) != 0) links.push_back({int(i), int(random.below(target.size()))});
    }
    corpus.source.add(source);
    corpus.target.add(target);
    corpus.links.push_back(links);
  }
  const LinkLexicon lexicon(corpus, 24, 24);
  PhraseTableConfig config;
  const std::string large = count_phrases(corpus, lexicon, config).serialize();
  config.memory = 1;
  EXPECT_EQ(count_phrases(corpus, lexicon, config).serialize(), large);
}

TEST(PhraseTable, RefusesWordsThatTheVocabularyDoesNotHave) {
  PhraseTable table;
  table.add(phrase_hash(std::vector<std::uint32_t>{5}), {{.words = {6, 300}, .alignment = 1}});
  EXPECT_EQ(PhraseTable::deserialize(table.serialize(), 301).pairs(), 1u);
  EXPECT_EQ(support::message([&] { PhraseTable::deserialize(table.serialize(), 300); }),
            "phrase table: damaged: word 300, but the vocabulary has 300");
}

TEST(PhraseTable, RefusesPhrasesThatShareTheirTranslationsOrHaveNone) {
  const auto bytes = [](const std::vector<std::uint32_t>& offsets, const std::vector<std::uint8_t>& entries) {
    ByteWriter writer;
    writer.put(std::uint32_t{1});
    writer.put(std::uint64_t{1});
    writer.put_array(std::vector<std::uint64_t>{7, 8});
    writer.put_array(offsets);
    writer.put_array(entries);
    return writer.take();
  };
  std::vector<std::uint8_t> entry = {1, 1, 5};
  entry.resize(entry.size() + 11);
  EXPECT_EQ(support::message([&] {
              PhraseTable::deserialize(bytes({0, 0}, entry), 8);
            }),
            "phrase table: damaged: a phrase at byte 0 instead of 14");
  entry[0] = 0;
  EXPECT_EQ(support::message([&] {
              PhraseTable::deserialize(bytes({0, 1}, entry), 8);
            }),
            "phrase table: damaged: a phrase with 0 translations");
}

TEST(PhraseTable, SurvivesItsBytesAndRefusesDamagedOnes) {
  const PhraseCorpus corpus = small_corpus();
  const PhraseTable table = count_phrases(corpus, LinkLexicon(corpus, 7, 8), {});
  const std::string bytes = table.serialize();
  const PhraseTable copy = PhraseTable::deserialize(bytes, 8);
  EXPECT_EQ(copy.serialize(), bytes);
  EXPECT_EQ(copy.pairs(), table.pairs());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(PhraseTable::deserialize(bytes.substr(0, size), 8), Error) << size;
  EXPECT_NE(support::message([&] { PhraseTable::deserialize(bytes + "x", 8); }).find("phrase table: damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::smt

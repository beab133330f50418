#include "align/lexicon.h"

#include <gtest/gtest.h>

#include "align/direct.h"
#include "base/random.h"
#include "data/utf8.h"
#include "tests/support/errors.h"
#include "tests/support/repair.h"
#include "tests/support/temp_folder.h"

namespace dragoman::align {
namespace {

using support::message;
using Words = std::vector<std::string>;

Lexicon small(std::size_t best = 10) {
  LexiconBuilder builder;
  const Words source = {"das", "Haus"}, target = {"the", "house", "that"};
  builder.add(source, target, {{0, 0}, {1, 1}});
  builder.add(source, target, {{0, 0}, {0, 2}, {1, 1}});
  builder.add(source, target, {{0, 0}});
  return builder.finish(best);
}

TEST(Lexicon, HoldsRelativeFrequenciesOfLinksLikeliestFirst) {
  const Lexicon lexicon = small();
  const auto das = lexicon.translations("das");
  ASSERT_EQ(das.size(), 2u);
  EXPECT_EQ(lexicon.targets()[das[0].target], "the");
  EXPECT_FLOAT_EQ(das[0].probability, 0.75f);
  EXPECT_EQ(lexicon.targets()[das[1].target], "that");
  EXPECT_FLOAT_EQ(das[1].probability, 0.25f);
  EXPECT_TRUE(lexicon.translations("Hund").empty());
}

TEST(Lexicon, KeepsTheBestOnly) {
  const Lexicon lexicon = small(1);
  ASSERT_EQ(lexicon.translations("das").size(), 1u);
  EXPECT_FLOAT_EQ(lexicon.translations("das")[0].probability, 0.75f);
}

TEST(Lexicon, IsTheSameAfterEitherFile) {
  const support::TempFolder folder;
  const Lexicon lexicon = small();
  lexicon.save_binary(folder.file("binary"));
  lexicon.save_text(folder.file("text"));
  EXPECT_EQ(support::read_all(folder.file("text")), "das\tthe\t0.75\ndas\tthat\t0.25\nHaus\thouse\t1\n");
  for (const char* name : {"binary", "text"}) {
    const Lexicon loaded = Lexicon::load(folder.file(name));
    EXPECT_EQ(loaded.size(), lexicon.size());
    for (const char* word : {"das", "Haus"}) {
      const auto before = lexicon.translations(word), after = loaded.translations(word);
      ASSERT_EQ(before.size(), after.size());
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(lexicon.targets()[before[i].target], loaded.targets()[after[i].target]);
        EXPECT_EQ(before[i].probability, after[i].probability);
      }
    }
  }
}

TEST(Lexicon, LinesOfATextMayComeInAnyOrder) {
  const support::TempFolder folder;
  const Lexicon lexicon = Lexicon::load(folder.write("text", "das\tthat\t0.25\nHaus\thouse\t1\ndas\tthe\t0.75\n"));
  ASSERT_EQ(lexicon.translations("das").size(), 2u);
  EXPECT_EQ(lexicon.targets()[lexicon.translations("das")[0].target], "the");
}

TEST(Lexicon, RefusesDamagedFiles) {
  const support::TempFolder folder;
  small().save_binary(folder.file("binary"));
  const std::string bytes = support::read_all(folder.file("binary"));
  const auto said = [&](const std::string& content) {
    return message([&] { Lexicon::load(folder.write("bad", content)); });
  };
  EXPECT_NE(said(bytes.substr(0, bytes.size() - 3)).find("bad: the file is damaged"), std::string::npos);
  EXPECT_NE(said("das\tthe\t0.75\ndas the\n").find("bad:2: expected source word"), std::string::npos);
  EXPECT_NE(said("das\tthe\t7\n").find("bad:1: expected"), std::string::npos);
  EXPECT_NE(said("das\tthe\tx\n").find("bad:1: expected"), std::string::npos);
  EXPECT_NE(said("\tthe\t0.5\n").find("bad:1: expected"), std::string::npos);
  EXPECT_NE(said("das\t\t0.5\n").find("bad:1: expected"), std::string::npos);
  EXPECT_NE(said("gr\xfcn\tgreen\t0.5\n").find("bad:1: expected source word"), std::string::npos);
  EXPECT_NE(said(std::string("das\tth\0e\t0.5\n", 12)).find("bad:1: expected source word"), std::string::npos);
  EXPECT_NE(said("").find("the lexicon is empty"), std::string::npos);
}

// The checksum of a damaged file may still be right.
TEST(Lexicon, DamageUnderARightChecksumIsRefusedOrHarmless) {
  const support::TempFolder folder;
  small().save_binary(folder.file("binary"));
  const std::string bytes = support::read_all(folder.file("binary"));
  Random random(4);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string changed = bytes;
    for (int change = 0; change < 1 + round % 3; ++change)
      changed[19 + random.below(changed.size() - 19)] = static_cast<char>(random.below(256));
    support::repair_checked_file(changed);
    try {
      const Lexicon lexicon = Lexicon::load(folder.write(std::to_string(round), changed));
      for (const std::string& word : lexicon.sources())
        for (float last = 1; const Lexicon::Entry& entry : lexicon.translations(word)) {
          EXPECT_TRUE(entry.probability > 0 && entry.probability <= last);
          last = entry.probability;
          const std::string& target = lexicon.targets().at(static_cast<std::size_t>(entry.target));
          EXPECT_EQ(target.find('\n'), std::string::npos);
          EXPECT_EQ(data::find_invalid_utf8(target), std::string::npos);
        }
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(Direct, TranslatesWordForWordAndCopiesWhatItDoesNotKnow) {
  const Lexicon lexicon = small();
  const Words words = {"Das", "Haus", "Müller", ","};
  EXPECT_EQ(translate_directly(lexicon, words), (Words{"the", "house", "Müller", ","}));
  EXPECT_TRUE(translate_directly(lexicon, {}).empty());
}

}  // namespace
}  // namespace dragoman::align

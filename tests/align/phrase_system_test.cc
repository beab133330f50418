#include "align/phrase_system.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::align {
namespace {

// Sentences of a little language pair: subject, verb and object, the verb last in the source and second in the target;
// adjectives stand before nouns in the source and after them in the target.
struct LittleLanguage {
  std::vector<std::string> source, target;

  LittleLanguage(std::uint64_t seed, int sentences) {
    const char* nouns[][2] = {{"kato", "cat"}, {"hundo", "dog"}, {"birdo", "bird"}, {"viro", "man"}, {"domo", "house"}};
    const char* verbs[][2] = {{"vidas", "sees"}, {"amas", "loves"}, {"havas", "has"}};
    const char* adjectives[][2] = {{"granda", "big"}, {"nova", "new"}, {"bela", "nice"}};
    Random random(seed);
    const auto phrase = [&](std::string& from, std::string& to) {
      const auto& noun = nouns[random.below(5)];
      from = std::string("la ") + noun[0];
      to = std::string("the ") + noun[1];
      if (random.below(2) == 0) return;
      const auto& adjective = adjectives[random.below(3)];
      from = std::string("la ") + adjective[0] + " " + noun[0];
      to += std::string(" ") + adjective[1];
    };
    for (int i = 0; i < sentences; ++i) {
      std::string subject[2], object[2];
      phrase(subject[0], subject[1]);
      phrase(object[0], object[1]);
      const auto& verb = verbs[random.below(3)];
      source.push_back(subject[0] + " " + object[0] + " " + verb[0] + " .");
      target.push_back(subject[1] + " " + verb[1] + " " + object[1] + " .");
    }
  }
};

std::string file_of(const support::TempFolder& folder, const std::string& name, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return folder.write(name, text);
}

PhraseSystemConfig small_config() {
  PhraseSystemConfig config;
  config.source.language = config.target.language = text::Language::tokenized;
  config.source.truecase = config.target.truecase = false;
  config.ngrams.order = 3;
  config.tuning.iterations = 3;
  config.tuning.nbest = 30;
  config.tuning.mert.restarts = 2;
  return config;
}

class PhraseSystemTest : public testing::Test {
 protected:
  PhraseSystem train(const PhraseSystemConfig& config) const {
    const LittleLanguage learned(1, 400), tuned(2, 30);
    return PhraseSystem::train(config, {.corpora = {{.source = file_of(folder_, "s", learned.source),
                                                     .target = file_of(folder_, "t", learned.target)}},
                                        .development = {{.source = file_of(folder_, "ds", tuned.source),
                                                         .target = file_of(folder_, "dt", tuned.target)}}});
  }
  static int right(const PhraseSystem& system) {
    const LittleLanguage unseen(3, 60);
    int count = 0;
    for (std::size_t i = 0; i < unseen.source.size(); ++i)
      count += system.translate(unseen.source[i])[0].text == unseen.target[i];
    return count;
  }

  support::TempFolder folder_;
};

TEST_F(PhraseSystemTest, LearnsALanguageThatPutsItsVerbLast) { EXPECT_GE(right(train(small_config())), 57); }

TEST_F(PhraseSystemTest, WithoutReorderingItIsWorseAndWordForWordWorst) {
  PhraseSystemConfig monotone = small_config();
  monotone.decoder.distortion_limit = 0;
  monotone.phrases.length = 3;
  PhraseSystemConfig words = monotone;
  words.phrases.length = 1;
  words.language_model = false;
  const PhraseSystem by_words = train(words);
  EXPECT_LT(right(by_words), 10);
  EXPECT_EQ(by_words.language_model(), nullptr);
  EXPECT_TRUE(by_words.translate("la kato la domo vidas .")[0].text.starts_with("the cat the house sees"));
  EXPECT_LT(right(train(monotone)), 57);
}

TEST_F(PhraseSystemTest, ItsPartsAsBytesMakeTheSameSystem) {
  const PhraseSystem system = train(small_config());
  const PhraseSystem::Sections sections = system.sections();
  std::map<std::string, std::string_view> views(sections.begin(), sections.end());
  const PhraseSystem copy = PhraseSystem::from_sections(views);
  EXPECT_EQ(copy.sections(), sections);
  const LittleLanguage unseen(4, 10);
  for (const std::string& line : unseen.source) {
    const auto a = system.translate(line, 5), b = copy.translate(line, 5);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].text, b[i].text);
      EXPECT_EQ(a[i].score, b[i].score);
    }
  }
  for (const auto& [name, bytes] : sections) {
    auto damaged = views;
    damaged.erase(name);
    EXPECT_EQ(support::message([&] { PhraseSystem::from_sections(damaged); }),
              "statistical model: its part '" + name + "' is missing");
  }
  for (const char* name : {"phrase_table", "language_model", "source_vocabulary", "weights", "tuned_score"}) {
    auto damaged = views;
    damaged[name] = damaged[name].substr(0, damaged[name].size() / 2 - 1);
    if (std::string(name) == "tuned_score") damaged[name] = "x";
    EXPECT_THROW(PhraseSystem::from_sections(damaged), Error) << name;
  }
}

TEST_F(PhraseSystemTest, TwoTrainingsGiveTheSameBytes) {
  EXPECT_EQ(train(small_config()).sections(), train(small_config()).sections());
}

TEST_F(PhraseSystemTest, TranslationsKnowWhereTheirWordsComeFromAndCopyUnknownOnes) {
  const PhraseSystem system = train(small_config());
  const PhraseTranslation best = system.translate("la kato Xyz vidas .")[0];
  ASSERT_FALSE(best.words.empty());
  bool copied = false;
  for (const Link& link : best.links) {
    ASSERT_LT(link.source, 5);
    ASSERT_LT(link.target, static_cast<int>(best.words.size()));
    if (link.source == 2) copied = best.words[static_cast<std::size_t>(link.target)] == "Xyz";
  }
  EXPECT_TRUE(copied) << best.text;
  EXPECT_EQ(system.translate("")[0].text, "");
}

TEST_F(PhraseSystemTest, NbestListsAreDifferentAndSorted) {
  const auto found = train(small_config()).translate("la granda kato la domo vidas .", 20);
  ASSERT_EQ(found.size(), 20u);
  std::set<std::string> texts;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(texts.insert(found[i].text).second) << found[i].text;
    EXPECT_TRUE(i == 0 || found[i].score <= found[i - 1].score + 1e-9);
  }
}

TEST_F(PhraseSystemTest, OddCorporaTeachWhatTheyCan) {
  PhraseSystemConfig config = small_config();
  std::vector<std::string> source = {"", "one side only", "a b"}, target = {"", "", "c d"};
  std::string endless;
  for (int i = 0; i < 10000; ++i) endless += "a ";
  source.push_back(endless);
  target.push_back("c");
  const PhraseSystem system = PhraseSystem::train(
      config, {.corpora = {{.source = file_of(folder_, "s", source), .target = file_of(folder_, "t", target)}},
               .development = {}});
  EXPECT_EQ(system.translate("one")[0].text, "one");
  EXPECT_EQ(system.tuned_score(), -1);
  const std::string none = file_of(folder_, "none", {});
  EXPECT_NE(support::message([&] {
              PhraseSystem::train(config, {.corpora = {{.source = none, .target = none}}, .development = {}});
            }).find("expected sentence pairs"),
            std::string::npos);
}

TEST(Truecaser, FirstWordsAreWrittenAsInsideSentences) {
  Truecaser truecaser;
  truecaser.learn(split_at_spaces("x the Peter the PETER Peter"));
  truecaser.finish();
  const auto first = [](const Truecaser& t, const std::string& line) {
    std::vector<std::string> words = split_at_spaces(line);
    t.apply(words);
    return joined(words);
  };
  EXPECT_EQ(first(truecaser, "The The"), "the The");
  EXPECT_EQ(first(truecaser, "PETER is"), "Peter is");
  EXPECT_EQ(first(truecaser, "Unseen is"), "Unseen is");
  EXPECT_EQ(first(Truecaser::deserialize(truecaser.serialize()), "The"), "the");
  std::vector<std::string> words = {"äpfel"};
  Truecaser::capitalise(words);
  EXPECT_EQ(words[0], "Äpfel");
}

}  // namespace
}  // namespace dragoman::align

#include "smt/phrase_system.h"

#include <gtest/gtest.h>

#include <set>

#include "base/byte_stream.h"
#include "base/join.h"
#include "base/random.h"
#include "data/words.h"
#include "smt/ngram_arpa.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::smt {
namespace {

// A small language pair: subject, verb and object; the verb is last in the source and second in the target; adjectives
// precede nouns in the source and follow them in the target.
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
              "statistical model: the section '" + name + "' is missing");
  }
  for (const char* name : {"phrase_table", "language_model", "source_vocabulary", "weights", "tuned_score"}) {
    auto damaged = views;
    damaged[name] = damaged[name].substr(0, damaged[name].size() / 2 - 1);
    if (std::string(name) == "tuned_score") damaged[name] = "x";
    EXPECT_THROW(PhraseSystem::from_sections(damaged), Error) << name;
  }
}

// Each part is valid by itself or nearly so, but would give words that do not exist, scores that are no numbers, lines
// in the wrong place, or a search without an end.
TEST_F(PhraseSystemTest, PartsThatDoNotBelongTogetherAreRefused) {
  const PhraseSystem::Sections sections = train(small_config()).sections();
  const auto said = [&](const std::string& name, const std::string& bytes) {
    std::map<std::string, std::string_view> views(sections.begin(), sections.end());
    views[name] = bytes;
    return support::message([&] { PhraseSystem::from_sections(views); });
  };
  const auto words = [](const std::vector<std::string>& list) {
    ByteWriter writer;
    writer.put_texts(list);
    return writer.take();
  };
  EXPECT_EQ(said("weights", sections.at("weights")), "nothing was thrown");
  for (const char* number : {"nan", "inf", "-inf", "1e300"}) {
    std::string weights = sections.at("weights");
    weights.replace(weights.find(' ') + 1, weights.find('\n') - weights.find(' ') - 1, number);
    EXPECT_NE(said("weights", weights).find("weights: expected numbers from"), std::string::npos) << number;
  }
  EXPECT_NE(said("tuned_score", "nan").find("not a finite number"), std::string::npos);
  EXPECT_NE(said("target_vocabulary", words({"one"})).find("phrase table: damaged: word"), std::string::npos);
  EXPECT_NE(said("source_vocabulary", words({"a", "a\nb"})).find("white space"), std::string::npos);
  EXPECT_NE(said("config", sections.at("config") + "\ndecoder:\n  stack: 1000000000\n"), "nothing was thrown");
}

TEST_F(PhraseSystemTest, TwoTrainingsGiveTheSameBytes) {
  EXPECT_EQ(train(small_config()).sections(), train(small_config()).sections());
}

TEST_F(PhraseSystemTest, TakesALanguageModelThatWasMadeElsewhere) {
  PhraseSystemConfig writing = small_config(), reading = small_config();
  writing.tuning.iterations = reading.tuning.iterations = 0;
  writing.write_arpa = reading.read_arpa = folder_.file("model.arpa");
  const PhraseSystem own = train(writing), other = train(reading);
  const LittleLanguage unseen(5, 20);
  for (const std::string& line : unseen.source) {
    const PhraseTranslation a = own.translate(line)[0], b = other.translate(line)[0];
    EXPECT_EQ(a.text, b.text);
    EXPECT_NEAR(a.score, b.score, 1e-2);
  }
  const PhraseSystem::Sections sections = other.sections();
  EXPECT_EQ(PhraseSystem::from_sections({sections.begin(), sections.end()}).translate(unseen.source[0])[0].text,
            other.translate(unseen.source[0])[0].text);
}

TEST_F(PhraseSystemTest, WordsThatTheLanguageModelDoesNotKnowAreUnknownToIt) {
  PhraseSystemConfig config = small_config();
  config.tuning.iterations = 0;
  config.read_arpa = folder_.write("small.arpa",
                                   "\\data\\\nngram 1=6\nngram 2=2\n\n\\1-grams:\n-2\t<unk>\t-0.5\n-99\t<s>\t-0.3\n"
                                   "-0.5\t</s>\n-0.4\tthe\t-0.2\n-1\tzebra\n-0.7\tcat\n\n"
                                   "\\2-grams:\n-0.1\t<s> the\n-0.25\t<unk> the\n\n\\end\\\n");
  const PhraseSystem system = train(config);
  const std::vector<std::uint32_t> ids = system.target_ids("dog the zebra cat");
  const NgramModel& model = *system.language_model();
  NgramState state, next;
  EXPECT_NEAR(model.score(state, ids[0], next), -2, 1e-3) << "the language model does not know dog";
  state = next;
  EXPECT_NEAR(model.score(state, ids[1], next), -0.25, 1e-3) << "the next word has no context";
  EXPECT_NEAR(model.score({}, ids[2], next), -1, 1e-3) << "only the language model knows this word";
  EXPECT_EQ(system.translate("la hundo")[0].text, "the dog");
}

TEST_F(PhraseSystemTest, MarksInTheTextAreNoWordsOfTheLanguageModel) {
  PhraseSystemConfig config = small_config();
  config.write_arpa = folder_.file("model.arpa");
  const std::vector<std::string> source = {"a b", "a </s>", "b a"}, target = {"c <unk>", "c </s>", "<unk> c"};
  PhraseSystem::train(config,
                      {.corpora = {{.source = file_of(folder_, "s", source), .target = file_of(folder_, "t", target)}},
                       .development = {}});
  EXPECT_EQ(read_arpa(config.write_arpa).model.count(1), 4u) << "the three special words and c";
}

TEST_F(PhraseSystemTest, LanguageModelFilesAreReadBeforeAnythingIsLearned) {
  PhraseSystemConfig config = small_config();
  const auto refused = [&] {
    return support::message([&] {
      PhraseSystem::train(config, {.corpora = {{.source = "no such file", .target = "either"}}, .development = {}});
    });
  };
  config.read_arpa = folder_.write("bad.arpa", "\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<s>\n");
  EXPECT_EQ(refused(), config.read_arpa + ":5: the file ends before \\end\\");
  config.write_arpa = "out.arpa";
  EXPECT_TRUE(refused().find("give one of them") != std::string::npos) << refused();
  config.language_model = false;
  EXPECT_TRUE(refused().find("language-model is false") != std::string::npos) << refused();
}

TEST_F(PhraseSystemTest, TranslationsKnowWhereTheirWordsComeFromAndCopyUnknownOnes) {
  const PhraseSystem system = train(small_config());
  const PhraseTranslation best = system.translate("la kato Xyz vidas .")[0];
  ASSERT_FALSE(best.words.empty());
  bool copied = false;
  for (const align::Link& link : best.links) {
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
  truecaser.learn(data::split_at_spaces("x the Peter the PETER Peter"));
  truecaser.finish();
  const auto first = [](const Truecaser& t, const std::string& line) {
    std::vector<std::string> words = data::split_at_spaces(line);
    t.apply(words);
    return join(words, " ");
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
}  // namespace dragoman::smt

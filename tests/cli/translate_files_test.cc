// The files that `dragoman translate` writes beside the translations, and the attention that `score` prints.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data/byte_source.h"
#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

class TranslateFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    search::test::write_text_model(folder_.file("m.safetensors"), "seq2seq-additive-encoder+decoder", 3);
    folder_.write("in", "the dog\n\nwhere is it ?\n");
    folder_.write("ref", "der hund\n\nwo ist es ?\n");
  }
  Outcome translate(const std::string& arguments) const {
    return run_program(folder_, "translate --device cpu --model m.safetensors --input in " + arguments);
  }
  std::string file(const std::string& name) const { return support::read_all(folder_.file(name)); }

  support::TempFolder folder_;
};

TEST_F(TranslateFiles, SourcesReferencesAndOutputsAreSideBySide) {
  const Outcome text = translate("--reference ref --side-by-side pairs.txt");
  ASSERT_EQ(text.status, 0) << text.err;
  const std::string first = text.out.substr(0, text.out.find('\n'));
  EXPECT_TRUE(file("pairs.txt").starts_with("source     the dog\nreference  der hund\noutput     " + first + "\n\n"))
      << file("pairs.txt");
  const Outcome table = translate("--reference ref --side-by-side pairs.tsv");
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_TRUE(file("pairs.tsv").starts_with("source\treference\toutput\nthe dog\tder hund\t" + first + "\n\t\t\n"))
      << file("pairs.tsv");
  EXPECT_NE(translate("--reference ref").err.find("--reference has no effect: it adds references to the file of"),
            std::string::npos);
  folder_.write("ref", "der hund\n");
  const Outcome few = translate("--reference ref --side-by-side pairs.txt");
  EXPECT_EQ(few.status, 1);
  EXPECT_NE(few.err.find("in has 3 lines, but ref has 1"), std::string::npos) << few.err;
  EXPECT_EQ(few.out, "") << "nothing is translated";
}

TEST_F(TranslateFiles, NoOutputDestroysWhatIsStillToBeRead) {
  folder_.write("terms", "dog\thund\n");
  std::filesystem::create_symlink("in", folder_.file("link"));
  const std::string input = file("in"), model = file("m.safetensors"), reference = file("ref"), terms = file("terms");
  for (const std::string flags :
       {"--output in", "--output ./in", "--output link", "--alignments in", "--side-by-side in", "--tree in",
        "--tree-svg in", "--output m.safetensors", "--attention-svg m.safetensors", "--terms terms --output terms",
        "--reference ref --side-by-side ref", "--output out --tree out", "--output out --tree ./out"}) {
    const Outcome outcome = translate(flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find("the same file"), outcome.err.find("is also the file of")) << flags << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("out"))) << flags;
  }
  EXPECT_EQ(file("in"), input);
  EXPECT_EQ(file("m.safetensors"), model);
  EXPECT_EQ(file("ref"), reference);
  EXPECT_EQ(file("terms"), terms);
  const Outcome piped = run_program(folder_, "translate --device cpu --model m.safetensors --output in < in");
  EXPECT_EQ(piped.status, 1);
  EXPECT_EQ(file("in"), input);
  EXPECT_EQ(translate("--output /dev/null --tree /dev/null").status, 0) << "devices may be shared";
}

TEST_F(TranslateFiles, OutputsAreCompressedIfTheirNameSaysSo) {
  const std::string expected = translate("").out;
  const Outcome outcome =
      translate("--output out.gz --alignments links.gz --tree tree.gz --reference ref --side-by-side pairs.tsv.gz");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(data::read_whole(folder_.file("out.gz")), expected);
  for (const char* name : {"out.gz", "links.gz", "tree.gz", "pairs.tsv.gz"})
    EXPECT_TRUE(file(name).starts_with("\x1f\x8b")) << name << " is not gzip";
  EXPECT_TRUE(data::read_whole(folder_.file("pairs.tsv.gz")).starts_with("source\treference\toutput\nthe dog\t"));
}

TEST_F(TranslateFiles, FlagsWithoutAnEffectAndImpossibleOnesAreNamedBeforeTheModelIsRead) {
  for (const auto& [flags, words] : std::vector<std::pair<std::string, std::string>>{
           {"--line 2", "--line has no effect: nothing is drawn"},
           {"--tree-svg t.svg --line 9", "--line 9 is to be drawn, but in has 3 lines"},
           {"--temperature 0.5", "--temperature has no effect: only sampling (--sample) uses it"},
           {"--sample --beam 3", "--beam has no effect: sampling (--sample) does not search"},
           {"--ranking mean --length-penalty 1", "only --ranking gnmt uses it"},
           {"--terms ''", "--terms has no effect: its value is the empty text"},
           {"--output ''", "expected the name of a file to write to"},
           {"--input ''", "expected the name of a file, or - for standard input"},
           {"--n-best 9 --beam 2", "n-best 9 is more than the beam keeps (beam 2)"}}) {
    const Outcome outcome = translate(flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << flags << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << flags;
  }
}

TEST_F(TranslateFiles, TokensOfAnNBestListAreThoseOfTheTextWithoutTheEndOfSentence) {
  const Outcome list = translate("--n-best 1 --ranking mean"), lines = translate("--json --ranking mean");
  ASSERT_EQ(list.status, 0) << list.err;
  double log_probability = 0, score = 0;
  std::size_t tokens = 0;
  const std::string features = list.out.substr(list.out.find("LogProbability="));
  ASSERT_EQ(std::sscanf(features.c_str(), "LogProbability= %lf Tokens= %zu ||| %lf", &log_probability, &tokens, &score),
            3);
  const auto first = nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(tokens, first.at("translations").at(0).at("tokens").size());
  EXPECT_NEAR(score * static_cast<double>(tokens + 1), log_probability, 1e-3)
      << "rankings count the end of the sentence, too";
}

TEST_F(TranslateFiles, AFolderIsNoConfiguration) {
  const Outcome outcome = translate("--config .");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find(".: cannot be read as a configuration file"), std::string::npos) << outcome.err;
}

TEST_F(TranslateFiles, TheBeamAndTheAttentionOfALineAreDrawn) {
  const Outcome drawn = translate("--tree-svg beam.svg --attention-svg map.svg --line 3");
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_NE(file("beam.svg").find("Beam search: where is it ?"), std::string::npos);
  EXPECT_NE(file("map.svg").find("over the source"), std::string::npos);
  EXPECT_NE(file("map.svg").find("over the decoder&#39;s own past"), std::string::npos);
  EXPECT_EQ(drawn.out, translate("").out) << "pictures do not change translations";
  const Outcome blank = translate("--tree-svg beam.svg --line 2");
  EXPECT_EQ(blank.status, 1);
  EXPECT_NE(blank.err.find("line 2 is blank"), std::string::npos) << blank.err;
  EXPECT_EQ(blank.out, drawn.out) << "all lines are translated";
  EXPECT_EQ(translate("--attention-svg map.svg --line 2").out, drawn.out);
  const Outcome beyond = translate("--tree-svg beam.svg --line 9");
  EXPECT_EQ(beyond.status, 1);
  EXPECT_NE(beyond.err.find("--line 9 is to be drawn, but in has 3 lines"), std::string::npos) << beyond.err;
  const Outcome parts = translate("--attention-svg map.svg --line 3 --max-input-tokens 2");
  EXPECT_NE(parts.err.find("was cut into 2 parts"), std::string::npos) << parts.err;
  search::test::write_text_model(folder_.file("m.safetensors"), "seq2seq", 3);
  EXPECT_NE(translate("--attention-svg map.svg").err.find("has no attention map"), std::string::npos);
}

TEST_F(TranslateFiles, JsonHasTheAttentionOverThePastOfModelsThatHaveIt) {
  const auto first = [&](const std::string& text) { return nlohmann::json::parse(text.substr(0, text.find('\n'))); };
  const auto best = first(translate("--json").out)["translations"][0];
  ASSERT_EQ(best["past_attention"].size(), best["tokens"].size());
  EXPECT_EQ(best["past_attention"].back().size(), best["tokens"].size());
  const std::string score = "score --device cpu --model m.safetensors --json in ref";
  const auto scored = first(run_program(folder_, score + " --attention").out);
  EXPECT_EQ(scored["target_tokens"], (std::vector<std::string>{"<unk>", "hund", "</s>"}));
  ASSERT_EQ(scored["past_attention"].size(), 3u);
  EXPECT_EQ(scored["past_attention"][2].size(), 3u);
  EXPECT_EQ(scored["attention"][0].size(), scored["source_tokens"].size());
  EXPECT_FALSE(first(run_program(folder_, score).out).contains("attention"));
  EXPECT_NE(run_program(folder_, "score --attention --model m.safetensors in ref").err.find("add --json"),
            std::string::npos);
  search::test::write_text_model(folder_.file("m.safetensors"), "transformer-small", 3);
  EXPECT_FALSE(first(translate("--json").out)["translations"][0].contains("past_attention"));
}

}  // namespace
}  // namespace dragoman::cli

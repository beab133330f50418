#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "models/classifier.h"
#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

// These tests run on the host, where a sentence's translation is the same to the bit in any batch. On a GPU the last
// bits depend on the rest of the batch, and untrained models choose between words by their last bits.
class TranslateCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  static void TearDownTestSuite() { unsetenv("CUDA_VISIBLE_DEVICES"); }
  void SetUp() override { search::test::write_text_model(folder_.file("m.safetensors"), "transformer-small", 3); }

  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }

  support::TempFolder folder_;
};

TEST_F(TranslateCommand, KeepsTheOrderAndTheBlankLines) {
  std::string input;
  for (int i = 0; i < 300; ++i) input += i % 7 == 0 ? "\n" : "the dog " + std::string(i % 5 ? "sees" : "is") + " it\n";
  folder_.write("in", input);
  const Outcome all = run("translate --model m.safetensors --input in --batch 8");
  ASSERT_EQ(all.status, 0) << all.err;
  const std::vector<std::string> out = lines(all.out);
  ASSERT_EQ(out.size(), 300u);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i].empty(), i % 7 == 0) << i;
  EXPECT_EQ(out[1], out[2]);
  EXPECT_EQ(run("translate --model m.safetensors --threads 1 --batch 1 < in").out, all.out);
}

TEST_F(TranslateCommand, AnEmptyFileGivesAnEmptyFile) {
  const Outcome outcome = run("translate --model m.safetensors < /dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(TranslateCommand, ASlowProducerSeesItsLinesTranslated) {
  // The second line is written only after the first line's translation has been read.
  const Outcome outcome = run(
      "doctor > /dev/null; mkfifo pipe; '" DRAGOMAN_PROGRAM
      "' translate --model m.safetensors < pipe > out & exec 3> pipe; echo 'the dog' >&3; n=0; while [ ! -s out ] && [ "
      "$n -lt 1200 ]; "
      "do sleep 0.05; n=$((n+1)); done; test -s out && echo early; echo 'the house' >&3; exec 3>&-; wait; wc -l < out");
  EXPECT_EQ(outcome.out, "early\n2\n") << outcome.err;
}

TEST_F(TranslateCommand, AClosedPipeEndsItQuietly) {
  std::string input;
  for (int i = 0; i < 3000; ++i) input += "the dog sees it\n";
  folder_.write("in", input);
  const Outcome outcome = run("translate --model m.safetensors --quiet < in | head -1");
  EXPECT_EQ(lines(outcome.out).size(), 1u);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(TranslateCommand, PrintsNBestListsAndJson) {
  folder_.write("in", "the dog\nwhere is it ?\n");
  const std::vector<std::string> list = lines(run("translate --model m.safetensors --n-best 2 < in").out);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_TRUE(list[0].starts_with("0 ||| ")) << list[0];
  EXPECT_TRUE(list[3].starts_with("1 ||| ")) << list[3];
  const Outcome outcome = run("translate --model m.safetensors --json --alignments links --tree tree < in");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> out = lines(outcome.out);
  ASSERT_EQ(out.size(), 2u);
  const auto object = nlohmann::json::parse(out[1]);
  EXPECT_EQ(object["line"], 2);
  EXPECT_EQ(object["source"], "where is it ?");
  const auto& best = object["translations"][0];
  EXPECT_EQ(best["token_scores"].size(), best["tokens"].size() + 1);
  EXPECT_EQ(best["attention"].size(), best["tokens"].size());
  EXPECT_EQ(lines(support::read_all(folder_.file("links")))[1], best["alignment"].get<std::string>());
  EXPECT_GT(nlohmann::json::parse(lines(support::read_all(folder_.file("tree")))[0])["nodes"].size(), 3u);
}

TEST_F(TranslateCommand, DocumentsKeepTheirParagraphs) {
  folder_.write("in", "The dog sees it. Where is it?\n\nA house.\n");
  const Outcome whole = run("translate --model m.safetensors --document < in");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::vector<std::string> out = lines(whole.out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[1], "");
  folder_.write("single", "The dog sees it.\nWhere is it?\n");
  const std::vector<std::string> single = lines(run("translate --model m.safetensors < single").out);
  EXPECT_EQ(out[0], single[0] + " " + single[1]);
}

TEST_F(TranslateCommand, SurvivesBadInput) {
  folder_.write("bad", "the \xff dog\n");
  const Outcome bytes = run("translate --model m.safetensors < bad");
  EXPECT_EQ(bytes.status, 0);
  EXPECT_NE(bytes.err.find("line 1: byte 5 is not UTF-8"), std::string::npos) << bytes.err;
  std::string megabyte;
  while (megabyte.size() < 300'000) megabyte += "the red dog sees a blue house ";
  folder_.write("long", megabyte + "\n" + std::string(100'000, 'x') + "\nthe dog\n");
  const Outcome cut = run("translate --model m.safetensors --beam 1 --max-length 5 < long");
  EXPECT_EQ(cut.status, 0);
  EXPECT_EQ(lines(cut.out).size(), 3u);
  EXPECT_NE(cut.err.find("line 1: too long for the model, cut into"), std::string::npos) << cut.err;
  const Outcome refused = run("translate --model m.safetensors --long-lines refuse < long");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("line 1: an input of"), std::string::npos) << refused.err;
}

TEST_F(TranslateCommand, SaysWhatIsWrongWithAModelFile) {
  const std::string good = support::read_all(folder_.file("m.safetensors"));
  folder_.write("cut.safetensors", good.substr(0, good.size() / 2));
  folder_.write("noise.safetensors", "this is no model at all, only some words");
  folder_.write("in", "the dog\n");
  const auto said = [&](const std::string& model) {
    const Outcome outcome = run("translate --model " + model + " < in");
    EXPECT_EQ(outcome.status, 1) << model;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(model), std::string::npos) << outcome.err;
    return outcome.err;
  };
  said("cut.safetensors");
  said("noise.safetensors");
  said("absent.safetensors");
  std::string later = good;
  const std::string version = "\"version\":\"1\"";
  ASSERT_NE(later.find(version), std::string::npos);
  folder_.write("later.safetensors", later.replace(later.find(version), version.size(), "\"version\":\"9\""));
  EXPECT_NE(said("later.safetensors").find("version '9'"), std::string::npos);
  store::ModelInfo info = search::test::text_model_info("transformer-small");
  info.config.classes = 3;
  models::Classifier classifier(info.config);
  classifier.parameters().allocate(cpu_device(), DType::f32, 1, false);
  store::save_model(folder_.file("classes.safetensors"), info, classifier.parameters());
  EXPECT_NE(said("classes.safetensors").find("does not translate"), std::string::npos);
  EXPECT_NE(run("translate --to xx < in").err.find("no model that comes with the program translates to xx"),
            std::string::npos);
}

TEST_F(TranslateCommand, ScoresGivenPairs) {
  folder_.write("source", "the dog\nwhere is it ?\n");
  folder_.write("target", "das haus steht\nwo ist es ?\n");
  const Outcome plain = run("score --model m.safetensors source target");
  ASSERT_EQ(plain.status, 0) << plain.err;
  const std::vector<std::string> out = lines(plain.out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_LT(std::stod(out[0]), 0);
  EXPECT_NE(plain.err.find("per token"), std::string::npos) << plain.err;
  const auto object = nlohmann::json::parse(lines(run("score --model m.safetensors --json source target").out)[0]);
  EXPECT_NEAR(object["log_probability"], std::stod(out[0]), 1e-5);
  ASSERT_EQ(object["words"].size(), 4u);
  double sum = 0;
  for (const auto& word : object["words"]) sum += word[1].get<double>();
  EXPECT_NEAR(sum, object["log_probability"], 1e-4);
  EXPECT_EQ(object["words"][1][0], "haus");
}

TEST_F(TranslateCommand, AlignsGivenPairsByAttention) {
  folder_.write("source", "the dog\n\nwhere is it ?\n");
  folder_.write("target", "das haus steht\nwo\nwo ist es\n");
  const Outcome scored = run("score --model m.safetensors --alignments links source target");
  ASSERT_EQ(scored.status, 0) << scored.err;
  const std::vector<std::string> links = lines(support::read_all(folder_.file("links")));
  ASSERT_EQ(links.size(), 3u);
  for (const std::size_t line : {0, 2}) {
    std::istringstream words(links[line]);
    std::string link;
    for (int target = 0; target < 3; ++target) {
      ASSERT_TRUE(words >> link) << links[line];
      EXPECT_EQ(link.substr(link.find('-') + 1), std::to_string(target));
    }
  }
  EXPECT_EQ(links[1], "") << "an empty source has no words";
}

TEST_F(TranslateCommand, TheExamplesTranslate) {
  folder_.write("in", "the dog\nwhere is it ?\n");
  const std::string expected = run("translate --model m.safetensors < in").out;
  const Outcome cpp =
      run("doctor > /dev/null; CUDA_VISIBLE_DEVICES= '" DRAGOMAN_EXAMPLES "/example_cpp' m.safetensors < in");
  EXPECT_TRUE(cpp.out.starts_with(expected)) << cpp.out << cpp.err;
  EXPECT_EQ(lines(cpp.out).size(), 4u);
  const Outcome c = run("doctor > /dev/null; CUDA_VISIBLE_DEVICES= '" DRAGOMAN_EXAMPLES
                        "/example_c' m.safetensors 'the dog' 'where is it ?'");
  EXPECT_TRUE(c.out.starts_with(expected)) << c.out << c.err;
  EXPECT_EQ(lines(c.out).size(), 6u);
  EXPECT_NE(run("doctor > /dev/null; CUDA_VISIBLE_DEVICES= '" DRAGOMAN_EXAMPLES "/example_c' absent x").status, 0);
  const Outcome explained = run("doctor > /dev/null; CUDA_VISIBLE_DEVICES= '" DRAGOMAN_EXAMPLES
                                "/example_explain_c' m.safetensors 'the dog' 'der hund'");
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_NE(explained.out.find("hypotheses were in the beam"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("der hund\n  log probability -"), std::string::npos) << explained.out;
}

}  // namespace
}  // namespace dragoman::cli

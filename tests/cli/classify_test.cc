#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/byte_source.h"
#include "tests/cli/program.h"
#include "tests/search/classifier_file.h"
#include "tests/support/gzip.h"

namespace dragoman::cli {
namespace {

using nlohmann::json;

// These tests run on the host, where probabilities do not depend on the batch.
class ClassifyCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  static void TearDownTestSuite() { unsetenv("CUDA_VISIBLE_DEVICES"); }
  void SetUp() override {
    search::test::write_classifier(folder_.file("m"), "transformer-small", 3);
    folder_.write("in", "the red house\n\nwhere is it ?\nthe dog \xff\"sees\\ you\n");
  }

  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  Outcome classify(const std::string& arguments) const { return run("classify --model m --quiet " + arguments); }
  std::string path(const std::string& name) const { return folder_.file(name); }

  static std::vector<std::string> split(const std::string& text, char end) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, end);) parts.push_back(part);
    return parts;
  }
  static std::vector<std::string> lines(const std::string& text) { return split(text, '\n'); }

  support::TempFolder folder_;
};

TEST_F(ClassifyCommand, PrintsOneLabelPerLineAndABlankLineForABlankLine) {
  const Outcome outcome = classify("< in");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> out = lines(outcome.out);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[1], "");
  for (const std::size_t i : {0, 2, 3})
    EXPECT_TRUE(out[i] == "statement" || out[i] == "question" || out[i] == "command!") << out[i];
}

TEST_F(ClassifyCommand, FlagsWithoutAnEffectAndWrongReferencesAreNamedBeforeAnythingIsClassified) {
  folder_.write("two", "question\nquestion\n");
  for (const auto& [flags, words] : std::vector<std::pair<std::string, std::string>>{
           {"--reference two --summary --probabilities", "--probabilities has no effect: --summary prints no labels"},
           {"--reference two --summary --top 2", "--top has no effect"},
           {"--json --probabilities", "--probabilities has no effect: --json has the probabilities anyway"},
           {"--summary", "--summary needs --reference FILE"},
           {"--model n", "expected one model, but got 2: m n"},
           {"--reference nosuch", "nosuch: cannot be opened"},
           {"--reference two", "in has 4 lines, but two has 2"}}) {
    const Outcome outcome = classify("--input in " + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << flags << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << flags;
  }
}

TEST_F(ClassifyCommand, PrintsProbabilitiesOfTheLikeliestLabels) {
  const std::vector<std::string> labels = lines(classify("< in").out);
  const std::vector<std::string> one = split(lines(classify("--probabilities < in").out)[0], '\t');
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0], labels[0]);
  const std::vector<std::string> all = split(lines(classify("--probabilities --top 9 < in").out)[0], '\t');
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0], one[0]);
  EXPECT_EQ(all[1], one[1]);
  EXPECT_NEAR(std::stod(all[1]) + std::stod(all[3]) + std::stod(all[5]), 1, 2e-6);
  EXPECT_GE(std::stod(all[1]), std::stod(all[3]));
  const std::vector<std::string> two = split(lines(classify("--top 2 < in").out)[0], '\t');
  EXPECT_EQ(two, (std::vector<std::string>{all[0], all[2]}));
}

TEST_F(ClassifyCommand, PrintsValidJsonForAnyBytes) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) {
    if (c != '\n') bytes += static_cast<char>(c);
    bytes += " dog ";
  }
  folder_.write("bytes", bytes + "\n\nthe dog\n");
  const Outcome outcome = classify("--json < bytes");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> out = lines(outcome.out);
  ASSERT_EQ(out.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(json::parse(out[i])["line"], i + 1);
  const json blank = json::parse(out[1]), last = json::parse(out[2]);
  EXPECT_TRUE(blank["label"].is_null() && blank["probability"].is_null() && blank["probabilities"].empty());
  EXPECT_EQ(last["source"], "the dog");
  EXPECT_EQ(last["probabilities"].size(), 3u);
  EXPECT_EQ(last["probabilities"][last["label"].get<std::string>()], last["probability"]);
  EXPECT_EQ(json::parse(lines(classify("--json --top 2 < bytes").out)[2])["probabilities"].size(), 2u);
  EXPECT_TRUE(json::parse(out[0])["truncated"]) << "the model has 64 positions";
  EXPECT_NE(outcome.err.find("line 1: too long"), std::string::npos) << outcome.err;
}

TEST_F(ClassifyCommand, ReadsAndWritesGzip) {
  const std::string expected = classify("< in").out;
  support::write_gzip(path("in.gz"), support::read_all(path("in")));
  ASSERT_EQ(classify("--input in.gz --output out.gz").status, 0);
  EXPECT_EQ(data::read_whole(path("out.gz")), expected);
  EXPECT_NE(support::read_all(path("out.gz")), expected) << "compressed";
  ASSERT_EQ(classify("--input in --output out").status, 0);
  EXPECT_EQ(support::read_all(path("out")), expected);
}

TEST_F(ClassifyCommand, PrintsTheSameBytesForEveryBatchAndNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += i % 7 == 0 ? "\n" : "the dog sees " + std::to_string(i) + " houses\n";
  folder_.write("many", text);
  const std::string expected = classify("--json --input many --threads 1 --batch 1").out;
  EXPECT_EQ(lines(expected).size(), 300u);
  for (const std::string flags : {"--threads 1 --batch 50", "--threads 3 --batch 7", "--threads 8"})
    EXPECT_EQ(classify("--json --input many " + flags).out, expected) << flags;
}

TEST_F(ClassifyCommand, MeasuresPredictionsAgainstReferences) {
  std::vector<std::string> labels = lines(classify("< in").out);
  // One error, in line 3; line 2 is blank on both sides and left out.
  const std::string right = labels[2];
  labels[2] = right == "question" ? "statement" : "question";
  folder_.write("labels", labels[0] + "\n\n" + labels[2] + "\n" + labels[3] + "\n");
  const Outcome text = classify("--input in --reference labels --summary");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("accuracy 66.67 % (2 of 3)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("reference \\ predicted"), std::string::npos) << text.out;
  const Outcome both = classify("--input in --reference labels");
  EXPECT_EQ(both.out, classify("--input in").out) << "labels on stdout";
  EXPECT_NE(both.err.find("accuracy 66.67 % (2 of 3)"), std::string::npos) << "scores on stderr";
  const json object = json::parse(classify("--input in --reference labels --summary --json").out);
  EXPECT_EQ(object["lines"], 3);
  EXPECT_EQ(object["correct"], 2);
  EXPECT_NEAR(object["accuracy"], 200.0 / 3, 1e-9);
  bool found = false;
  for (const json& pair : object["confusion"])
    found = found || (pair["reference"] == labels[2] && pair["predicted"] == right && pair["lines"] == 1);
  EXPECT_TRUE(found) << object;
}

TEST_F(ClassifyCommand, LabelsTheModelDoesNotHaveAreErrorsWithAWarning) {
  folder_.write("labels", "surprise\nquestion\nsurprise\nsurprise\n");
  const Outcome outcome = classify("--input in --reference labels --summary");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("accuracy 0.00 % (0 of 4)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("(unknown)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("(none)"), std::string::npos) << "a blank line with a label has no prediction";
  EXPECT_NE(outcome.err.find("labels:1: a label that the model does not have; 3 such lines"), std::string::npos)
      << outcome.err;
}

TEST_F(ClassifyCommand, ReferencesThatDoNotFitTheInputAreRefused) {
  const auto said = [&](const std::string& labels) {
    folder_.write("labels", labels);
    const Outcome outcome = classify("--input in --reference labels --summary");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(said("question\n\n").find("in has 4 lines, but labels has 2"), std::string::npos);
  const std::string streamed = classify("--reference labels --summary < in").err;
  EXPECT_NE(streamed.find("labels has 2 labels, but the input has 4 lines"), std::string::npos) << streamed;
  EXPECT_NE(said("question\n\nquestion\nquestion\nquestion\n").find("but labels has 5"), std::string::npos);
  EXPECT_NE(said("question\n\n\nquestion\n").find("labels:3: expected a label but got a blank line"),
            std::string::npos);
  EXPECT_NE(said(std::string(100000, 'x') + "\n\nquestion\nquestion\n").find("labels:1: expected a label"),
            std::string::npos);
  folder_.write("in", "\n\n");
  EXPECT_NE(said("\n\n").find("contains no labels"), std::string::npos);
}

TEST_F(ClassifyCommand, RefusesWhatItCannotDoWithTheRightCommand) {
  search::test::write_text_model(path("translator"), "transformer-small", 3);
  const auto said = [&](const std::string& arguments) {
    const Outcome outcome = run(arguments + " < in");
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  };
  EXPECT_NE(said("classify --model translator").find("`dragoman translate`"), std::string::npos);
  const std::string statistical = DRAGOMAN_SOURCE "/tests/compatibility/0.1.0/statistical.safetensors";
  EXPECT_NE(said("classify --model " + statistical).find("`dragoman translate`"), std::string::npos);
  EXPECT_NE(said("translate --model m").find("`dragoman classify`"), std::string::npos);
  EXPECT_NE(said("score --model m in in").find("`dragoman classify`"), std::string::npos);
  EXPECT_NE(said("classify").find("expected a model"), std::string::npos);
  EXPECT_NE(said("classify --model m in").find("--input names a file"), std::string::npos);
  EXPECT_NE(said("classify --model m --summary").find("--reference"), std::string::npos);
  EXPECT_NE(said("classify --model absent").find("absent"), std::string::npos);
  EXPECT_NE(said("classify --model m --output no/such/folder/out").find("no/such/folder"), std::string::npos);
}

TEST_F(ClassifyCommand, AFullDeviceIsAnError) {
  EXPECT_EQ(run("classify --model m --quiet < in > /dev/full").status, 1);
  EXPECT_EQ(classify("--input in --output /dev/full").status, 1);
}

// A classifier with errors, so that every score is below 100.
TEST_F(ClassifyCommand, AgreesWithTheValidationOfTraining) {
  std::string train, text, labels;
  const std::vector<std::string> words = {"good", "bad", "long", "short", "book", "film"};
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    std::string line = "a";
    for (int w = 0; w < 4; ++w) line += " " + words[random.below(words.size())];
    // A quarter of the labels are noise.
    const char* const noise[] = {"praise", "blame", "neither"};
    const std::string label = random.below(4) == 0                     ? noise[random.below(3)]
                              : line.find("good") != std::string::npos ? "praise"
                              : line.find("bad") != std::string::npos  ? "blame"
                                                                       : "neither";
    if (i < 250) {
      train += line + "\t" + label + "\n";
    } else {
      text += line + "\n";
      labels += label + "\n";
    }
  }
  folder_.write("train.tsv", train);
  folder_.write("text", text);
  folder_.write("labels", labels);
  folder_.write("valid.tsv", [&] {
    std::string both;
    const std::vector<std::string> left = lines(text), right = lines(labels);
    for (std::size_t i = 0; i < left.size(); ++i) both += left[i] + "\t" + right[i] + "\n";
    return both;
  }());
  const Outcome trained =
      run("train --preset transformer-tiny --model.embedding 16 --model.transformer.size 16 "
          "--model.transformer.feed-forward 16 --task classify --source train.tsv --valid-source valid.tsv --cache . "
          "--output run --until 40u --validate 40u --no-report --no-tensorboard");
  ASSERT_EQ(trained.status, 0) << trained.err;
  json validation;
  for (const std::string& line : lines(support::read_all(path("run/log.jsonl"))))
    if (const json entry = json::parse(line); entry["kind"] == "validation") validation = entry["scores"];
  const json summary = json::parse(
      run("classify --model run/model.safetensors --input text --reference labels --summary --json --quiet").out);
  EXPECT_EQ(summary["lines"], 150);
  EXPECT_EQ(summary["accuracy"], validation["accuracy"]);
  EXPECT_EQ(summary["f1"], validation["f1"]);
  EXPECT_GT(summary["accuracy"], 40);
  EXPECT_LT(summary["accuracy"], 100);
}

TEST_F(ClassifyCommand, TheExamplesClassify) {
  const std::vector<std::string> expected = lines(classify("--probabilities < in").out);
  const auto example = [&](const std::string& arguments) {
    return run("doctor > /dev/null; CUDA_VISIBLE_DEVICES= '" DRAGOMAN_EXAMPLES "/example_classify_" + arguments);
  };
  const Outcome cpp = example("cpp' m < in");
  const std::vector<std::string> out = lines(cpp.out);
  ASSERT_EQ(out.size(), 5u) << cpp.err;
  EXPECT_TRUE(out[0].starts_with(split(expected[0], '\t')[0] + " ")) << cpp.out;
  EXPECT_EQ(out[1], "");
  EXPECT_EQ(out[4], split(expected[0], '\t')[0]);
  const Outcome c = example("c' m 'the red house' '' 'where is it ?'");
  ASSERT_EQ(lines(c.out).size(), 3u) << c.err;
  EXPECT_TRUE(c.out.starts_with(split(expected[0], '\t')[0] + " ")) << c.out;
  EXPECT_NE(example("c' absent x").status, 0);
}

}  // namespace
}  // namespace dragoman::cli

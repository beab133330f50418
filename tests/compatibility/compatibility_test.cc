#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tests/cli/program.h"

// Files written by earlier releases are still read and still mean the same (docs/compatibility.md). Each release has a
// folder here, whose README says how its files were made and what the numbers below are compared with.
namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// Sums are taken in the order of the CPU's vector registers, so float32 scores differ in their last digits from one
// instruction set to another: a logit by about 1e-6, a sentence of a dozen tokens by about 1e-5. Scores of different
// hypotheses in these files are at least 2e-3 apart.
constexpr double kRoundingOfScores = 2e-4;
// Twenty updates of training carry such differences on.
constexpr double kRoundingOfTraining = 2e-3;

// The value of a word that is a decimal fraction, such as -0.0012.
std::optional<double> fraction(const std::string& word) {
  if (word.find('.') == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return value;
}

std::vector<std::string> words_of(std::string text) {
  for (char& c : text)
    if (c == ':') c = ' ';  // links with posteriors: 0-0:0.98
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Lines and words must agree exactly, decimal fractions up to `rounding`.
void expect_same(const std::string& found, const std::string& expected, double rounding = kRoundingOfScores) {
  const std::vector<std::string> ours = words_of(found), theirs = words_of(expected);
  ASSERT_EQ(ours.size(), theirs.size()) << found << "\nbut the release printed\n" << expected;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::optional<double> value = fraction(ours[i]), recorded = fraction(theirs[i]);
    if (value && recorded)
      EXPECT_NEAR(*value, *recorded, rounding) << found << "\nbut the release printed\n" << expected;
    else
      EXPECT_EQ(ours[i], theirs[i]) << found << "\nbut the release printed\n" << expected;
  }
}

class Compatibility : public testing::TestWithParam<std::string> {
 protected:
  // Commands run in a copy, since some of them write beside what they read.
  Compatibility() { fs::copy(release(), folder_.path(), fs::copy_options::recursive); }

  static std::string release() { return DRAGOMAN_SOURCE "/tests/compatibility/" + GetParam(); }
  static std::string recorded(const std::string& name) { return support::read_all(release() + "/" + name); }

  // Only commands that compute with models have a device.
  std::string output_of(const std::string& arguments) const {
    const std::string command = arguments.substr(0, arguments.find(' '));
    const bool computes = command == "train" || command == "translate" || command == "score" || command == "classify";
    const std::string device = computes ? " --device cpu" : "";
    const Outcome outcome = run_program(folder_, arguments + device + " --threads 1");
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome.out;
  }
  // The loss of the last validation in a run's log.
  double last_loss(const std::string& run) const {
    const std::string log = support::read_all(folder_.file(run + "/log.jsonl")), key = "\"loss\":";
    const std::size_t validation = log.rfind("\"kind\":\"validation\"");
    const std::size_t at = validation == std::string::npos ? validation : log.find(key, validation);
    EXPECT_NE(at, std::string::npos) << "no validation in " << log;
    return at == std::string::npos ? NAN : std::strtod(log.c_str() + at + key.size(), nullptr);
  }

  support::TempFolder folder_;
};

TEST_P(Compatibility, TokenizersGiveTheSamePiecesAndIds) {
  for (const std::string kind : {"words", "bpe", "unigram", "byte-bpe"})
    for (const std::string show : {"pieces", "ids"})
      EXPECT_EQ(output_of("vocab --use " + kind + ".tok --show " + show + " source.en"), recorded(kind + "." + show));
}

TEST_P(Compatibility, ModelsGiveTheSameTranslations) {
  for (const std::string model : {"transformer", "recurrent", "statistical"})
    expect_same(output_of("translate --model " + model + ".safetensors --input source.en --n-best 2 --quiet"),
                recorded(model + ".translations"));
}

TEST_P(Compatibility, ModelsGiveTheSameScores) {
  for (const std::string model : {"transformer", "recurrent"})
    expect_same(output_of("score --model " + model + ".safetensors source.en reference.de"),
                recorded(model + ".scores"));
}

TEST_P(Compatibility, ModelsOfOneDirectionRefuseATargetLanguage) {
  for (const std::string model : {"transformer", "recurrent", "statistical"}) {
    const Outcome outcome = run_program(
        folder_, "translate --model " + model + ".safetensors --input source.en --to de --device cpu --threads 1");
    EXPECT_NE(outcome.status, 0) << model;
    EXPECT_NE(outcome.err.find("no choice of"), std::string::npos) << outcome.err;
  }
}

TEST_P(Compatibility, ClassifiersGiveTheSameLoss) {
  output_of(
      "train --task classify --from classifier.safetensors --source train.en --target train.label --valid-source "
      "valid.en --valid-target valid.label --schedule.rate 1e-12 --until 1u --validate 1u --report false --output "
      "again");
  EXPECT_NEAR(last_loss("again"), std::stod(recorded("classifier.loss")), kRoundingOfScores);
}

TEST_P(Compatibility, ClassifiersPredictTheLabelsOfTheirValidationSet) {
  EXPECT_EQ(output_of("classify --model classifier.safetensors --input valid.en --quiet"), recorded("valid.label"));
}

TEST_P(Compatibility, RunsAreResumedFromTheirCheckpoints) {
  output_of("train --resume --output run --until 60u");
  EXPECT_NEAR(last_loss("run"), std::stod(recorded("run.loss")), kRoundingOfTraining);
}

TEST_P(Compatibility, CheckpointsAreAveragedWithThoseOfThisVersion) {
  output_of("train --resume --output run --until 60u");
  output_of("average run/checkpoints/000000040.safetensors run/model.safetensors --output mean.safetensors");
  EXPECT_FALSE(output_of("translate --model mean.safetensors --input source.en").empty());
}

TEST_P(Compatibility, AlignmentModelsGiveTheSameLinks) {
  expect_same(output_of("align source.en reference.de --tokenize --model alignment.model --posteriors"),
              recorded("alignment.links"));
}

TEST_P(Compatibility, LexiconsGiveTheSameTranslations) {
  EXPECT_EQ(output_of("direct lexicon.bin source.en"), recorded("lexicon.translations"));
}

std::vector<std::string> releases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(DRAGOMAN_SOURCE "/tests/compatibility"))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& release) {
  std::string name = "Release" + release.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Releases, Compatibility, testing::ValuesIn(releases()), test_name);

}  // namespace
}  // namespace dragoman::cli

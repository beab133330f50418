#include <gtest/gtest.h>

#include <filesystem>

#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/model_file.h"
#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

class Quantize : public ::testing::Test {
 protected:
  Quantize() {
    models::ModelConfig config = models::preset("transformer-tiny");
    config.source_vocabulary = config.target_vocabulary = 300;
    models::Seq2seq network(config);
    network.parameters().allocate(cpu_device(), DType::f32, 1, false);
    store::ModelInfo info;
    info.config = config;
    store::save_model(folder_.file("model"), info, network.parameters());
  }
  Outcome run(const std::string& arguments) const { return run_program(folder_, "quantize " + arguments); }

  support::TempFolder folder_;
};

TEST_F(Quantize, WritesASmallerFileThatTellsItsFormat) {
  const Outcome outcome = run("model --output small");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("wrote small in int8"), std::string::npos) << outcome.err;
  EXPECT_LT(3 * std::filesystem::file_size(folder_.file("small")), std::filesystem::file_size(folder_.file("model")));
  const Outcome inspected = run_program(folder_, "inspect small --verify");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  EXPECT_NE(inspected.out.find("int8"), std::string::npos) << inspected.out;
}

TEST_F(Quantize, ChangesTheModelCard) {
  ASSERT_EQ(run("model --output a --card licence=CC0 --card 'author=A = B'").status, 0);
  ASSERT_EQ(run("a --output b --card licence=").status, 0);
  const store::Metadata first = store::ModelFile(folder_.file("a")).info().card;
  const store::Metadata second = store::ModelFile(folder_.file("b")).info().card;
  EXPECT_EQ(first.at("licence"), "CC0");
  EXPECT_EQ(second.at("author"), "A = B");
  EXPECT_FALSE(second.contains("licence"));
  EXPECT_NE(run("model --output c --card licence").err.find("expected KEY=TEXT"), std::string::npos);
}

TEST_F(Quantize, MayWriteToADevice) {
  const Outcome outcome = run("model --output /dev/null");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Quantize, ExplainsMistakes) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--output x", "expected one model file, but got none"},
           {"model", "expected --output FILE"},
           {"model --to int4 --output x", "--to: expected one of f32|f16|bf16|int8 but got 'int4'"},
           {"model --output ./model", "is the model itself, whose exact weights would be lost"},
           {"nosuch --output x", "nosuch: cannot be opened"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("x"))) << arguments;
  }
}

}  // namespace
}  // namespace dragoman::cli

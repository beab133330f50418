#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

constexpr const char* kSmallBench =
    "bench --preset transformer-base --model.embedding 16 --model.attention.heads 2 --model.transformer.size 16 "
    "--model.transformer.feed-forward 16 --model.transformer.encoder-layers 1 --model.transformer.decoder-layers 1 "
    "--vocabulary 20 --tokens 64 --repeats 2 --warmup 1 --device cpu ";

TEST(Bench, PrintsOneLinePerLengthOfEverySeries) {
  const support::TempFolder folder;
  const Outcome table = run_program(folder, std::string(kSmallBench) + "--what encoder --linformer 0,4 --lengths 8,16");
  ASSERT_EQ(table.status, 0) << table.err;
  for (const char* part : {"encoder of transformer-base, 64 tokens per batch, f32 on cpu, repeats 2, warmup 1",
                           "exact attention           8      8 ", "exact attention          16      4 ",
                           "Linformer k = 4          16      4 "})
    EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
}

TEST(Bench, PrintsJson) {
  const support::TempFolder folder;
  const Outcome outcome =
      run_program(folder, std::string(kSmallBench) + "--model.attention.linformer 4 --lengths 8,32 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["tokens"], 64);
  ASSERT_EQ(json["series"].size(), 1u);
  EXPECT_EQ(json["series"][0]["name"], "transformer-base");
  EXPECT_EQ(json["series"][0]["linformer"], 4);
  ASSERT_EQ(json["series"][0]["points"].size(), 2u);
  for (const nlohmann::json& point : json["series"][0]["points"]) EXPECT_GT(point["mean"].get<double>(), 0);
}

TEST(Bench, RefusesWhatItCannotMeasure) {
  const support::TempFolder folder;
  EXPECT_NE(run_program(folder, "bench --preset smt-word").err.find("is a statistical model"), std::string::npos);
  EXPECT_NE(run_program(folder, "bench --lengths 100").err.find("cannot be divided into sentences of 100 tokens"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::cli

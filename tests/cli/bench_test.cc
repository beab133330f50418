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

TEST(Bench, MeasuresTheSpeedOfAModelFileAtEachPrecision) {
  const support::TempFolder folder;
  folder.write("en", "where is the station\nthe station is here\n\n");
  folder.write("de", "wo ist der bahnhof\nder bahnhof ist hier\n\n");
  const Outcome trained =
      run_program(folder,
                  "train --preset transformer-tiny --source en --target de --vocab.type words --vocab.min-count 1 "
                  "--until 2u --device cpu --report=false --tensorboard=false --output run");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome table = run_program(folder, "bench run/model.safetensors --input en --seconds 0.01 --device cpu");
  ASSERT_EQ(table.status, 0) << table.err;
  for (const char* part : {"f32        in batches of 32", "bf16       one at a time", "int8       one at a time"})
    EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
  const Outcome json = run_program(
      folder, "bench run/model.safetensors --input en --seconds 0.01 --device cpu --precision int8 --beam 1 --json");
  ASSERT_EQ(json.status, 0) << json.err;
  const nlohmann::json speeds = nlohmann::json::parse(json.out)["speeds"];
  ASSERT_EQ(speeds.size(), 2u);
  for (const nlohmann::json& speed : speeds) {
    EXPECT_EQ(speed["precision"], "int8");
    EXPECT_GT(speed["words_per_second"].get<double>(), 0);
  }
  EXPECT_NE(run_program(folder, "bench run/model.safetensors").err.find("--input: expected"), std::string::npos);
  EXPECT_NE(run_program(folder, "bench run/model.safetensors --input en --lengths 8").err.find("has no effect"),
            std::string::npos);
  EXPECT_NE(run_program(folder, "bench --input en").err.find("dragoman bench MODEL --input FILE"), std::string::npos);
}

TEST(Bench, RefusesWhatItCannotMeasure) {
  const support::TempFolder folder;
  EXPECT_NE(run_program(folder, "bench --preset smt-word").err.find("is a statistical model"), std::string::npos);
  EXPECT_NE(run_program(folder, "bench --lengths 100").err.find("cannot be divided into sentences of 100 tokens"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::cli

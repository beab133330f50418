#include "train/json_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temp_folder.h"

namespace dragoman::train {
namespace {

using nlohmann::json;

std::vector<json> lines(const std::string& path) {
  std::vector<json> found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) found.push_back(json::parse(line));
  return found;
}

StepReport step_at(std::uint64_t update) {
  StepReport step;
  step.position.updates = update;
  step.sums = {30, 20, 10};
  return step;
}

TEST(JsonLog, WritesOneObjectPerLine) {
  support::TempFolder folder;
  RunRecord record;
  record.command = "dragoman train";
  record.settings = {{"batch.size", "8"}};
  JsonLog log(folder.file("log"), record);
  log.on_start({});
  StepReport step = step_at(10);
  step.elapsed = 1.5;
  step.usage = {.cores = 2.5, .memory = 1000, .gpu = 0.75};
  log.on_log(step);
  Validation validation;
  validation.position.updates = 10;
  validation.scores.set("bleu", 12.5);
  validation.samples.push_back({"s", "r", "o\xFF", {"s"}, {"o"}, {0.5f}, {{1.0f}, {0.25f, 0.75f}}});
  log.on_validation(validation);
  log.on_end({{10, 1, 100}, "reached 10u", "model", 3});
  const std::vector<json> all = lines(folder.file("log"));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].at("kind"), "train");
  EXPECT_EQ(all[1].at("loss"), 3);
  EXPECT_EQ(all[1].at("nll"), 2);
  EXPECT_EQ(all[0].at("command"), "dragoman train");
  EXPECT_EQ(all[0].at("settings").at("batch.size"), "8");
  EXPECT_EQ(all[0].at("time").get<std::string>().size(), std::string("2026-11-16T08:30:00Z").size());
  EXPECT_EQ(all[1].at("elapsed"), 1.5);
  EXPECT_EQ(all[1].at("usage"), (json{{"cores", 2.5}, {"memory", 1000}, {"gpu", 0.75}}))
      << "what is not known is missing";
  EXPECT_EQ(all[2].at("scores").at("bleu"), 12.5);
  EXPECT_EQ(all[2].at("samples")[0].at("attention")[0], 0.5);
  EXPECT_EQ(all[2].at("samples")[0].at("past_attention"), (json{{1.0}, {0.25, 0.75}}));
  EXPECT_EQ(all[3].at("reason"), "reached 10u");
}

TEST(JsonLog, AResumedRunRemovesLinesAfterItsCheckpoint) {
  support::TempFolder folder;
  {
    JsonLog log(folder.file("log"));
    log.on_start({});
    for (std::uint64_t update = 10; update <= 50; update += 10) log.on_log(step_at(update));
  }
  std::ofstream(folder.file("log"), std::ios::app) << "{\"kind\": \"tra";  // killed in the middle of a line
  {
    JsonLog log(folder.file("log"));
    RunInfo info;
    info.begin.updates = 30;
    log.on_start(info);
    log.on_log(step_at(40));
  }
  std::vector<std::uint64_t> updates;
  for (const json& line : lines(folder.file("log")))
    if (line.at("kind") == "train") updates.push_back(line.at("update"));
  EXPECT_EQ(updates, (std::vector<std::uint64_t>{10, 20, 30, 40}));
}

TEST(JsonLog, ANewRunStartsWithAnEmptyLog) {
  support::TempFolder folder;
  folder.write("log", "{\"kind\":\"train\",\"update\":0}\n");
  JsonLog log(folder.file("log"));
  log.on_start({});
  EXPECT_EQ(lines(folder.file("log")).size(), 1u);
}

}  // namespace
}  // namespace dragoman::train

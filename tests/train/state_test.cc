#include "train/state.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace dragoman::train {
namespace {

using nlohmann::json;

TrainState sample() {
  TrainState state;
  state.position = {12, 0.75, 3456};
  state.data = ~std::uint64_t{0};
  state.validation_data = 7;
  state.running_loss = 0.1;
  state.best["bleu"] = {12.5, 10};
  return state;
}

json changed(const std::string& key, const json& value) {
  json state = json::parse(to_json(sample()));
  state[key] = value;
  return state;
}

TEST(TrainState, IsWrittenAndRead) { EXPECT_EQ(state_from_json(to_json(sample()), "file"), sample()); }

TEST(TrainState, OfAnEarlierVersionHasNoHashOfItsData) {
  json old = json::parse(to_json(sample()));
  old.erase("data");
  EXPECT_EQ(state_from_json(old.dump(), "file").data, 0u);
}

TEST(TrainState, AnInfiniteScoreSurvives) {
  TrainState state = sample();
  state.best["perplexity"] = {std::numeric_limits<double>::infinity(), 3};
  EXPECT_EQ(state_from_json(to_json(state), "file"), state);
}

TEST(TrainState, ValuesThatNoRunWritesAreRefused) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{{"updates", -1},
                                                                            {"updates", 1.5},
                                                                            {"updates", 1e300},
                                                                            {"updates", "1"},
                                                                            {"updates", nullptr},
                                                                            {"rollbacks", 1e12},
                                                                            {"rollbacks", 5'000'000'000},
                                                                            {"without_improvement", -3},
                                                                            {"running_loss", nullptr},
                                                                            {"rate_factor", -0.5},
                                                                            {"rate_factor", 2},
                                                                            {"epochs", -1},
                                                                            {"best", {{"bleu", 1}}},
                                                                            {"best", {{"bleu", {{"value", 1}}}}},
                                                                            {"data", -1}}) {
    const std::string text = changed(key, value).dump();
    const std::string words = support::message([&] { state_from_json(text, "file"); });
    EXPECT_NE(words.find("file: its training state is damaged"), std::string::npos) << key << ": " << words;
  }
  for (const std::string text : {"", "[]", "{}", "null", "[[[[", "{\"updates\": 1e999}"})
    EXPECT_NE(support::message([&] { state_from_json(text, "file"); }).find("damaged"), std::string::npos) << text;
}

}  // namespace
}  // namespace dragoman::train

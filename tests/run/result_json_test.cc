#include "run/result_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/translation_pictures.h"

namespace dragoman::run {
namespace {

TEST(ResultJson, ABeamIsDrawnFromItsJsonAsFromTheResult) {
  Request request;
  request.text = "a house";
  TranslationResult result;
  result.tree = {
      {-1, "", 0, 0, false, true}, {0, "ein", -0.5, -0.5, false, true}, {1, "</s>", -0.75, -0.375, true, true}};
  const auto json = nlohmann::ordered_json::parse(tree_to_json(7, request, result).dump());
  EXPECT_EQ(report::draw_file(tree_from_json(json)), draw_beam(7, request, result));
  EXPECT_THROW(tree_from_json({{"source", "x"}}), nlohmann::ordered_json::exception);
}

TEST(ResultJson, OnlyModelsThatAttendToTheirPastHaveItsWeights) {
  Translation translation;
  translation.tokens = {"a", "b"};
  EXPECT_FALSE(to_json(translation).contains("past_attention"));
  translation.past_attention = {{1}, {0.25f, 0.75f}};
  EXPECT_EQ(to_json(translation)["past_attention"].dump(), "[[1.0],[0.25,0.75]]");
}

}  // namespace
}  // namespace dragoman::run

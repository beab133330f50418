#include "run/explanation_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace dragoman::run {
namespace {

Explanation small_explanation() {
  Explanation explanation;
  explanation.source = "über  uns";
  explanation.text = "about ü";
  explanation.source_tokens = {{"über", 0, 5, 0}, {"uns", 7, 10, 1}, {"</s>"}};
  explanation.tokens = {{{"about", 0, 5, 0}, std::log(0.5), {{"about", 0.5, "about"}, {"</s>", 0.25, ""}}},
                        {{"ü", 5, 8, 1}, std::log(0.25)},
                        {{"</s>", 8, 8}, 0}};
  explanation.alignment = {{0, 0}, {1, 1}};
  explanation.attention = {{AttentionKind::past, 1, "decoder.layers.1.self_attn", false, {{{1}, {0.33333f, 0.66667f}}}},
                           {AttentionKind::source, 0, "x", true, {}}};
  explanation.tree = {{-1, "", 0, 0, false, true}};
  return explanation;
}

TEST(ExplanationJson, CountsPlacesInCharacters) {
  const auto json = to_json(small_explanation());
  EXPECT_EQ(json["source_tokens"][1].dump(), R"({"token":"uns","begin":6,"end":9,"word":1})");
  EXPECT_EQ(json["source_tokens"][2].dump(), R"({"token":"</s>","begin":0,"end":0})");
  EXPECT_EQ(json["tokens"][1]["end"], 7);
}

TEST(ExplanationJson, HasAPrefixForAlternativesThatCanBeChosen) {
  const auto token = to_json(small_explanation())["tokens"][0];
  EXPECT_EQ(token["alternatives"][0]["prefix"], "about");
  EXPECT_FALSE(token["alternatives"][1].contains("prefix"));
  EXPECT_NEAR(token["log_probability"].get<double>(), std::log(0.5), 1e-12);
}

TEST(ExplanationJson, SaysWhetherAttentionIsLeftOut) {
  Explanation explanation = small_explanation();
  EXPECT_FALSE(to_json(explanation).contains("attention_left_out"));
  explanation.attention_left_out = true;
  EXPECT_EQ(to_json(explanation)["attention_left_out"], true);
}

TEST(ExplanationJson, RoundsWeightsAndNamesTheirKeys) {
  const auto attention = to_json(small_explanation())["attention"];
  EXPECT_EQ(attention[0]["heads"].dump(), "[[[1.0],[0.3333,0.6667]]]");
  EXPECT_EQ(attention[0]["kind"], "past");
  EXPECT_EQ(attention[0]["keys"], "tokens");
  EXPECT_EQ(attention[1]["keys"], "mixtures");
}

TEST(ExplanationJson, LeavesOutWhatAStatisticalModelDoesNotKnow) {
  Explanation explanation = small_explanation();
  for (WrittenToken& token : explanation.tokens) token.log_probability = NAN;
  EXPECT_EQ(to_json(explanation)["tokens"][0].dump(), R"({"token":"about","begin":0,"end":5,"word":0})");
}

}  // namespace
}  // namespace dragoman::run

// Sources and prefixes that are given as tokens.
#include <gtest/gtest.h>

#include "dragoman/scorer.h"
#include "search/engine/model.h"
#include "search/engine/text_translator.h"
#include "tests/search/text_model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

using Pieces = std::vector<std::string>;

class TokenRequests : public ::testing::Test {
 protected:
  void SetUp() override { write_text_model(model_, "transformer-small", 3); }

  static Request request_of(Pieces tokens) {
    Request request;
    request.tokens = std::move(tokens);
    return request;
  }
  TranslationResult translate(const Request& request, const SearchOptions& search = {}) const {
    return Translator(model_, on_cpu()).translate({request}, search).at(0);
  }
  std::string refusal(const Request& request) const {
    return support::message([&] { translate(request); });
  }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

TEST_F(TokenRequests, AreTranslatedLikeTheirText) {
  SearchOptions search;
  search.alignment = search.attention = search.explain = true;
  Request text;
  text.text = "a blue dog sees you !";
  const TranslationResult given = translate(request_of({"a", "blue", "dog", "sees", "you", "!"}), search);
  const TranslationResult expected = translate(text, search);
  EXPECT_EQ(given.translations[0].text, expected.translations[0].text);
  EXPECT_EQ(given.translations[0].log_probability, expected.translations[0].log_probability);
  EXPECT_EQ(given.translations[0].attention, expected.translations[0].attention);
  EXPECT_EQ(given.source_tokens, expected.source_tokens);
  EXPECT_EQ(given.explanations[0].source_tokens.size(), expected.explanations[0].source_tokens.size());
  EXPECT_EQ(given.translations[0].alignment.empty(), expected.translations[0].alignment.empty());
}

TEST_F(TokenRequests, MayContainTheMarksOfASentence) {
  const std::string expected = translate(request_of({"the", "dog"})).translations[0].text;
  for (const Pieces& tokens :
       {Pieces{"<s>", "the", "dog", "</s>"}, Pieces{"the", "dog", "</s>"}, Pieces{"<s>", "the", "dog"}})
    EXPECT_EQ(translate(request_of(tokens)).translations[0].text, expected);
}

TEST_F(TokenRequests, UnknownTokensAreUnknown) {
  const Model model(model_, kHost);
  const Tokens ids = model.source_ids(Pieces{"the", "unheard-of", "dog"});
  EXPECT_EQ(ids[1], model.source().special().unknown);
  EXPECT_NE(ids[0], ids[2]);
  EXPECT_EQ(translate(request_of({"the", "unheard-of"})).source_tokens[1], "<unk>");
}

TEST_F(TokenRequests, APrefixOfTokensBeginsTheTranslation) {
  Request request = request_of({"the", "dog"});
  request.prefix_tokens = {"wo", "ist"};
  const Translation found = translate(request).translations[0];
  ASSERT_GE(found.tokens.size(), 2u);
  EXPECT_EQ((Pieces{found.tokens[0], found.tokens[1]}), request.prefix_tokens);
  Request words;
  words.text = "the dog";
  words.prefix = "wo ist";
  EXPECT_EQ(found.text, translate(words).translations[0].text);
}

TEST_F(TokenRequests, MayLeaveThePrefixOutOfTheScore) {
  Request request = request_of({"the", "dog"});
  request.prefix_tokens = {"wo", "ist"};
  SearchOptions search;
  search.beam = 1;
  search.token_scores = true;
  const Translation counted = translate(request, search).translations[0];
  search.score_prefix = false;
  const Translation rest = translate(request, search).translations[0];
  ASSERT_EQ(rest.tokens, counted.tokens);
  EXPECT_EQ(rest.token_scores[0], 0);
  EXPECT_EQ(rest.token_scores[1], 0);
  EXPECT_NEAR(rest.log_probability, counted.log_probability - counted.token_scores[0] - counted.token_scores[1], 1e-5);
  EXPECT_NEAR(rest.score, rest.log_probability / static_cast<double>(rest.tokens.size() + 1), 1e-9);
}

TEST_F(TokenRequests, MayBeCutOffAtTheMaximumLength) {
  const Request request = request_of({"a", "blue", "dog", "sees", "you"});
  SearchOptions search;
  search.beam = 1;
  search.max_length = 2;
  search.token_scores = true;
  const Translation ended = translate(request, search).translations[0];
  search.truncate = true;
  const Translation cut = translate(request, search).translations[0];
  ASSERT_EQ(cut.tokens.size(), 2u);
  EXPECT_EQ(cut.tokens, ended.tokens);
  EXPECT_LT(ended.token_scores.back(), 0);
  EXPECT_NEAR(cut.log_probability, ended.log_probability - ended.token_scores.back(), 1e-5);
  EXPECT_NEAR(cut.score, cut.log_probability / 2, 1e-9);
  EXPECT_NEAR(ended.score, ended.log_probability / 3, 1e-9);
}

TEST_F(TokenRequests, ThatCannotBeReadAreRefused) {
  Request both = request_of({"the"});
  both.text = "the";
  EXPECT_EQ(refusal(both), "a request has either a text or tokens, not both");
  EXPECT_NE(refusal(request_of(Pieces(20'000, "the"))).find("20000 tokens is longer than"), std::string::npos);
  Request prefixed = request_of({"the"});
  prefixed.prefix_tokens = Pieces(20'000, "wo");
  EXPECT_NE(refusal(prefixed).find("20000 tokens is longer than"), std::string::npos);
}

TEST_F(TokenRequests, AreScoredLikeTheirText) {
  const Scorer scorer(model_, {.device = "cpu"});
  SentencePair tokens;
  tokens.source_tokens = {"the", "dog"};
  tokens.target_tokens = {"ein", "hund", "</s>"};
  const std::vector<ScoredPair> scored = scorer.score({{"the dog", "ein hund"}, tokens}, true);
  EXPECT_EQ(scored[0].log_probability, scored[1].log_probability);
  EXPECT_EQ(scored[0].tokens, scored[1].tokens);
  EXPECT_EQ(scored[0].alignment, scored[1].alignment);
}

}  // namespace
}  // namespace dragoman::search::test

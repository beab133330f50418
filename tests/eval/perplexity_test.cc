#include "eval/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dragoman::eval {
namespace {

TEST(Perplexity, OfAUniformChoiceIsTheNumberOfChoices) {
  const LogLikelihood text{12 * std::log(1 / 8.0), 12, 6};
  EXPECT_NEAR(text.perplexity(PerplexityUnit::token), 8, 1e-12);
  EXPECT_NEAR(text.perplexity(PerplexityUnit::word), 64, 1e-10);
  EXPECT_NEAR(text.bits(PerplexityUnit::token), 3, 1e-12);
  EXPECT_EQ(text.words_for(PerplexityUnit::word), "64.00 per word");
}

TEST(Perplexity, AddsUpOverTexts) {
  LogLikelihood sum{-3, 2, 1};
  sum += {-5, 4, 3};
  EXPECT_EQ(sum.sum, -8);
  EXPECT_EQ(sum.tokens, 6);
  EXPECT_EQ(sum.words, 4);
}

TEST(Perplexity, OfNothingIsRefused) { EXPECT_THROW(LogLikelihood{}.perplexity(PerplexityUnit::token), Error); }

}  // namespace
}  // namespace dragoman::eval

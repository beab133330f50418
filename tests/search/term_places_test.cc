#include "search/engine/term_places.h"

#include <gtest/gtest.h>

#include "search/constrain/constraints.h"

namespace dragoman::search {
namespace {

// "the red dog" in four tokens (the, red, do, g), and a translation in five: w0, w1 (two tokens), w2, w3.
const std::vector<text::Span> kSource = {{0, 3}, {4, 7}, {8, 10}, {10, 11}};
const std::vector<int> kWords = {0, 1, 1, 2, 3};
constexpr text::Span kDog{8, 11};

TEST(TermPlace, IsTheWordThatAttendsMostToTheSource) {
  const Attention attention = {
      {.7F, .1F, .1F, .1F}, {.1F, .8F, .1F, 0}, {0, .9F, .1F, 0}, {0, .2F, .4F, .4F}, {.1F, .2F, .7F, 0}};
  const auto place = find_term_place(attention, kSource, kDog, kWords, 0);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->start, 3u);  // .4 + .4 for both tokens of "dog"
  EXPECT_EQ(place->fixed, 1u);  // w1 may change
}

TEST(TermPlace, OfAWordOfSeveralTokensIsItsFirstToken) {
  const Attention attention = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1, 0, 0, 0}};
  const auto place = find_term_place(attention, kSource, kDog, kWords, 0);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->start, 1u);
  EXPECT_EQ(place->fixed, 0u);
}

TEST(TermPlace, BeginsWithTheTokensThatOnlyBeginTheWord) {
  const Attention attention = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};
  const auto place = find_term_place(attention, kSource, kDog, std::vector<int>{0, 1, -1, 2, 3}, 0);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->start, 2u);
  EXPECT_EQ(place->fixed, 1u);
}

TEST(TermPlace, IsAfterTheTokensThatAreFixed) {
  const Attention attention = {{0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}, {.9F, 0, .1F, 0}, {.8F, 0, .2F, 0}};
  const auto place = find_term_place(attention, kSource, kDog, kWords, 3);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->start, 4u);
  EXPECT_EQ(place->fixed, 3u);
  EXPECT_FALSE(find_term_place(attention, kSource, kDog, kWords, 5));
}

TEST(TermPlace, IsBeforeTokensThatBeginTheTerm) {
  const std::vector<std::int32_t> translation = {1, 7, 8, 9, 7, 8, 2}, term = {7, 8, 9, 9};
  TermPlace place{4, 6};
  step_back(place, translation, term, 0);
  EXPECT_EQ(place.start, 4u);
  EXPECT_EQ(place.fixed, 4u);
  place = {3, 4};
  step_back(place, translation, term, 0);
  EXPECT_EQ(place.start, 1u);
  EXPECT_EQ(place.fixed, 1u);
  for (const std::size_t fixed : {5u, 6u, 7u}) {
    place = {3, 6};
    step_back(place, translation, term, fixed);
    EXPECT_EQ(place.start, 6u) << "token 4 is fixed";
  }
}

TEST(TermPlace, DoesNotExistIfNoWordAttendsToTheSource) {
  const Attention attention(5, {1, 0, 0, 0});
  EXPECT_FALSE(find_term_place(attention, kSource, kDog, kWords, 0));
  EXPECT_FALSE(find_term_place({}, kSource, kDog, kWords, 0));
}

}  // namespace
}  // namespace dragoman::search

#include "search/constrain/source_terms.h"

#include <gtest/gtest.h>

#include <chrono>

namespace dragoman::search {
namespace {

using Spans = std::vector<text::Span>;

TEST(SourceTerms, AreWholeWordsPerhapsWithACapital) {
  EXPECT_EQ(find_term("Dogs chase dogs, hotdogs and dogsled.", "dogs"), (Spans{{0, 4}, {11, 15}}));
  EXPECT_EQ(find_term("über Öl und öl", "öl"), (Spans{{6, 9}, {14, 17}}));
  EXPECT_EQ(find_term("hund und Hund", "Hund"), (Spans{{9, 13}})) << "a capital is not a small letter";
  EXPECT_EQ(find_term("a b A é", "a"), (Spans{{0, 1}, {4, 5}})) << "a single letter";
  EXPECT_EQ(find_term("a a a", "a a"), (Spans{{0, 3}})) << "without overlaps";
  EXPECT_EQ(find_term("", "a"), Spans{});
  EXPECT_EQ(find_term("a", ""), Spans{});
}

TEST(SourceTerms, BelongToTheLongestTerm) {
  const Terms terms = {{"board", "Brett"}, {"executive board", "Vorstand"}, {"board", "Platte"}};
  const std::vector<Spans> places = find_terms("The executive board and a board.", terms);
  EXPECT_EQ(places, (std::vector<Spans>{{{26, 31}}, {{4, 19}}, {{26, 31}}}));
  EXPECT_EQ(needed_terms("The executive board.", terms), (Terms{{"executive board", "Vorstand"}}));
  EXPECT_EQ(needed_terms("A board.", {{"board", ""}, {"board", "Brett"}, {"board", "Tafel"}, {"cat", "Katze"}}),
            (Terms{{"board", "Brett"}}));
  EXPECT_EQ(needed_terms("new york city", {{"new york", "a"}, {"york city", "b"}}).size(), 2u) << "neither is inside";
}

TEST(SourceTerms, OfALongTextTakeTimeInProportionToIt) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "red dog ";
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Spans> places = find_terms(text, Terms{{"dog", "Hund"}, {"red dog", "Rothund"}, {"red", "rot"}});
  EXPECT_EQ(places[0].size() + places[2].size(), 0u);
  EXPECT_EQ(places[1].size(), 200'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace dragoman::search

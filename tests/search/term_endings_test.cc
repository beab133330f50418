#include "search/constrain/term_endings.h"

#include <gtest/gtest.h>

#include "search/constrain/constraints.h"
#include "tests/search/toy.h"

namespace dragoman::search::test {
namespace {

TEST(TermEndings, OfAddressesAreSpacesAndClosingMarks) {
  const std::string address = "http://example.org/file.tar.gz";
  for (const char* const next : {"", " ist", ".", ". Es", "), aber", "“", "!?"})
    EXPECT_TRUE(contains_whole("Unter " + address + next, address, Ending::none)) << next;
  for (const char* const next : {"z", "/", "-Seite", "2", ".z", "?q=1", "'s"})
    EXPECT_FALSE(contains_whole("Unter " + address + next, address, Ending::none)) << next;
  EXPECT_TRUE(contains_whole(address + "z " + address, address, Ending::none)) << "one of two";
  EXPECT_FALSE(contains_whole("x" + address, address, Ending::none));
  EXPECT_FALSE(contains_whole("Siehe-" + address, address, Ending::none));
  EXPECT_TRUE(contains_whole("Siehe (" + address + ")", address, Ending::none));
}

TEST(TermEndings, OfNumbersAreNoDigits) {
  for (const char* const next : {"", ".", "er", "-60", " 000", ", 5"})
    EXPECT_TRUE(is_kept(Ending::no_digit, next)) << next;
  for (const char* const next : {"0", ".000", ",5", ":30"}) EXPECT_FALSE(is_kept(Ending::no_digit, next)) << next;
}

TEST(TermEndings, OfWordsAreAFewLetters) {
  for (const char* const text : {"the cuff", "Cuff it", "two cuffs.", "cuffed", "a cuff-link", "the cuff's", "cuffing"})
    EXPECT_EQ(count_whole(text, "cuff", Ending::inflected), 1u) << text;
  for (const char* const text : {"plcuff", "cufflink", "cuffs2", "cuff2", "scuff"})
    EXPECT_EQ(count_whole(text, "cuff", Ending::inflected), 0u) << text;
  EXPECT_EQ(count_whole("лампами и лампа", "ламп", Ending::inflected), 2u);
  EXPECT_EQ(count_whole("Der Weg ist weg.", "Weg", Ending::inflected), 1u) << "a capital is not a small letter";
  EXPECT_EQ(count_whole("cuffs, cuffs and cuffs", "cuff", Ending::inflected), 3u);
}

TEST(TermEndings, DependOnTheLastCharacterOfTheTerm) {
  EXPECT_EQ(ending_of("Lehrer"), Ending::inflected);
  EXPECT_EQ(ending_of("лампа"), Ending::inflected);
  EXPECT_EQ(ending_of("F-16"), Ending::no_digit);
  EXPECT_EQ(ending_of("電車"), Ending::any) << "spaces may not separate words";
  EXPECT_EQ(ending_of("(R)"), Ending::any);
}

TEST(TermEndings, OfWordsHoldInEverySearch) {
  Random random(9);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ToyModel model(seed % 2 ? "transformer-small" : "lstm-luong", 8, seed);
    std::vector<TokenEdges> edges(static_cast<std::size_t>(model.vocabulary()));
    edges[5] = {.start = TokenStart::letter};
    edges[6] = {.start = TokenStart::letter, .inflects = true};
    edges[8] = {.start = TokenStart::letter};
    edges[9] = {.start = TokenStart::other, .glues = true};
    SearchOptions options;
    options.beam = 1 + static_cast<int>(random.below(6));
    options.sample = seed % 5 == 0;
    Goal goal = toy_goal(options, 12);
    goal.constraints = Constraints({{4, 7}}, {Ending::inflected}, edges);
    const std::vector<Found> found = translate_one(model, {random_source(random), goal});
    ASSERT_FALSE(found.empty()) << seed;
    for (const Found& one : found) {
      const Tokens term = {4, 7};
      const auto at = std::search(one.words.begin(), one.words.end(), term.begin(), term.end());
      ASSERT_NE(at, one.words.end()) << seed;
      EXPECT_TRUE(at == one.words.begin() || at[-1] != 9) << seed << ": joined to the word before";
      const auto next = [&](std::ptrdiff_t i) { return std::distance(at, one.words.end()) > i ? at[i] : -1; };
      EXPECT_TRUE(next(2) != 5 && next(2) != 8) << seed << ": not an ending";
      EXPECT_TRUE(next(2) != 6 || (next(3) != 5 && next(3) != 6 && next(3) != 8)) << seed << ": one ending only";
    }
  }
}

TEST(TermEndings, HoldInEverySearch) {
  Random random(8);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ToyModel model(seed % 2 ? "transformer-small" : "lstm-luong", 7, seed);
    std::vector<TokenEdges> edges(static_cast<std::size_t>(model.vocabulary()));
    edges[5] = {TokenStart::space};
    edges[6] = {TokenStart::mark, true};
    SearchOptions options;
    options.beam = 1 + static_cast<int>(random.below(6));
    options.sample = seed % 5 == 0;
    Goal goal = toy_goal(options, 12);
    goal.constraints = Constraints({{4, 7}}, {Ending::none}, edges);
    const std::vector<Found> found = translate_one(model, {random_source(random), goal});
    ASSERT_FALSE(found.empty()) << seed;
    for (const Found& one : found) {
      const Tokens term = {4, 7};
      auto at = std::search(one.words.begin(), one.words.end(), term.begin(), term.end());
      ASSERT_NE(at, one.words.end()) << seed;
      EXPECT_TRUE(at == one.words.begin() || at[-1] != 6) << seed << ": joined to the word before";
      for (at += 2; at != one.words.end() && *at == 6;) ++at;
      EXPECT_TRUE(at == one.words.end() || *at == 5) << seed;
    }
  }
}

}  // namespace
}  // namespace dragoman::search::test

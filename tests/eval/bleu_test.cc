#include "eval/bleu.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "eval/ngrams.h"
#include "eval/python_str.h"

namespace dragoman::eval {
namespace {

std::vector<std::string> words(const std::string& text) {
  const auto views = python::split(text);
  return {views.begin(), views.end()};
}

using Words = std::vector<std::string>;

TEST(Tokenize13a, SetsSymbolsApartAndKeepsNumbersWhole) {
  EXPECT_EQ(words(tokenize_13a("It's 1,000.5 (or so), 3-fold: a.b!")),
            (Words{"It's", "1,000.5", "(", "or", "so", ")", ",", "3", "-", "fold", ":", "a", ".", "b", "!"}));
}

TEST(Tokenize13a, UndoesEntitiesInOrderAndDropsSkipped) {
  EXPECT_EQ(words(tokenize_13a("&amp;lt; &quot;x&quot; <skipped>y")), (Words{"<", "\"", "x", "\"", "y"}));
}

TEST(Tokenize13a, JoinsLinesAndEndOfLineHyphens) {
  EXPECT_EQ(words(tokenize_13a("inter-\nnational\nnews")), (Words{"international", "news"}));
}

TEST(Tokenize13a, LeavesOtherScriptsAlone) {
  EXPECT_EQ(words(tokenize_13a("你好，世界。 „so“")), (Words{"你好，世界。", "„so“"}));
}

TEST(TokenizeIntl, SetsUnicodePunctuationAndSymbolsApart) {
  EXPECT_EQ(words(tokenize_intl("„Ja“, 3€ 你好。 1.5 a.5 🙂🙂")),
            (Words{"„", "Ja", "“", ",", "3", "€", "你好", "。", "1.5", "a", ".", "5", "🙂", "🙂"}));
}

TEST(TokenizeIntl, KeepsAPeriodWithTheYearThatEndsTheLine) {
  EXPECT_EQ(words(tokenize_intl("In 1998.")), (Words{"In", "1998."}));
}

TEST(TokenizeCharacters, MakesEveryCharacterAWord) {
  EXPECT_EQ(words(tokenize_characters("añ 好")), (Words{"a", "ñ", "好"}));
}

// Counts n-grams by spelling them out as strings.
std::size_t spelled_out_matches(const NgramMatcher::Units& hypothesis, std::span<const NgramMatcher::Units> references,
                                std::size_t order) {
  const auto count = [order](const NgramMatcher::Units& units) {
    std::map<NgramMatcher::Units, std::size_t> counts;
    for (std::size_t i = 0; i + order <= units.size(); ++i) {
      const auto begin = units.begin() + static_cast<std::ptrdiff_t>(i);
      ++counts[NgramMatcher::Units(begin, begin + static_cast<std::ptrdiff_t>(order))];
    }
    return counts;
  };
  std::size_t matches = 0;
  for (const auto& [gram, times] : count(hypothesis)) {
    std::size_t best = 0;
    for (const auto& reference : references) best = std::max(best, count(reference)[gram]);
    matches += std::min(times, best);
  }
  return matches;
}

TEST(NgramMatcher, AgreesWithSpelledOutNgramsOnRandomText) {
  Random random(3);
  NgramMatcher matcher;
  const auto text = [&random] {
    NgramMatcher::Units units(random.below(40));
    const std::uint64_t types = 1 + random.below(6);
    for (auto& unit : units) unit = static_cast<std::uint32_t>(random.below(types));
    return units;
  };
  for (int round = 0; round < 300; ++round) {
    const NgramMatcher::Units hypothesis = text();
    std::vector<NgramMatcher::Units> references(1 + random.below(3));
    for (auto& reference : references) reference = text();
    const std::vector<std::size_t> matches = matcher.match(hypothesis, references, 6);
    for (std::size_t order = 1; order <= 6; ++order)
      ASSERT_EQ(matches[order - 1], spelled_out_matches(hypothesis, references, order)) << "order " << order;
  }
}

double score(const Metric& metric, const Lines& hypotheses, const std::vector<Lines>& references) {
  return metric.score(count_all(metric, hypotheses, references).sum());
}

TEST(Bleu, IsHundredForACopyAndZeroWithoutACommonWord) {
  const Lines lines = {"The cat sat on the mat .", "", "Zwei kurze Wörter hier ."};
  EXPECT_DOUBLE_EQ(score(Bleu(), lines, {lines}), 100);
  EXPECT_DOUBLE_EQ(score(NltkBleu(), {lines[0]}, {{lines[0]}}), 100);
  EXPECT_DOUBLE_EQ(score(MultiBleu(), lines, {lines}), 100);
  EXPECT_EQ(score(Bleu(), {"x y z"}, {{"a b c"}}), 0);
}

TEST(Bleu, OfEmptyOutputIsZero) {
  const Lines empty = {""}, reference = {"some words here today"};
  EXPECT_EQ(score(Bleu(), empty, {reference}), 0);
  EXPECT_EQ(score(NltkBleu(), empty, {reference}), 0);
  EXPECT_EQ(score(MultiBleu(), empty, {reference}), 0);
}

TEST(Bleu, PrefersTheShorterOfTwoEquallyCloseReferences) {
  const Bleu bleu;
  const BleuScore result = bleu.compute(count_all(bleu, {"a b c"}, {{"a b c d"}, {"a b"}}).sum());
  EXPECT_EQ(result.reference_length, 2);
  EXPECT_EQ(result.brevity_penalty, 1);
}

TEST(Bleu, DoesNotDependOnTheOrderOfReferencesOrSentences) {
  const Lines hypotheses = {"a b c d e", "f g h i"}, one = {"a b x d e", "f g h j"}, two = {"y b c d", "f f g h i"};
  const double expected = score(Bleu(), hypotheses, {one, two});
  EXPECT_DOUBLE_EQ(score(Bleu(), hypotheses, {two, one}), expected);
  EXPECT_DOUBLE_EQ(score(Bleu(), {hypotheses[1], hypotheses[0]}, {{one[1], one[0]}, {two[1], two[0]}}), expected);
}

TEST(Bleu, RefusesUnequalNumbersOfLines) {
  EXPECT_THROW(count_all(Bleu(), {"a", "b"}, {{"a"}}), Error);
  EXPECT_THROW(count_all(Bleu(), {"a"}, {}), Error);
}

}  // namespace
}  // namespace dragoman::eval

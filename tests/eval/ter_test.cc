#include "eval/ter.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "eval/shift_search.h"

namespace dragoman::eval {
namespace {

using WordIds = std::vector<std::uint32_t>;

std::size_t edit_distance(const WordIds& a, const WordIds& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({diagonal + (a[i - 1] == b[j - 1] ? 0 : 1), above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

TEST(ShiftSearch, CountsAMovedBlockOnce) {
  EXPECT_EQ(edits_with_shifts({4, 5, 6, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), 1u);
  EXPECT_EQ(edits_with_shifts({1, 2, 3}, {1, 2, 3}), 0u);
  EXPECT_EQ(edits_with_shifts({7, 2, 3, 1}, {1, 2, 3}), 2u);
}

TEST(ShiftSearch, HandlesEmptySides) {
  EXPECT_EQ(edits_with_shifts({}, {}), 0u);
  EXPECT_EQ(edits_with_shifts({1, 2}, {}), 2u);
  EXPECT_EQ(edits_with_shifts({}, {1, 2, 3}), 3u);
}

TEST(ShiftSearch, NeverNeedsMoreEditsThanPlainEditingAndAtLeastTheLengthDifference) {
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    WordIds a(random.below(22)), b(random.below(22));
    const std::uint64_t types = 1 + random.below(12);
    for (auto& word : a) word = static_cast<std::uint32_t>(random.below(types));
    for (auto& word : b) word = static_cast<std::uint32_t>(random.below(types));
    const std::size_t edits = edits_with_shifts(a, b);
    ASSERT_LE(edits, edit_distance(a, b));
    ASSERT_GE(edits, a.size() > b.size() ? a.size() - b.size() : b.size() - a.size());
    ASSERT_EQ(edits == 0, a == b);
  }
}

TEST(ShiftSearch, EndsOnVeryLongAndVeryUnequalText) {
  const WordIds long_text(400, 1), short_text(2, 1);
  EXPECT_EQ(edits_with_shifts(long_text, short_text), 398u);
  EXPECT_EQ(edits_with_shifts(short_text, long_text), 398u);
  EXPECT_EQ(edits_with_shifts(long_text, long_text), 0u);
}

TEST(ShiftSearch, MemoryGrowsWithTheLengthNotWithItsSquare) {
  WordIds book(100000);
  std::iota(book.begin(), book.end(), 0u);
  WordIds moved = book;
  std::rotate(moved.begin() + 50000, moved.begin() + 50003, moved.begin() + 50020);
  EXPECT_EQ(edits_with_shifts(moved, book), 1u);
}

double ter_of(const TerOptions& options, const std::string& hypothesis, const Lines& references) {
  const Ter ter(options);
  std::vector<Lines> columns;
  for (const std::string& reference : references) columns.push_back({reference});
  return ter.score(count_all(ter, {hypothesis}, columns).sum());
}

TEST(Ter, IgnoresCaseUnlessAsked) {
  EXPECT_EQ(ter_of({}, "A B C", {"a b c"}), 0);
  EXPECT_EQ(ter_of({.case_sensitive = true}, "A B C", {"a b c"}), 100);
}

TEST(Ter, DividesTheFewestEditsByTheAverageReferenceLength) {
  EXPECT_DOUBLE_EQ(ter_of({}, "a b c", {"a b d", "a b c d e"}), 100 * 1 / 4.0);
}

TEST(Ter, OfEmptyReferencesIsAllOrNothing) {
  EXPECT_EQ(ter_of({}, "a", {""}), 100);
  EXPECT_EQ(ter_of({}, "", {""}), 0);
}

TEST(Ter, CanIgnorePunctuationAndSplitChinese) {
  EXPECT_EQ(ter_of({.no_punctuation = true}, "a, b!", {"a b"}), 0);
  EXPECT_EQ(ter_of({.no_punctuation = true, .asian = true}, "你好。", {"你好"}), 0);
  EXPECT_DOUBLE_EQ(ter_of({.normalize = true, .asian = true}, "你好吗", {"你好吧"}), 100 / 3.0);
}

}  // namespace
}  // namespace dragoman::eval

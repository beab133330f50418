#include "eval/alignment_error.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace dragoman::eval {
namespace {

SentenceLinks parse(const std::string& line, LinkFormat format = {}) { return parse_links(line, format, "f:3"); }

std::string message(const std::string& line, LinkFormat format = {}) {
  try {
    parse(line, format);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Links, AreReadFromEitherBaseAndWithEitherSideFirst) {
  const SentenceLinks plain = parse("0-1 2-0 1p1");
  EXPECT_EQ(plain.sure, (std::vector<Link>{{0, 1}, {2, 0}}));
  EXPECT_EQ(plain.possible, (std::vector<Link>{{1, 1}}));
  EXPECT_EQ(parse("1-2 3-1", {.from = 1}).sure, plain.sure);
  EXPECT_EQ(parse("1-0 0-2", {.swap = true}).sure, plain.sure);
  EXPECT_TRUE(parse("").sure.empty());
}

TEST(Links, GivenTwiceCountOnceAndAsSure) {
  const SentenceLinks links = parse("1-1 1p1 1-1 2p2 2p2");
  EXPECT_EQ(links.sure.size(), 1u);
  EXPECT_EQ(links.possible.size(), 1u);
}

TEST(Links, ThatCannotBeReadNameTheirPlace) {
  for (const char* bad : {"1", "1-", "-1", "1-2x", "a-b", "1--2", "1:2", "99999999999-1"})
    EXPECT_NE(message(bad).find("f:3: expected a link"), std::string::npos) << bad;
  EXPECT_EQ(message("0-1", {.from = 1}), "f:3: the link '0-1' has a word number below 1");
}

TEST(AlignmentError, FollowsItsDefinition) {
  // A = {0-0, 1-1, 2-2, 3-3}, S = {0-0, 1-1, 4-4}, P = S and 2-2.
  const AlignmentError error = compare_links({parse("0-0 1-1 2-2 3-3")}, {parse("0-0 1-1 4-4 2p2")});
  EXPECT_DOUBLE_EQ(error.precision(), 3 / 4.0);
  EXPECT_DOUBLE_EQ(error.recall(), 2 / 3.0);
  EXPECT_DOUBLE_EQ(error.alignment_error(), 1 - 5 / 7.0);
}

TEST(AlignmentError, IsZeroForTheSureLinksWithOrWithoutPossibleOnes) {
  const SentenceLinks gold = parse("0-0 1-1 1p2");
  EXPECT_EQ(compare_links({parse("0-0 1-1")}, {gold}).alignment_error(), 0);
  EXPECT_EQ(compare_links({parse("0-0 1-1 1-2")}, {gold}).alignment_error(), 0);
  EXPECT_EQ(compare_links({parse("")}, {gold}).alignment_error(), 1);
}

TEST(AlignmentError, RefusesUnequalNumbersOfSentences) { EXPECT_THROW(compare_links({parse("")}, {}), Error); }

}  // namespace
}  // namespace dragoman::eval

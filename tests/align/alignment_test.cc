#include "align/alignment.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::align {
namespace {

using support::message;

TEST(Pharaoh, IsWrittenAndReadBack) {
  const Links links = {{0, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(to_pharaoh(links), "0-0 1-2 2-1");
  EXPECT_EQ(parse_pharaoh("2-1 0-0 1-2 0-0", "f:1"), links);
  EXPECT_EQ(to_pharaoh({}), "");
  EXPECT_TRUE(parse_pharaoh("", "f:1").empty());
}

TEST(Pharaoh, PossibleLinksCountAsLinks) { EXPECT_EQ(parse_pharaoh("3p1 0-0", "f:1"), (Links{{0, 0}, {3, 1}})); }

TEST(Pharaoh, ABadLinkNamesItsLine) {
  EXPECT_NE(message([] { parse_pharaoh("0-0 1:2", "f:7"); }).find("f:7: expected a link"), std::string::npos);
}

TEST(Links, OutsideTheSentenceAreRefused) {
  EXPECT_NO_THROW(check_links({{1, 2}}, 2, 3, "f:1"));
  EXPECT_EQ(message([] {
              check_links({{2, 0}}, 2, 3, "f:4");
            }),
            "f:4: the link 2-0 points outside the pair, which has 2 source and 3 target words");
  EXPECT_THROW(check_links({{0, 3}}, 2, 3, "f:4"), Error);
}

TEST(Links, SwappedTwiceAreThemselves) {
  const Links links = {{0, 5}, {1, 2}, {2, 0}};
  EXPECT_EQ(swap_sides(links), (Links{{0, 2}, {2, 1}, {5, 0}}));
  EXPECT_EQ(swap_sides(swap_sides(links)), links);
}

}  // namespace
}  // namespace dragoman::align

#include "align/symmetrise.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace dragoman::align {
namespace {

using enum Symmetrisation;

TEST(Symmetrise, TakesOneDirectionTheIntersectionOrTheUnion) {
  const Links f = {{0, 0}, {1, 1}, {1, 2}}, b = {{0, 0}, {1, 2}, {2, 2}};
  EXPECT_EQ(symmetrise(f, b, forward), f);
  EXPECT_EQ(symmetrise(f, b, backward), b);
  EXPECT_EQ(symmetrise(f, b, intersection), (Links{{0, 0}, {1, 2}}));
  EXPECT_EQ(symmetrise(f, b, unite), (Links{{0, 0}, {1, 1}, {1, 2}, {2, 2}}));
}

TEST(Symmetrise, GrowsToNeighboursThatGiveAWordItsFirstLink) {
  // 1-1 neighbours 0-0, and target word 1 is unaligned; 5-5 has no neighbour.
  const Links f = {{0, 0}, {1, 1}, {5, 5}}, b = {{0, 0}};
  EXPECT_EQ(symmetrise(f, b, grow_diag), (Links{{0, 0}, {1, 1}}));
}

TEST(Symmetrise, DoesNotGrowBetweenWordsThatAreBothLinked) {
  const Links f = {{0, 0}, {0, 1}, {1, 1}}, b = {{0, 0}, {1, 1}};
  EXPECT_EQ(symmetrise(f, b, grow_diag), (Links{{0, 0}, {1, 1}}));
}

TEST(Symmetrise, FinalAddsDistantLinksOfFreeWordsAndFinalAndOnlyWhereBothAreFree) {
  const Links f = {{0, 0}, {0, 4}, {3, 5}}, b = {{0, 0}};
  EXPECT_EQ(symmetrise(f, b, grow_diag), (Links{{0, 0}}));
  EXPECT_EQ(symmetrise(f, b, grow_diag_final), (Links{{0, 0}, {0, 4}, {3, 5}}));
  EXPECT_EQ(symmetrise(f, b, grow_diag_final_and), (Links{{0, 0}, {3, 5}}));
}

// grow-diag as published (Koehn et al. 2003), over a full matrix.
Links grow_on_a_matrix(const Links& f, const Links& b, int size) {
  const std::set<Link> in_f(f.begin(), f.end()), in_b(b.begin(), b.end());
  std::set<Link> grown;
  for (const Link& link : in_f)
    if (in_b.count(link)) grown.insert(link);
  const auto linked = [&](int source, int target) {
    for (int i = 0; i < size; ++i)
      if ((source >= 0 && grown.count({source, i})) || (target >= 0 && grown.count({i, target}))) return true;
    return false;
  };
  const int steps[8][2] = {{0, -1}, {-1, 0}, {0, 1}, {1, 0}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
  for (std::size_t before = grown.size() + 1; before != grown.size();) {
    before = grown.size();
    for (int s = 0; s < size; ++s)
      for (int t = 0; t < size; ++t)
        for (const auto& step : steps) {
          const Link near{s + step[0], t + step[1]};
          if (!grown.count({s, t}) || !(in_f.count(near) || in_b.count(near))) continue;
          if (!linked(near.source, -1) || !linked(-1, near.target)) grown.insert(near);
        }
  }
  return {grown.begin(), grown.end()};
}

Links random_links(Random& random, int size, bool by_target) {
  Links links;
  for (int i = 0; i < size; ++i) {
    const int other = static_cast<int>(random.below(size + 2));
    if (other < size) links.push_back(by_target ? Link{other, i} : Link{i, other});
  }
  sort_links(links);
  return links;
}

TEST(Symmetrise, AgreesWithGrowingOnAMatrixAndNestsAsItsNamesPromise) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    const int size = 1 + static_cast<int>(random.below(9));
    const Links f = random_links(random, size, true);
    const Links b = random_links(random, size, false);
    const Links grown = symmetrise(f, b, grow_diag);
    EXPECT_EQ(grown, grow_on_a_matrix(f, b, size));
    const Links last = symmetrise(f, b, grow_diag_final), both = symmetrise(f, b, grow_diag_final_and);
    const auto within = [](const Links& small, const Links& large) {
      return std::includes(large.begin(), large.end(), small.begin(), small.end());
    };
    EXPECT_TRUE(within(symmetrise(f, b, intersection), grown));
    EXPECT_TRUE(within(grown, both));
    EXPECT_TRUE(within(grown, last));
    EXPECT_TRUE(within(both, symmetrise(f, b, unite)));
    EXPECT_TRUE(within(last, symmetrise(f, b, unite)));
    EXPECT_EQ(swap_sides(symmetrise(swap_sides(b), swap_sides(f), unite)), symmetrise(f, b, unite));
  }
}

}  // namespace
}  // namespace dragoman::align

#include "align/picture.h"

#include <gtest/gtest.h>

namespace dragoman::align {
namespace {

using Words = std::vector<std::string>;

// Posteriors whose two directions are both `weights` [source, target].
PairPosteriors posteriors_of(int sources, int targets, const std::vector<float>& weights) {
  PairPosteriors posteriors;
  posteriors.forward.resize(targets, sources);
  posteriors.backward.resize(sources, targets);
  for (int i = 0; i < sources; ++i)
    for (int j = 0; j < targets; ++j)
      posteriors.forward.row(j)[i] = posteriors.backward.row(i)[j] = weights[static_cast<std::size_t>(i * targets + j)];
  return posteriors;
}

TEST(Picture, ShowsLinksAsBlocksAndOtherPosteriorsAsShades) {
  const Words source = {"das", "Häuschen"}, target = {"the", "hut"};
  EXPECT_EQ(draw_text(source, target, {{0, 0}, {1, 1}}, posteriors_of(2, 2, {0.9f, 0, 0.6f, 0.9f})),
            "t h\n"
            "h u\n"
            "e t\n"
            "█ · das\n"
            "▒ █ Häuschen\n");
}

TEST(Picture, AlignsTargetWordsAtTheMatrix) {
  const Words source = {"a"}, target = {"xyz", "q"};
  EXPECT_EQ(draw_text(source, target, {}, posteriors_of(1, 2, {0, 0})),
            "x\n"
            "y\n"
            "z q\n"
            "· · a\n");
}

}  // namespace
}  // namespace dragoman::align

#include "eval/confusion.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

TEST(ConfusionTest, GivesAccuracyAndTheMeanF1OfTheClassesThatOccur) {
  // Class 0: 3 references, 2 predictions, 2 in common. Class 2: 1 reference, 2 predictions, 1 in common.
  Confusion confusion;
  confusion.add(0, 0);
  confusion.add(0, 0);
  confusion.add(0, 2);
  confusion.add(2, 2);
  EXPECT_EQ(confusion.lines(), 4u);
  EXPECT_EQ(confusion.correct(), 3u);
  EXPECT_DOUBLE_EQ(confusion.accuracy(), 75);
  ASSERT_EQ(confusion.classes().size(), 2u) << "class 1 does not occur";
  const ClassCounts &first = confusion.classes().at(0), &last = confusion.classes().at(2);
  EXPECT_DOUBLE_EQ(first.precision(), 100);
  EXPECT_DOUBLE_EQ(first.recall(), 200.0 / 3);
  EXPECT_DOUBLE_EQ(first.f1(), 80);
  EXPECT_DOUBLE_EQ(last.precision(), 50);
  EXPECT_DOUBLE_EQ(last.recall(), 100);
  EXPECT_DOUBLE_EQ(last.f1(), 200.0 / 3);
  EXPECT_DOUBLE_EQ(confusion.f1(), (80 + 200.0 / 3) / 2);
  EXPECT_EQ(confusion.pairs().at({0, 2}), 1u);
}

TEST(ConfusionTest, LinesWithoutPredictionOrKnownReferenceAreErrors) {
  Confusion confusion;
  confusion.add(1, Confusion::kNone);
  confusion.add(Confusion::kNone, 1);
  confusion.add(Confusion::kNone, Confusion::kNone);
  confusion.add(1, 1);
  EXPECT_DOUBLE_EQ(confusion.accuracy(), 25);
  ASSERT_EQ(confusion.classes().size(), 1u) << "no class of its own";
  EXPECT_DOUBLE_EQ(confusion.classes().at(1).f1(), 50);
}

TEST(ConfusionTest, OfNoLinesIsZero) {
  EXPECT_EQ(Confusion().accuracy(), 0);
  EXPECT_EQ(Confusion().f1(), 0);
  EXPECT_EQ(ClassCounts().precision(), 0);
}

}  // namespace
}  // namespace dragoman::eval

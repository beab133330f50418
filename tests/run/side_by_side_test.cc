#include "run/side_by_side.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

using Format = SideBySide::Format;

TEST(SideBySide, PutsSourceReferenceAndOutputBelowEachOther) {
  const support::TempFolder folder;
  folder.write("references", "ein Haus\n\n");
  SideBySide pairs(Format::text, folder.file("references"));
  EXPECT_EQ(pairs.header(), "");
  EXPECT_EQ(pairs.next("a house", "das Haus"),
            "source     a house\n"
            "reference  ein Haus\n"
            "output     das Haus\n\n");
  EXPECT_EQ(pairs.next("", ""), "source     \nreference  \noutput     \n\n");
  EXPECT_NO_THROW(pairs.finish());
  EXPECT_EQ(SideBySide(Format::text, "").next("a", "b"), "source     a\noutput     b\n\n");
}

TEST(SideBySide, ATableHasOneLinePerSentenceAndNoOtherTabs) {
  const support::TempFolder folder;
  folder.write("references", "r\ts\n");
  SideBySide table(Format::tsv, folder.file("references"));
  EXPECT_EQ(table.header(), "source\treference\toutput\n");
  EXPECT_EQ(table.next("a\tb", "c"), "a b\tr s\tc\n");
  EXPECT_EQ(SideBySide(Format::tsv, "").header(), "source\toutput\n");
  EXPECT_EQ(SideBySide(Format::tsv, "").next("a", "b"), "a\tb\n");
}

TEST(SideBySide, RefusesReferencesOfAnotherNumber) {
  const support::TempFolder folder;
  folder.write("references", "one\ntwo\n");
  SideBySide pairs(Format::text, folder.file("references"));
  pairs.next("a", "b");
  EXPECT_NE(support::message([&] { pairs.finish(); }).find("more lines than the 1 of the input"), std::string::npos);
  SideBySide again(Format::text, folder.file("references"));
  again.next("a", "b");
  again.next("a", "b");
  EXPECT_NE(support::message([&] { again.next("a", "b"); }).find("has 2 lines, fewer than the input"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::run

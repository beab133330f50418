#include "text/units.h"

#include <gtest/gtest.h>

#include <string>

namespace dragoman::text {
namespace {

// Units between bars; words in parentheses.
std::string show_units(std::string_view text) {
  std::string shown;
  for (const Unit& unit : split_units(text)) {
    const std::string part(text.substr(unit.span.begin, unit.span.end - unit.span.begin));
    shown += unit.is_word ? "(" + part + ")" : "|" + part + "|";
  }
  return shown;
}

TEST(Units, WordsHaveNoPunctuation) {
  EXPECT_EQ(show_units("Hello, world!"), "(Hello)|,|(world)|!|");
  EXPECT_EQ(show_units("  it's 3.5 km\u00a0away..."), "(it)|'|(s)(3)|.|(5)(km)(away)|.||.||.|");
  EXPECT_EQ(show_units(""), "");
  EXPECT_EQ(show_units(" \n\t"), "");
}

TEST(Units, ScriptsWithoutSpacesAreDividedIntoCharacters) {
  EXPECT_EQ(show_units("日本へ、go"), "(日)(本)(へ)|、|(go)");
  EXPECT_EQ(show_units("\u0e01\u0e34\u0e19"), "(\u0e01\u0e34)(\u0e19)") << "a mark belongs to the letter before it";
  EXPECT_EQ(show_units("한국어 말"), "(한국어)(말)");
}

TEST(Units, MarksAndInvalidBytesAreKept) {
  EXPECT_EQ(show_units("e\u0301a"), "(e\u0301a)");
  EXPECT_EQ(show_units("a\xff"), "(a)|\xff|");
}

}  // namespace
}  // namespace dragoman::text

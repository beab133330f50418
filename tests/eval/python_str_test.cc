#include "eval/python_str.h"

#include <gtest/gtest.h>

namespace dragoman::eval::python {
namespace {

// The expected strings are from Python 3.11's str.lower().
TEST(PythonStr, LowercasesAsPythonDoes) {
  EXPECT_EQ(lower("ABC xyz 1!"), "abc xyz 1!");
  EXPECT_EQ(lower("ÄÖÜẞ ЖЙ ΑΒΓ"), "äöüß жй αβγ");
  EXPECT_EQ(lower("İI"), "i̇i");
  EXPECT_EQ(lower("ΟΔΥΣΣΕΥΣ ΣΟΦΟΣ. Σ"), "οδυσσευς σοφος. σ");
  EXPECT_EQ(lower("ΑΣ'Β ΑΣ' Β"), "ασ'β ας' β");
  EXPECT_EQ(lower("Ǆ ǅ Ⅷ Ⓐ"), "ǆ ǆ ⅷ ⓐ");
}

TEST(PythonStr, SplitsAtEveryKindOfSpaceAndOnlyThere) {
  EXPECT_EQ(split("a\u00a0b\u3000c\u2009d\te\x1c"
                  "f\u0085g"),
            (std::vector<std::string_view>{"a", "b", "c", "d", "e", "f", "g"}));
  EXPECT_EQ(split("a\u200bb\u00adc\ufeffd"), std::vector<std::string_view>{"a\u200bb\u00adc\ufeffd"});
  EXPECT_TRUE(split(" \t \u3000").empty());
}

TEST(PythonStr, StripsTheRightEndOnly) {
  EXPECT_EQ(rstrip("  a b\u00a0 \u3000"), "  a b");
  EXPECT_EQ(rstrip("\u2009"), "");
  EXPECT_EQ(rstrip("é"), "é");
}

}  // namespace
}  // namespace dragoman::eval::python

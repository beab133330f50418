#include "eval/unicode.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

// The expected strings are what Python 3.11's str.lower() gives.
TEST(Unicode, LowercasesAsPythonDoes) {
  EXPECT_EQ(lowercase("ABC xyz 1!"), "abc xyz 1!");
  EXPECT_EQ(lowercase("ÄÖÜẞ ЖЙ ΑΒΓ"), "äöüß жй αβγ");
  EXPECT_EQ(lowercase("İI"), "i̇i");
  EXPECT_EQ(lowercase("ΟΔΥΣΣΕΥΣ ΣΟΦΟΣ. Σ"), "οδυσσευς σοφος. σ");
  EXPECT_EQ(lowercase("ΑΣ'Β ΑΣ' Β"), "ασ'β ας' β");
  EXPECT_EQ(lowercase("Ǆ ǅ Ⅷ Ⓐ"), "ǆ ǆ ⅷ ⓐ");
}

TEST(Unicode, SplitsAtEveryKindOfSpaceAndOnlyThere) {
  EXPECT_EQ(split_words("a\u00a0b\u3000c\u2009d\te\x1c"
                        "f\u0085g"),
            (std::vector<std::string_view>{"a", "b", "c", "d", "e", "f", "g"}));
  EXPECT_EQ(split_words("a\u200bb\u00adc\ufeffd"), std::vector<std::string_view>{"a\u200bb\u00adc\ufeffd"});
  EXPECT_TRUE(split_words(" \t \u3000").empty());
}

TEST(Unicode, StripsTheRightEndOnly) {
  EXPECT_EQ(strip_right("  a b\u00a0 \u3000"), "  a b");
  EXPECT_EQ(strip_right("\u2009"), "");
  EXPECT_EQ(strip_right("é"), "é");
}

}  // namespace
}  // namespace dragoman::eval

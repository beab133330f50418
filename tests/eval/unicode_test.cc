#include "eval/unicode.h"

#include <gtest/gtest.h>

namespace dragoman::eval {
namespace {

using namespace std::string_literals;

TEST(Unicode, DecodesWhatItEncodes) {
  for (const char32_t c :
       {U'\x00', U'a', U'\x7f', U'\x80', U'ß', U'\x7ff', U'\x800', U'好', U'\xffff', U'🙂', U'\x10ffff'}) {
    std::string text;
    append_utf8(text, c);
    EXPECT_EQ(decode(text), std::vector<char32_t>{c});
  }
}

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

TEST(Unicode, KnowsPunctuationSymbolsAndNumbers) {
  for (const char32_t c : U".,!„“。、—_("s) EXPECT_TRUE(is_punctuation(c)) << static_cast<unsigned>(c);
  for (const char32_t c : U"$+<€^`🙂©"s) EXPECT_TRUE(is_symbol(c)) << static_cast<unsigned>(c);
  for (const char32_t c : U"5²५Ⅷ½"s) EXPECT_TRUE(is_number(c)) << static_cast<unsigned>(c);
  for (const char32_t c : U"aß好 "s) EXPECT_FALSE(is_punctuation(c) || is_symbol(c) || is_number(c));
}

}  // namespace
}  // namespace dragoman::eval

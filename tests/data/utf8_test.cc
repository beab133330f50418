#include "data/utf8.h"

#include <gtest/gtest.h>

#include "data/script.h"

namespace dragoman::data {
namespace {

TEST(Utf8, EveryCodePointIsValidExceptSurrogatesAndNul) {
  for (char32_t code = 0; code <= 0x110000; ++code) {
    std::string text = "some ascii before ";
    const std::size_t at = text.size();
    const auto put = [&](unsigned byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    } else {
      put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)),
          put(0x80 | (code & 0x3F));
    }
    const bool valid = code != 0 && (code < 0xD800 || code > 0xDFFF) && code <= 0x10FFFF;
    ASSERT_EQ(find_invalid_utf8(text), valid ? std::string::npos : at) << static_cast<std::uint32_t>(code);
  }
}

TEST(Utf8, OverlongCutAndStrayBytesAreFoundWhereTheyStand) {
  EXPECT_EQ(find_invalid_utf8("ab\xC0\x80"), 2u);
  EXPECT_EQ(find_invalid_utf8("\xE0\x80\x80"), 0u);
  EXPECT_EQ(find_invalid_utf8("\xF0\x80\x80\x80"), 0u);
  EXPECT_EQ(find_invalid_utf8("abcdefgh\xE2\x82"), 8u);
  EXPECT_EQ(find_invalid_utf8("abc\x80"), 3u);
  EXPECT_EQ(find_invalid_utf8(""), std::string::npos);
}

TEST(Utf8, ReplacingMakesAnyBytesValid) {
  EXPECT_EQ(replace_invalid_utf8("a\xFF\xC3\xA4\xC3"), "a\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD");
  std::string all;
  for (unsigned i = 0; i < 65536; ++i) all += static_cast<char>(i * 40503u >> 5);
  EXPECT_EQ(find_invalid_utf8(replace_invalid_utf8(all)), std::string::npos);
}

TEST(Script, LettersBelongToTheirScriptsAndPunctuationToNone) {
  EXPECT_EQ(script_of(U'a'), Script::latin);
  EXPECT_EQ(script_of(U'ß'), Script::latin);
  EXPECT_EQ(script_of(U'ж'), Script::cyrillic);
  EXPECT_EQ(script_of(U'λ'), Script::greek);
  EXPECT_EQ(script_of(U'न'), Script::devanagari);
  EXPECT_EQ(script_of(U'中'), Script::han);
  EXPECT_EQ(script_of(U'한'), Script::hangul);
  EXPECT_EQ(script_of(U'の'), Script::kana);
  for (const char32_t c : U"0 ,.!×÷«»„“–€।") EXPECT_EQ(script_of(c), Script::any) << static_cast<std::uint32_t>(c);
}

TEST(Script, TheShareCountsLettersOnly) {
  EXPECT_EQ(share_in_script("ab жж, 12!", Script::latin), 0.5);
  EXPECT_EQ(share_in_script("12 + 3", Script::cyrillic), 1.0);
  EXPECT_EQ(share_in_script("日本の", Script::kana), 1.0);
}

}  // namespace
}  // namespace dragoman::data

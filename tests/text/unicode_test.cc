#include "text/unicode.h"

#include <gtest/gtest.h>

#include <ctime>
#include <set>

#include "base/random.h"

namespace dragoman::text {
namespace {

using namespace std::string_literals;

std::string utf8(char32_t code) {
  std::string out;
  append_utf8(code, out);
  return out;
}

TEST(Unicode, EveryCodePointSurvivesEncodingAndDecoding) {
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string bytes = utf8(code);
    const CodePoint point = code_point_at(bytes, 0);
    ASSERT_TRUE(point.valid && point.code == code && point.length == bytes.size()) << static_cast<std::uint32_t>(code);
    const CodePoint back = code_point_before(bytes, bytes.size());
    ASSERT_TRUE(back.valid && back.code == code) << static_cast<std::uint32_t>(code);
  }
}

TEST(Unicode, CodePointsComeInOrder) {
  for (const char32_t c :
       {U'\x00', U'a', U'\x7f', U'\x80', U'ß', U'\x7ff', U'\x800', U'好', U'\xffff', U'🙂', U'\x10ffff'}) {
    EXPECT_EQ(code_points(utf8(c)), std::vector<char32_t>{c});
    EXPECT_EQ(code_points("a" + utf8(c) + "ß"), (std::vector<char32_t>{U'a', c, U'ß'}));
  }
}

TEST(Unicode, KnowsPunctuationSymbolsAndNumbers) {
  for (const char32_t c : U".,!„“。、—_("s) EXPECT_EQ(classify(c), CharClass::punctuation) << utf8(c);
  for (const char32_t c : U"$+<€^`🙂©"s) EXPECT_EQ(classify(c), CharClass::symbol) << utf8(c);
  for (const char32_t c : U"5²५Ⅷ½"s) EXPECT_EQ(classify(c), CharClass::number) << utf8(c);
  for (const char32_t c : U"aß好"s) EXPECT_EQ(classify(c), CharClass::letter) << utf8(c);
}

TEST(Unicode, OverlongFormsSurrogatesAndCutCharactersAreInvalidOneByteAtATime) {
  for (const char* bytes : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80",
                            "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xFF"}) {
    const CodePoint point = code_point_at(bytes, 0);
    EXPECT_FALSE(point.valid) << bytes;
    EXPECT_EQ(point.length, 1);
  }
}

TEST(Unicode, WhiteSpaceIsUnicodesAndNotPythons) {
  std::set<char32_t> spaces;
  for (char32_t code = 0; code < 0x110000; ++code)
    if (classify(code) == CharClass::space) spaces.insert(code);
  EXPECT_EQ(spaces, (std::set<char32_t>{0x9,    0xA,    0xB,    0xC,    0xD,    0x20,   0x85,   0xA0,   0x1680,
                                        0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                        0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}));
}

TEST(Unicode, LettersOfLaterUnicodeVersionsAreLetters) {
  EXPECT_EQ(classify(0x1E6C0), CharClass::letter);
  EXPECT_EQ(classify(0x10D40), CharClass::number);
  EXPECT_EQ(classify(0x0897), CharClass::mark);
  EXPECT_EQ(classify(0x0378), CharClass::other);
}

TEST(Unicode, NormalFormsComposeAndFoldCompatibility) {
  EXPECT_EQ(normalize("u\u0308ber \uFB01x", NormalForm::nfc), "\u00FCber \uFB01x");
  EXPECT_EQ(normalize("u\u0308ber \uFB01x", NormalForm::nfkc), "\u00FCber fix");
  EXPECT_EQ(normalize("u\u0308ber", NormalForm::none), "u\u0308ber");
  EXPECT_EQ(normalize("a\xFF u\u0308", NormalForm::nfc), "a\xFF \u00FC");
}

// Expected by unicodedata.normalize of Python 3.11 (Unicode 14).
TEST(Unicode, NormalFormsSortMarksByTheirClassesAndKeepTheOrderOfEqualOnes) {
  const struct {
    const char *text, *nfc, *nfkc;
  } cases[] = {
      {"a\u0345\u094D\u031B\u3099\u094D\U0001D165\u094D\u093C\u0338",
       "a\u0338\u093C\u3099\u094D\u094D\u094D\u031B\U0001D165\u0345",
       "a\u0338\u093C\u3099\u094D\u094D\u094D\u031B\U0001D165\u0345"},
      {"e\u0301\u0301\U0001D165\u05BC\u3099\u0327\u093C\u0301\u0338\u0323",
       "\u0229\u0338\u093C\u3099\u05BC\U0001D165\u0323\u0301\u0301\u0301",
       "\u0229\u0338\u093C\u3099\u05BC\U0001D165\u0323\u0301\u0301\u0301"},
      {"\uFB01\u031B\u05BC\U0001D165\u0327\u05B0", "\uFB01\u05B0\u05BC\u0327\u031B\U0001D165",
       "fi\u05B0\u05BC\u0327\u031B\U0001D165"},
      {"\u304B\u3099\u05B0\u0323\u3099\u3099\u0308\u0323\u0651\u0651\u05BC\u0323",
       "\u304C\u3099\u3099\u05B0\u05BC\u0651\u0651\u0323\u0323\u0323\u0308",
       "\u304C\u3099\u3099\u05B0\u05BC\u0651\u0651\u0323\u0323\u0323\u0308"},
      {"\u1E9B\u0323\u0301\U0001D165\u0301\u0327\u3099\u0327", "\u1E9B\u3099\u0327\u0327\U0001D165\u0323\u0301\u0301",
       "\u015F\u3099\u0327\U0001D165\u0323\u0307\u0301\u0301"},
      {"o\U0001D165\u0323\u0345\u031B\u0327\u064B", "\u1ECD\u064B\u0327\U0001D165\u031B\u0345",
       "\u1ECD\u064B\u0327\U0001D165\u031B\u0345"}};
  for (const auto& one : cases) {
    EXPECT_EQ(normalize(one.text, NormalForm::nfc), one.nfc) << one.text;
    EXPECT_EQ(normalize(one.text, NormalForm::nfkc), one.nfkc) << one.text;
  }
}

// Sorting by exchanging neighbours would take minutes.
TEST(Unicode, ALongRunOfMarksInDisorderIsNormalisedInTimeProportionalToItsLength) {
  std::string text = "a", sorted = "a";
  for (int i = 0; i < 300'000; ++i) text += "\u0345\u0334";
  for (const char* const mark : {"\u0334", "\u0345"})
    for (int i = 0; i < 300'000; ++i) sorted += mark;
  const std::clock_t begin = std::clock();
  EXPECT_TRUE(normalize(text, NormalForm::nfc) == sorted);
  MappedText mapped(text);
  mapped.normalize(NormalForm::nfc);
  EXPECT_TRUE(mapped.text() == sorted);
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10) << "seconds, with a sanitizer";
}

TEST(Unicode, CaseIsLoweredCharacterByCharacterAndFoldedInFull) {
  EXPECT_EQ(lower_case("GRÖSSE Straße ΑΒΓ"), "grösse straße αβγ");
  EXPECT_EQ(fold_case("Straße"), fold_case("STRASSE"));
  EXPECT_NE(lower_case("Straße"), lower_case("STRASSE"));
}

TEST(MappedText, SpansPointIntoTheOriginalAfterEveryChange) {
  const std::string original = "U\u0308ber \uFB01x \u0130X";  // U, combining diaeresis; fi ligature; dotted capital I
  MappedText text(original);
  text.normalize(NormalForm::nfkc);
  text.lower_case();
  EXPECT_EQ(text.text(), "\u00FCber fix ix");
  const auto source = [&](std::string_view part) {
    const auto at = static_cast<std::uint32_t>(text.text().find(part));
    const Span span = text.original(at, at + static_cast<std::uint32_t>(part.size()));
    return original.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(source("\u00FCber"), "U\u0308ber");
  EXPECT_EQ(source("fix"), "\uFB01x");
  EXPECT_EQ(source("ix"), "\uFB01x");
  EXPECT_EQ(source("i"), "\uFB01");
}

TEST(MappedText, NormalisingByClustersEqualsNormalisingTheWhole) {
  Random random(7);
  const std::vector<std::pair<char32_t, char32_t>> blocks = {{0x20, 0x7E},     {0xC0, 0x24F},    {0x300, 0x36F},
                                                             {0x900, 0x97F},   {0x1100, 0x11FF}, {0xAC00, 0xAC40},
                                                             {0xF900, 0xFA6D}, {0xFB00, 0xFB4F}, {0x1F600, 0x1F64F}};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t i = random.below(12); i-- > 0;) {
      const auto [first, last] = blocks[random.below(blocks.size())];
      append_utf8(first + static_cast<char32_t>(random.below(last - first + 1)), text);
    }
    for (const NormalForm form : {NormalForm::nfc, NormalForm::nfkc}) {
      MappedText mapped(text);
      mapped.normalize(form);
      ASSERT_EQ(mapped.text(), normalize(text, form)) << text;
    }
  }
}

}  // namespace
}  // namespace dragoman::text

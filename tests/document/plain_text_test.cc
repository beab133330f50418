// What plain text keeps.
#include <gtest/gtest.h>

#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

Texts text_segments(const std::string& text, const Options& options = {}) {
  return Document::parse(text, Format::text, options).segments();
}

TEST(PlainText, SpacesBlankLinesAndMarksStay) {
  const std::string text =
      "# A title\n\n  An indented line.  And another.\r\n\t- an item\n* another\n12. a third\n> > a quotation\n"
      "\u2022 a bullet\n-----\n\n42\n   \n1.5 litres of water\n\n";
  const std::string capitals =
      "# A TITLE\n\n  AN INDENTED LINE.  AND ANOTHER.\r\n\t- AN ITEM\n* ANOTHER\n12. A THIRD\n> > A QUOTATION\n"
      "\u2022 A BULLET\n-----\n\n42\n   \n1.5 LITRES OF WATER\n\n";
  EXPECT_EQ(in_capitals(text, Format::text), capitals);
  EXPECT_EQ(text_segments(text), (Texts{"A title", "An indented line.", "And another.", "an item", "another", "a third",
                                        "a quotation", "a bullet", "1.5 litres of water"}));
}

TEST(PlainText, NumbersInBracketsLettersAndBoxesAreMarks) {
  EXPECT_EQ(in_capitals("a) first\nB) second\n(c) third\n(12) fourth\n3) fifth\n- [ ] to do\n[x] done\n", Format::text),
            "a) FIRST\nB) SECOND\n(c) THIRD\n(12) FOURTH\n3) FIFTH\n- [ ] TO DO\n[x] DONE\n");
  EXPECT_EQ(text_segments("a. M. Smith\n(a word) here\n(1. x\n[y] z\na)b\na)"),
            (Texts{"a. M. Smith", "(a word) here", "(1. x", "[y] z", "a)b", "a)"}));
}

TEST(PlainText, GapsAndSegmentsAreTheText) {
  for (const std::string text : {"", " \n", "***", "a", "- a\n\n1. b  C d.\n***\n", "\r\n  # a. \u00a0 B!\r\n-----"}) {
    const Document document = Document::parse(text, Format::text);
    const Texts segments = document.segments(), gaps = document.gaps();
    ASSERT_EQ(gaps.size(), segments.size() + 1);
    std::string whole = gaps[0];
    for (std::size_t i = 0; i < segments.size(); ++i) whole += segments[i] + gaps[i + 1];
    EXPECT_EQ(whole, text);
  }
}

TEST(PlainText, AByteOrderMarkStaysOutside) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(text_segments(mark + "a b."), Texts{"a b."});
  EXPECT_EQ(in_capitals(mark + "a b.\n", Format::text), mark + "A B.\n");
  EXPECT_EQ(in_capitals(mark + "<p>a</p>", Format::html), mark + "<p>A</p>");
  EXPECT_EQ(Document::parse(mark + "- a", Format::text).gaps(), (Texts{mark + "- ", ""}));
}

TEST(PlainText, MarkupIsText) {
  EXPECT_EQ(text_segments("a <b> &amp; c"), Texts{"a <b> &amp; c"});
  EXPECT_EQ(in_capitals("a <b> &amp; c", Format::text), "A <B> &AMP; C");
}

TEST(PlainText, LinesAreParagraphsUnlessTheyAreJoined) {
  const std::string text =
      "This sentence\ngoes on here. And\nends.\n\nNew paragraph\n- item one\n- item two\ngoes on\n";
  EXPECT_EQ(text_segments(text), (Texts{"This sentence", "goes on here.", "And", "ends.", "New paragraph", "item one",
                                        "item two", "goes on"}));
  Options options;
  options.split = Split::paragraphs;
  EXPECT_EQ(text_segments(text, options),
            (Texts{"This sentence goes on here.", "And ends.", "New paragraph", "item one", "item two goes on"}));
  options.split = Split::lines;
  EXPECT_EQ(text_segments("One. Two.\nThree.", options), (Texts{"One. Two.", "Three."}));
}

TEST(PlainText, SentencesInAnotherScriptThanThatOfTheLanguageStay) {
  const std::string text =
      "\u041f\u0440\u0438\u0432\u0435\u0442!\nNa\u00efve. \u4f60\u597d\u3002 The word "
      "\u03bb\u03cc\u03b3\u03bf\u03c2.\n\u0645\u0631\u062d\u0628\u0627\n";
  Options english;
  english.language = text::Language::english;
  EXPECT_EQ(text_segments(text, english), (Texts{"Na\u00efve.", "The word \u03bb\u03cc\u03b3\u03bf\u03c2."}));
  EXPECT_EQ(text_segments("\u041f\u0440\u0438\u0432\u0435\u0442!"), Texts{"\u041f\u0440\u0438\u0432\u0435\u0442!"});
}

TEST(PlainText, TheLanguageSaysWhereSentencesEnd) {
  Options options;
  options.language = text::Language::german;
  EXPECT_EQ(text_segments("Am 3. Oktober. Ja.", options), (Texts{"Am 3. Oktober.", "Ja."}));
}

TEST(PlainText, OtherEncodingsAreRefused) {
  const auto refusal = [](std::string bytes) -> std::string {
    try {
      Document::parse(std::move(bytes), Format::text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("caf\xe9").find("byte 4 is not part of a character"), std::string::npos);
  EXPECT_NE(refusal(std::string("c\0a\0", 4)).find("byte 2 is NUL"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::document

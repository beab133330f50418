// Subtitles keep their times and their shape.
#include <gtest/gtest.h>

#include "document/subtitles.h"
#include "tests/document/translations.h"
#include "tests/support/errors.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

const std::string kSubtitles =
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>This is a long sentence</i>\r\nthat goes on.\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000 X1:0\r\n{\\an8}- Who is there?\r\n- Nobody, <b>only</b> me.\r\n\r\n"
    "3\r\n00:00:05,000 --> 00:00:06,000\r\n\r\n4\r\n00:00:07,000 --> 00:00:08,000\r\n- Dash\r\n- Two\r\nlines\r\n";

TEST(Subtitles, LinesOfOneSubtitleAreOneSegment) {
  EXPECT_EQ(Document::parse(kSubtitles, Format::srt).segments(),
            (Texts{"This is a long sentence that goes on.", "Who is there?", "Nobody, only me.", "Dash", "Two lines"}));
}

TEST(Subtitles, NumbersTimesAndTagsStay) {
  EXPECT_EQ(
      in_capitals(kSubtitles, Format::srt),
      "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>THIS IS A LONG\r\nSENTENCE</i> THAT GOES ON.\r\n\r\n"
      "2\r\n00:00:03,000 --> 00:00:04,000 X1:0\r\n{\\an8}- WHO IS THERE?\r\n- NOBODY, <b>ONLY</b> ME.\r\n\r\n"
      "3\r\n00:00:05,000 --> 00:00:06,000\r\n\r\n4\r\n00:00:07,000 --> 00:00:08,000\r\n- DASH\r\n- TWO\r\nLINES\r\n");
}

TEST(Subtitles, TranslationsAreWrappedToAsManyLines) {
  EXPECT_EQ(wrap_lines("one two three four", 2), "one two\nthree four");
  EXPECT_EQ(wrap_lines("one two three four", 4), "one\ntwo\nthree\nfour");
  EXPECT_EQ(wrap_lines("one two", 4), "one\ntwo");
  EXPECT_EQ(wrap_lines("one", 3), "one");
  EXPECT_EQ(wrap_lines("a b c d e f g hhhhhhhhhhhhhhhhhhhhhhhhh", 3), "a b c d e f\ng\nhhhhhhhhhhhhhhhhhhhhhhhhh");
}

TEST(Subtitles, ATextWithoutTimesIsRefused) {
  for (const std::string text : {"Just a letter.\n\nIt goes from here --> to there.\n", "WEBVTT\n", "1\nHello\n"})
    EXPECT_NE(support::message([&] { Document::parse(text, Format::srt); }).find("has no subtitles"), std::string::npos)
        << text;
  EXPECT_TRUE(Document::parse(" \n\n", Format::srt).segments().empty());
}

}  // namespace
}  // namespace dragoman::document

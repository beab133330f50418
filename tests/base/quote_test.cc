#include "base/quote.h"

#include <gtest/gtest.h>

namespace dragoman {
namespace {

std::string shown(std::string_view text) { return fmt::format("{}", excerpt(text)); }

TEST(Quote, TextStaysAsItIs) {
  EXPECT_EQ(escaped("Grüße, 世界 🎈 C:\\dir"), "Grüße, 世界 🎈 C:\\dir");
  EXPECT_EQ(shown(""), "");
}

TEST(Quote, NothingThatControlsATerminalPasses) {
  EXPECT_EQ(escaped("a\x1b[2Jb\nc\rd\te\x7f"), "a\\x1B[2Jb\\x0Ac\\x0Dd\\x09e\\x7F");
  EXPECT_EQ(escaped("a\u009b31m\u202eb\u2028"), "a\\u{009B}31m\\u{202E}b\\u{2028}");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Quote, BytesThatAreNotUtf8AreShownAsBytes) {
  EXPECT_EQ(escaped("\xff|\xc3|\xe2\x82|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xc3\xa4"),
            "\\xFF|\\xC3|\\xE2\\x82|\\xC0\\xAF|\\xED\\xA0\\x80|\\xF4\\x90\\x80\\x80|ä");
}

TEST(Quote, AnExcerptHasAtMostAScreensWidth) {
  const std::string width(80, 'x');
  EXPECT_EQ(shown(width), width);
  EXPECT_EQ(shown(width + "y"), std::string(79, 'x') + "…");
  EXPECT_EQ(shown(std::string(1'000'000, 'x')), std::string(79, 'x') + "…");
  EXPECT_EQ(shown(std::string(1'000'000, '\n')).size(), 19 * 4 + std::string("…").size()) << "whole escapes only";
}

}  // namespace
}  // namespace dragoman

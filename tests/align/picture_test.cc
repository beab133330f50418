#include "align/picture.h"

#include <gtest/gtest.h>

namespace dragoman::align {
namespace {

using Words = std::vector<std::string>;

TEST(Picture, InATerminalShowsLinksAndShades) {
  const Words source = {"das", "Häuschen"}, target = {"the", "hut"};
  const Shade shade = [](int i, int j) { return i == 1 && j == 0 ? 0.6f : i == j ? 0.9f : 0.0f; };
  EXPECT_EQ(draw_text({source, target}, {{0, 0}, {1, 1}}, shade),
            "t h\n"
            "h u\n"
            "e t\n"
            "█ · das\n"
            "▒ █ Häuschen\n");
}

TEST(Picture, LongerWordsStandHigher) {
  const Words source = {"a"}, target = {"xyz", "q"};
  EXPECT_EQ(draw_text({source, target}, {}, [](int, int) { return 0.0f; }),
            "x\n"
            "y\n"
            "z q\n"
            "· · a\n");
}

TEST(Picture, AsSvgEscapesWordsAndFramesLinks) {
  const Words source = {"<a>", "&"}, target = {"\"x\""};
  const std::string svg = draw_svg({source, target}, {{1, 0}}, [](int, int) { return 1.0f; });
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_NE(svg.find("&lt;a&gt;"), std::string::npos);
  EXPECT_NE(svg.find(">&amp;</text>"), std::string::npos);
  EXPECT_NE(svg.find("&quot;x&quot;"), std::string::npos);
  EXPECT_NE(svg.find("stroke=\"#c03030\""), std::string::npos);
  EXPECT_EQ(svg.find("<a>"), std::string::npos);
  EXPECT_EQ(svg.find("#c03030"), svg.rfind("#c03030"));
}

}  // namespace
}  // namespace dragoman::align

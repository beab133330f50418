#include "report/word_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "tests/support/errors.h"

namespace dragoman::report::word_matrices {
namespace {

std::vector<double> numbers(const std::string& svg, const std::string& pattern) {
  std::vector<double> found;
  const std::regex expression(pattern);
  for (auto match = std::sregex_iterator(svg.begin(), svg.end(), expression); match != std::sregex_iterator(); ++match)
    found.push_back(std::stod((*match)[1]));
  return found;
}

const char* const kCellX = "<rect class='cell' x='([0-9.]+)'";

TEST(WordMatrix, IsAnImageWithATitle) {
  WordMatrix matrix{{"a"}, {"b"}, {0.5}, {}, "a <map>"};
  EXPECT_NE(draw(matrix).find("role='img'"), std::string::npos);
  EXPECT_NE(draw(matrix).find("<title>a &lt;map&gt;</title>"), std::string::npos);
  matrix.title.clear();
  EXPECT_NE(draw(matrix).find("<title>weights of 1 words over 1 words</title>"), std::string::npos);
}

TEST(WordMatrix, LongSentencesHaveSmallerCells) {
  const auto width = [](std::size_t words) {
    const std::vector<std::string> tokens(words, "word");
    const std::string svg = draw(WordMatrix{tokens, tokens, std::vector<double>(words * words, 0.1), {}});
    return std::pair(numbers(svg, "<rect class='cell'[^>]* width='([0-9.]+)'").at(0),
                     numbers(svg, "<svg [^>]*width='([0-9.]+)'").at(0));
  };
  const auto [usual, narrow] = width(12);
  const auto [small, wide] = width(60);
  EXPECT_LT(small, 0.6 * usual);
  EXPECT_LT(wide, 800) << "a sentence of 60 tokens fits on a page";
  EXPECT_GT(wide, narrow);
}

TEST(WordMatrix, LabelsFitIntoTheDrawing) {
  const std::string longest(24, 'm');
  const std::string svg = draw(WordMatrix{{longest}, {"a", "b", longest}, {1, 0, 0}, {}});
  const double width = numbers(svg, "viewBox='0 0 ([0-9]+) ").at(0), x = numbers(svg, kCellX).back();
  EXPECT_GT(width - x, 24 * 13 * 0.6 * 0.7) << "the last label rises to the right of its column";
  EXPECT_GT(numbers(svg, kCellX).front(), 24 * 13 * 0.6) << "the label of the row is left of its cells";
  EXPECT_NE(draw(WordMatrix{{std::string(40, 'x')}, {"b"}, {1}, {}}).find(">" + std::string(23, 'x') + "…<"),
            std::string::npos)
      << "very long words are cut";
}

TEST(WordMatrix, SpecialTokensStandOut) {
  const std::string svg = draw(WordMatrix{{"a", "<unk>"}, {"b", "</s>"}, {1, 0, 0, 1}, {}});
  EXPECT_EQ(numbers(svg, "class='special' font-style='italic' x='([0-9.]+)'[^>]*>&lt;unk&gt;<").size(), 1u);
  EXPECT_EQ(
      numbers(svg, "class='special' font-style='italic' transform='translate\\(([0-9.]+)[^>]*>&lt;/s&gt;<").size(), 1u);
}

TEST(WordMatrix, AMapOfThePastIsATriangle) {
  const WordMatrix map = past_attention_map({"das", "rote", "haus"}, {{1}, {0.25f, 0.75f}, {0.1f, 0.2f, 0.7f}});
  EXPECT_EQ(map.columns, (std::vector<std::string>{"<s>", "das", "rote"}));
  EXPECT_TRUE(std::isnan(map.weights[1]));
  EXPECT_NEAR(map.weights[4], 0.75, 1e-6);
  const std::string svg = draw(map);
  EXPECT_EQ(numbers(svg, kCellX).size(), 6u);
  EXPECT_NE(svg.find("rote / das: 0.750"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(support::message([] {
              past_attention_map({"a", "b"}, {{1}, {0.5f, 0.25f, 0.25f}});
            }).find("at most 2"),
            std::string::npos);
}

TEST(WordMatrix, SeveralMapsShareAFile) {
  const WordMatrix maps[] = {attention_map({"a", "b"}, {"x"}, {{1}, {1}}),
                             past_attention_map({"a", "b"}, {{1}, {0, 1}})};
  const std::string file = draw_file(maps);
  EXPECT_EQ(file.rfind("<svg xmlns=", 0), 0u);
  EXPECT_EQ(numbers(file, kCellX).size(), 2u + 3u);
  const std::vector<double> heights = numbers(file, "height='([0-9]+)' viewBox"),
                            tops = numbers(file, " y='([0-9]+)' width");
  ASSERT_EQ(heights.size(), 3u);
  ASSERT_EQ(tops.size(), 2u);
  EXPECT_GE(tops[1], tops[0] + heights[1]) << "the second map is below the first";
  EXPECT_GE(heights[0], tops[1] + heights[2]) << "both are inside the file";
  EXPECT_NE(file.find("prefers-color-scheme:dark"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::report::word_matrices

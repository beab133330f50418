#include "report/word_matrix.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "data/utf8.h"
#include "report/escape.h"

namespace dragoman::report {
namespace {

// In pixels. The width of a text is estimated from the mean width of a letter.
constexpr int kCell = 20, kGap = 2, kLetter = 8, kMargin = 8, kFontSize = 13;

int label_width(const std::vector<std::string>& words) {
  std::size_t longest = 1;
  for (const std::string& word : words) longest = std::max(longest, data::count_characters(word));
  return 2 * kMargin + kLetter * static_cast<int>(longest);
}

std::string cell(const WordMatrix& matrix, std::size_t row, std::size_t column, int x, int y) {
  const std::size_t at = row * matrix.columns.size() + column;
  const double weight = std::clamp(matrix.weights[at], 0.0, 1.0);
  const bool framed = !matrix.framed.empty() && matrix.framed[at];
  return fmt::format(
      "<rect class='{}' x='{}' y='{}' width='{}' height='{}' rx='2' fill='#2563eb' fill-opacity='{:.3f}' stroke='{}' "
      "stroke-width='{}'><title>{} / {}: {:.3f}</title></rect>\n",
      framed ? "cell framed" : "cell", x, y, kCell - kGap, kCell - kGap, weight, framed ? "#d9480f" : "#d5dae2",
      framed ? 2 : 1, escape(matrix.rows[row]), escape(matrix.columns[column]), weight);
}

}  // namespace

std::string draw(const WordMatrix& matrix) {
  const std::size_t rows = matrix.rows.size(), columns = matrix.columns.size();
  check(matrix.weights.size() == rows * columns, "[word matrix] expected {} x {} weights but got {}", rows, columns,
        matrix.weights.size());
  check(matrix.framed.empty() || matrix.framed.size() == rows * columns,
        "[word matrix] expected {} x {} frames or none but got {}", rows, columns, matrix.framed.size());
  const int left = label_width(matrix.rows), top = label_width(matrix.columns);
  const int width = left + kCell * static_cast<int>(columns) + kMargin;
  const int height = top + kCell * static_cast<int>(rows) + kMargin;
  constexpr int kBaseline = (kCell - kGap + kFontSize) / 2 - 1;  // centres letters in a cell
  std::string svg = fmt::format(
      "<svg class='matrix' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='{2}' fill='#1d2430'>\n<rect class='paper' width='{0}' height='{1}' "
      "fill='#fff'/>\n",
      width, height, kFontSize);
  for (std::size_t j = 0; j < columns; ++j)
    svg += fmt::format("<text transform='translate({},{}) rotate(-90)'>{}</text>\n",
                       left + kCell * static_cast<int>(j) + kBaseline, top - kMargin, escape(matrix.columns[j]));
  for (std::size_t i = 0; i < rows; ++i) {
    const int y = top + kCell * static_cast<int>(i);
    svg += fmt::format("<text x='{}' y='{}' text-anchor='end'>{}</text>\n", left - kMargin, y + kBaseline,
                       escape(matrix.rows[i]));
    for (std::size_t j = 0; j < columns; ++j) svg += cell(matrix, i, j, left + kCell * static_cast<int>(j), y);
  }
  return svg + "</svg>\n";
}

std::string draw_file(const WordMatrix& matrix) {
  return "<svg xmlns='http://www.w3.org/2000/svg'" + draw(matrix).substr(std::string_view("<svg").size());
}

}  // namespace dragoman::report

#include "report/word_matrix.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "report/escape.h"
#include "report/svg.h"

namespace dragoman::report {
namespace {

// In pixels.
constexpr double kMargin = 8, kHeading = 30;
constexpr double kLargestCell = 22, kSmallestCell = 9;
constexpr double kUsualWidth = 640;        // of the cells; longer sentences get smaller ones
constexpr std::size_t kLongestLabel = 24;  // characters; the tooltips show the whole word

// The rules of a page that a file needs, too.
constexpr const char* kFileStyle =
    ".matrix{fill:var(--ink)}.paper{fill:var(--paper)}.cell{fill:var(--s0);stroke:var(--rule)}"
    ".framed{stroke:var(--s1)}.cell:hover{stroke:var(--ink)}";

bool is_special(const std::string& word) { return word.size() > 2 && word.front() == '<' && word.back() == '>'; }

// Where things are.
class Layout {
 public:
  explicit Layout(const WordMatrix& matrix) : matrix_(matrix) {
    const auto rows = static_cast<double>(matrix.rows.size()), columns = static_cast<double>(matrix.columns.size());
    cell_ = std::clamp(kUsualWidth / std::max({rows, columns, 1.0}), kSmallestCell, kLargestCell);
    double rows_width = 0, columns_width = 0;
    right_ = columns * cell_;
    for (const std::string& word : matrix.rows) rows_width = std::max(rows_width, label_width(word));
    for (std::size_t j = 0; j < matrix.columns.size(); ++j) {
      const double width = label_width(matrix.columns[j]);
      columns_width = std::max(columns_width, width);
      right_ = std::max(right_, (static_cast<double>(j) + 0.5) * cell_ + width * kSlope);
    }
    left_ = 2 * kMargin + rows_width;
    top_ = 2 * kMargin + (columns_width + font()) * kSlope;
  }

  double cell() const { return cell_; }
  double font() const { return 0.6 * cell_; }
  double x(std::size_t column) const { return left_ + static_cast<double>(column) * cell_; }
  double y(std::size_t row) const { return top_ + static_cast<double>(row) * cell_; }
  int width() const { return static_cast<int>(std::ceil(left_ + right_ + kMargin)); }
  int height() const { return static_cast<int>(std::ceil(y(matrix_.rows.size()) + kMargin)); }

 private:
  // Labels of columns rise at 45 degrees.
  static constexpr double kSlope = 1 / std::numbers::sqrt2;
  double label_width(const std::string& word) const { return text_width(shortened(word, kLongestLabel), font()); }

  const WordMatrix& matrix_;
  double cell_, left_, top_, right_;
};

std::string label(const std::string& word, const std::string& attributes) {
  return fmt::format("<text {}{}>{}</text>\n", is_special(word) ? "class='special' font-style='italic' " : "",
                     attributes, escape(shortened(word, kLongestLabel)));
}

std::string cell(const WordMatrix& matrix, std::size_t row, std::size_t column, const Layout& at) {
  const std::size_t index = row * matrix.columns.size() + column;
  if (std::isnan(matrix.weights[index])) return "";
  const double weight = std::clamp(matrix.weights[index], 0.0, 1.0);
  const bool framed = !matrix.framed.empty() && matrix.framed[index];
  const double size = 0.9 * at.cell();
  return fmt::format(
      "<rect class='cell{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' rx='2' fill-opacity='{:.3f}'{}>"
      "<title>{} / {}: {:.3f}</title></rect>\n",
      framed ? " framed" : "", at.x(column), at.y(row), size, size, weight,
      framed ? " stroke='#d9480f' stroke-width='2'" : "", escape(matrix.rows[row]), escape(matrix.columns[column]),
      weight);
}

std::string contents(const WordMatrix& matrix, const Layout& at) {
  const std::size_t rows = matrix.rows.size(), columns = matrix.columns.size();
  std::string svg;
  for (std::size_t j = 0; j < columns; ++j)
    svg += label(matrix.columns[j], fmt::format("transform='translate({:.1f},{:.1f}) rotate(-45)'",
                                                at.x(j) + 0.6 * at.cell(), at.y(0) - kMargin / 2));
  for (std::size_t i = 0; i < rows; ++i)
    svg += label(matrix.rows[i], fmt::format("x='{:.1f}' y='{:.1f}' text-anchor='end'", at.x(0) - kMargin,
                                             at.y(i) + 0.45 * at.cell() + 0.35 * at.font()));
  svg += "<g fill='#2563eb' stroke='#d5dae2'>\n";
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) svg += cell(matrix, i, j, at);
  return svg + "</g>\n";
}

void check_sizes(const WordMatrix& matrix) {
  const std::size_t rows = matrix.rows.size(), columns = matrix.columns.size();
  check(matrix.weights.size() == rows * columns, "[word matrix] expected {} x {} weights but got {}", rows, columns,
        matrix.weights.size());
  check(matrix.framed.empty() || matrix.framed.size() == rows * columns,
        "[word matrix] expected {} x {} frames or none but got {}", rows, columns, matrix.framed.size());
}

// The drawing at height `y` of an outer one.
std::string draw_at(const WordMatrix& matrix, double y) {
  check_sizes(matrix);
  const Layout layout(matrix);
  const std::string title =
      matrix.title.empty() ? fmt::format("weights of {} words over {} words", matrix.rows.size(), matrix.columns.size())
                           : matrix.title;
  return fmt::format(
             "<svg class='matrix' role='img'{0} width='{1}' height='{2}' viewBox='0 0 {1} {2}' "
             "font-family='system-ui,sans-serif' font-size='{3:.1f}' fill='#1d2430'>\n<title>{4}</title>\n"
             "<rect class='paper' width='{1}' height='{2}' fill='#fff'/>\n",
             y > 0 ? fmt::format(" y='{:.0f}'", y) : "", layout.width(), layout.height(), layout.font(),
             escape(title)) +
         contents(matrix, layout) + "</svg>\n";
}

WordMatrix map_of(const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                  const std::vector<std::vector<float>>& weights, const char* title) {
  check(weights.size() == rows.size(), "[word matrix] expected {} rows of weights but got {}", rows.size(),
        weights.size());
  WordMatrix matrix{rows, columns, {}, {}, title};
  for (const std::vector<float>& row : weights) {
    check(row.size() <= columns.size(), "[word matrix] expected at most {} weights in a row but got {}", columns.size(),
          row.size());
    for (std::size_t j = 0; j < columns.size(); ++j)
      matrix.weights.push_back(j < row.size() ? static_cast<double>(row[j]) : std::numeric_limits<double>::quiet_NaN());
  }
  return matrix;
}

}  // namespace

WordMatrix attention_map(const std::vector<std::string>& target, const std::vector<std::string>& source,
                         const std::vector<std::vector<float>>& weights) {
  return map_of(target, source, weights, "Attention of each output token over the source");
}

WordMatrix past_attention_map(const std::vector<std::string>& target, const std::vector<std::vector<float>>& weights) {
  std::vector<std::string> past{"<s>"};
  if (!target.empty()) past.insert(past.end(), target.begin(), target.end() - 1);
  return map_of(target, past, weights, "Attention of each output token over the decoder's own past");
}

std::string draw(const WordMatrix& matrix) { return draw_at(matrix, 0); }

std::string draw_file(const WordMatrix& matrix) { return svg_file(draw(matrix), kFileStyle); }

std::string draw_file(std::span<const WordMatrix> matrices) {
  std::string drawings;
  double width = 0, height = 0;
  for (const WordMatrix& matrix : matrices) {
    drawings += fmt::format("<text x='{}' y='{}' font-weight='600'>{}</text>\n", kMargin, height + kHeading - kMargin,
                            escape(matrix.title));
    drawings += draw_at(matrix, height + kHeading);
    const Layout layout(matrix);
    width = std::max({width, static_cast<double>(layout.width()), 2 * kMargin + text_width(matrix.title, 14)});
    height += kHeading + layout.height();
  }
  return svg_file(fmt::format("<svg class='matrix' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' "
                              "font-family='system-ui,sans-serif' font-size='14' fill='#1d2430'>\n"
                              "<rect class='paper' width='{0:.0f}' height='{1:.0f}' fill='#fff'/>\n",
                              width, height) +
                      drawings + "</svg>\n",
                  kFileStyle);
}

}  // namespace dragoman::report

#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

// One weight per pair of a row word and a column word: an attention map or a word alignment.
struct WordMatrix {
  std::vector<std::string> rows, columns;
  std::vector<double> weights;  // [rows, columns], clamped to 0 .. 1
  std::vector<bool> framed;     // [rows, columns]: cells with a coloured frame; empty means none
};

// Draws the matrix as SVG for an HTML page: darker cells have larger weights, and the tooltip of a cell shows its words
// and weight. The page's style sheet may override the colours through the classes `matrix`, `paper`, `cell` and
// `framed`.
std::string draw(const WordMatrix& matrix);
// The same drawing as an SVG file.
std::string draw_file(const WordMatrix& matrix);

}  // namespace dragoman::report

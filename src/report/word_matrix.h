#pragma once

#include <span>
#include <string>
#include <vector>

namespace dragoman::report {

// One weight per pair of a row word and a column word: an attention map or a word alignment.
struct WordMatrix {
  std::vector<std::string> rows, columns;
  std::vector<double> weights;  // [rows, columns], clamped to 0 .. 1; NaN leaves the cell out
  std::vector<bool> framed;     // [rows, columns]: cells with a coloured frame; empty means none
  std::string title{};          // what the drawing shows, for screen readers, tooltips and files
};

// Attention weights over the source tokens, one row per target token (Translation::attention).
WordMatrix attention_map(const std::vector<std::string>& target, const std::vector<std::string>& source,
                         const std::vector<std::vector<float>>& weights);
// Attention weights over the decoder's own past (Translation::past_attention). The columns are <s>, the decoder's
// initial state, and the previous tokens, each for the state that wrote it.
WordMatrix past_attention_map(const std::vector<std::string>& target, const std::vector<std::vector<float>>& weights);

// Draws the matrix as SVG for an HTML page: darker cells have larger weights, and the tooltip of a cell shows its words
// and weight. Cells and letters of long sentences are smaller. Special tokens such as </s> are italic. The page's style
// sheet may override the colours through the classes `matrix`, `paper`, `cell` and `framed`.
std::string draw(const WordMatrix& matrix);
// The same drawing as an SVG file; several matrices are stacked, each below its title.
std::string draw_file(const WordMatrix& matrix);
std::string draw_file(std::span<const WordMatrix> matrices);

}  // namespace dragoman::report

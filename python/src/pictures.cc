#include "python.h"
#include "report/beam_tree.h"
#include "report/word_matrix.h"

namespace dragoman::python {
namespace {

using Rows = std::vector<std::vector<float>>;

// `past` may be empty.
std::string draw_attention(const std::vector<std::string>& target, const std::vector<std::string>& source,
                           const Rows& weights, const Rows& past) {
  const auto check_rows = [&](const Rows& rows) {
    check(rows.size() == target.size(), "attention of {} tokens has {} rows", target.size(), rows.size());
  };
  std::vector<report::WordMatrix> maps;
  if (!weights.empty()) {
    check_rows(weights);
    for (const auto& row : weights)
      check(row.size() == source.size(), "attention to {} source tokens has {} columns", source.size(), row.size());
    maps.push_back(report::attention_map(target, source, weights));
  }
  if (!past.empty()) {
    check_rows(past);
    Rows triangle;
    for (std::size_t i = 0; i < past.size(); ++i) {
      check(past[i].size() > i, "attention to the past of token {} has {} columns", i, past[i].size());
      triangle.emplace_back(past[i].begin(), past[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    maps.push_back(report::past_attention_map(target, triangle));
  }
  check(!maps.empty(), "the model does not attend to single words, so it has no attention map");
  return report::draw_file(maps);
}

// Links are framed.
std::string draw_alignment(const std::vector<std::string>& source, const std::vector<std::string>& target,
                           const Rows& weights, const std::vector<std::pair<int, int>>& links) {
  report::WordMatrix matrix{.rows = source, .columns = target, .weights = {}, .framed = {}};
  check(weights.size() == source.size(), "{} source words have {} rows of posteriors", source.size(), weights.size());
  for (const auto& row : weights) {
    check(row.size() == target.size(), "{} target words have {} posteriors", target.size(), row.size());
    matrix.weights.insert(matrix.weights.end(), row.begin(), row.end());
  }
  matrix.framed.assign(matrix.weights.size(), false);
  for (const auto& [from, to] : links) {
    check(from >= 0 && from < std::ssize(source) && to >= 0 && to < std::ssize(target), "there is no pair {}-{}", from,
          to);
    matrix.framed[static_cast<std::size_t>(from) * target.size() + static_cast<std::size_t>(to)] = true;
  }
  return report::draw_file(matrix);
}

using Node = std::tuple<int, std::string, double, double, bool, bool>;

std::string draw_beam(const std::vector<Node>& nodes, const std::string& title) {
  check(!nodes.empty(), "there is no beam to draw");
  report::BeamTree tree{{}, title};
  for (const auto& [parent, token, log_probability, score, finished, best] : nodes) {
    check(parent < std::ssize(tree.nodes) && (parent >= 0 || tree.nodes.empty()),
          "the parent {} of node {} does not come before it", parent, tree.nodes.size());
    tree.nodes.push_back({parent, token, log_probability, score, finished, best});
  }
  return report::draw_file(tree);
}

}  // namespace

void define_pictures(py::module_& module) {
  module.def("draw_attention", draw_attention, py::arg("target"), py::arg("source"), py::arg("weights"),
             py::arg("past"));
  module.def("draw_alignment", draw_alignment, py::arg("source"), py::arg("target"), py::arg("weights"),
             py::arg("links"));
  module.def("draw_beam", draw_beam, py::arg("nodes"), py::arg("title"));
}

}  // namespace dragoman::python

#include "results.h"

#include <pybind11/numpy.h>

#include <algorithm>

#include "text/characters.h"

namespace dragoman::python {
namespace {

using text::Characters;

const char* kind_name(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder: return "encoder";
    case AttentionKind::source: return "source";
    case AttentionKind::past: return "past";
  }
  return "";
}

py::tuple place(const TextToken& token, const Characters& text) {
  return py::make_tuple(as_str(token.token), text.before(static_cast<std::size_t>(token.begin)),
                        text.before(static_cast<std::size_t>(token.end)), token.word);
}

py::list tree_nodes(const std::vector<TreeNode>& nodes) {
  py::list list;
  for (const TreeNode& node : nodes)
    list.append(
        py::make_tuple(node.parent, as_str(node.token), node.log_probability, node.score, node.finished, node.best));
  return list;
}

std::size_t widest(const std::vector<std::vector<float>>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  return width;
}

// [heads, rows, columns]
py::object heads_of(const AttentionLayer& layer) {
  const std::size_t rows = layer.heads.empty() ? 0 : layer.heads.front().size();
  const std::size_t columns = layer.heads.empty() ? 0 : widest(layer.heads.front());
  py::array_t<float> array({layer.heads.size(), rows, columns});
  float* out = array.mutable_data();
  std::fill(out, out + array.size(), 0.0f);
  for (const auto& head : layer.heads)
    for (const auto& row : head) out = std::copy(row.begin(), row.end(), out) + (columns - row.size());
  return array;
}

py::dict to_python(const Explanation& explanation) {
  const Characters source(explanation.source), text(explanation.text);
  py::list source_tokens, tokens, attention;
  for (const TextToken& token : explanation.source_tokens) source_tokens.append(place(token, source));
  for (const WrittenToken& token : explanation.tokens) {
    py::list alternatives;
    for (const Alternative& one : token.alternatives)
      alternatives.append(py::make_tuple(as_str(one.token), one.probability, as_str(one.prefix)));
    tokens.append(place(token.place, text) + py::make_tuple(token.log_probability, alternatives));
  }
  for (const AttentionLayer& layer : explanation.attention)
    attention.append(py::make_tuple(kind_name(layer.kind), layer.layer, layer.name, layer.mixtures, heads_of(layer)));
  py::dict dict;
  dict["source"] = as_str(explanation.source);
  dict["text"] = as_str(explanation.text);
  dict["source_tokens"] = source_tokens;
  dict["tokens"] = tokens;
  dict["alignment"] = links(explanation.alignment);
  dict["layers"] = attention;
  dict["tree"] = tree_nodes(explanation.tree);
  return dict;
}

py::list span_links(const std::vector<SpanLink>& spans, const Characters& source, const Characters& target) {
  py::list list;
  for (const SpanLink& link : spans)
    list.append(py::make_tuple(source.before(link.source_begin), source.before(link.source_end),
                               target.before(link.target_begin), target.before(link.target_end)));
  return list;
}

py::dict to_python(const Translation& translation, const Characters& source) {
  py::dict dict;
  dict["text"] = as_str(translation.text);
  dict["score"] = translation.score;
  dict["log_probability"] = translation.log_probability;
  dict["tokens"] = as_strs(translation.tokens);
  dict["token_scores"] = translation.token_scores.empty() ? py::none() : vector(translation.token_scores);
  dict["alignment"] = links(translation.alignment);
  dict["spans"] = span_links(translation.span_links, source, Characters(translation.text));
  dict["attention"] = translation.attention.empty() ? py::none() : matrix(translation.attention);
  dict["past_attention"] = translation.past_attention.empty() ? py::none() : matrix(translation.past_attention);
  return dict;
}

}  // namespace

py::object matrix(const std::vector<std::vector<float>>& rows) {
  const std::size_t columns = widest(rows);
  py::array_t<float> array({rows.size(), columns});
  float* out = array.mutable_data();
  std::fill(out, out + array.size(), 0.0f);
  for (const auto& row : rows) out = std::copy(row.begin(), row.end(), out) + (columns - row.size());
  return array;
}

py::object vector(const std::vector<double>& values) {
  return py::array_t<double>(py::array::ShapeContainer{static_cast<py::ssize_t>(values.size())}, values.data());
}

py::list links(const std::vector<AlignmentLink>& alignment) {
  py::list list;
  for (const AlignmentLink& link : alignment) list.append(py::make_tuple(link.source, link.target));
  return list;
}

py::dict to_python(const Request& request, const TranslationResult& result) {
  const Characters source(request.text);
  py::list translations, explanations;
  for (const Translation& translation : result.translations) translations.append(to_python(translation, source));
  for (const Explanation& explanation : result.explanations) explanations.append(to_python(explanation));
  py::dict dict;
  dict["translations"] = translations;
  dict["source_tokens"] = as_strs(result.source_tokens);
  dict["parts"] = result.parts;
  dict["tree"] = tree_nodes(result.tree);
  dict["explanations"] = explanations;
  return dict;
}

py::dict to_python(const ScoredPair& pair) {
  py::dict dict;
  dict["log_probability"] = pair.log_probability;
  dict["tokens"] = as_strs(pair.tokens);
  dict["token_scores"] = vector(pair.token_scores);
  dict["alignment"] = links(pair.alignment);
  return dict;
}

}  // namespace dragoman::python

#include <cmath>

#include "search/interface/c_result.h"

using dragoman::check;
using namespace dragoman::search::c;

namespace {

const dragoman::Explanation& explained(const dragoman_explanation* explanation) {
  return deref(explanation, "an explanation").explanation;
}

// The token's text; its place in `*begin`, `*end` and `*word`, each of which may be null.
const char* fill_place(const dragoman::TextToken& token, int* begin, int* end, int* word) {
  if (begin) *begin = token.begin;
  if (end) *end = token.end;
  if (word) *word = token.word;
  return token.token.c_str();
}

const dragoman::Alternative& alternative_of(const dragoman_explanation* explanation, int token, int index) {
  return item(item(explained(explanation).tokens, token, "token").alternatives, index, "alternative");
}

const dragoman::AttentionLayer& layer_of(const dragoman_explanation* explanation, int layer) {
  return item(explained(explanation).attention, layer, "layer");
}

const dragoman::TreeNode& node_of(const dragoman_tree* tree, int node) {
  return item(deref(tree, "a tree").nodes, node, "node");
}

// The number of elements of a list that `find` returns.
template <class Find>
int count_of(Find find) {
  return guarded(-1, [&] { return static_cast<int>(find().size()); });
}

}  // namespace

const char* dragoman_explanation_source(const dragoman_explanation* explanation) {
  return guarded<const char*>(nullptr, [&] { return explained(explanation).source.c_str(); });
}

const char* dragoman_explanation_text(const dragoman_explanation* explanation) {
  return guarded<const char*>(nullptr, [&] { return explained(explanation).text.c_str(); });
}

int dragoman_explanation_source_token_count(const dragoman_explanation* explanation) {
  return count_of([&]() -> auto& { return explained(explanation).source_tokens; });
}

const char* dragoman_explanation_source_token(const dragoman_explanation* explanation, int token, int* begin, int* end,
                                              int* word) {
  return guarded<const char*>(nullptr, [&] {
    return fill_place(item(explained(explanation).source_tokens, token, "source token"), begin, end, word);
  });
}

int dragoman_explanation_token_count(const dragoman_explanation* explanation) {
  return count_of([&]() -> auto& { return explained(explanation).tokens; });
}

const char* dragoman_explanation_token(const dragoman_explanation* explanation, int token, int* begin, int* end,
                                       int* word) {
  return guarded<const char*>(
      nullptr, [&] { return fill_place(item(explained(explanation).tokens, token, "token").place, begin, end, word); });
}

double dragoman_explanation_token_score(const dragoman_explanation* explanation, int token) {
  return guarded<double>(NAN, [&] { return item(explained(explanation).tokens, token, "token").log_probability; });
}

int dragoman_explanation_alternative_count(const dragoman_explanation* explanation, int token) {
  return count_of([&]() -> auto& { return item(explained(explanation).tokens, token, "token").alternatives; });
}

const char* dragoman_explanation_alternative(const dragoman_explanation* explanation, int token, int alternative,
                                             double* probability) {
  return guarded<const char*>(nullptr, [&] {
    const dragoman::Alternative& found = alternative_of(explanation, token, alternative);
    if (probability) *probability = found.probability;
    return found.token.c_str();
  });
}

const char* dragoman_explanation_alternative_prefix(const dragoman_explanation* explanation, int token,
                                                    int alternative) {
  return guarded<const char*>(nullptr, [&] { return alternative_of(explanation, token, alternative).prefix.c_str(); });
}

int dragoman_explanation_link_count(const dragoman_explanation* explanation) {
  return count_of([&]() -> auto& { return explained(explanation).alignment; });
}

int dragoman_explanation_link(const dragoman_explanation* explanation, int link, int* source, int* target) {
  return guarded(-1, [&] { return fill_link(explained(explanation).alignment, link, source, target); });
}

int dragoman_explanation_layer_count(const dragoman_explanation* explanation) {
  return count_of([&]() -> auto& { return explained(explanation).attention; });
}

const char* dragoman_explanation_layer_kind(const dragoman_explanation* explanation, int layer) {
  return guarded<const char*>(nullptr, [&] {
    switch (layer_of(explanation, layer).kind) {
      case dragoman::AttentionKind::encoder: return "encoder";
      case dragoman::AttentionKind::source: return "source";
      case dragoman::AttentionKind::past: break;
    }
    return "past";
  });
}

const char* dragoman_explanation_layer_name(const dragoman_explanation* explanation, int layer) {
  return guarded<const char*>(nullptr, [&] { return layer_of(explanation, layer).name.c_str(); });
}

int dragoman_explanation_layer_mixtures(const dragoman_explanation* explanation, int layer) {
  return guarded(-1, [&] { return layer_of(explanation, layer).mixtures ? 1 : 0; });
}

int dragoman_explanation_head_count(const dragoman_explanation* explanation, int layer) {
  return count_of([&]() -> auto& { return layer_of(explanation, layer).heads; });
}

int dragoman_explanation_row_count(const dragoman_explanation* explanation, int layer, int head) {
  return count_of([&]() -> auto& { return item(layer_of(explanation, layer).heads, head, "head"); });
}

const float* dragoman_explanation_weights(const dragoman_explanation* explanation, int layer, int head, int row,
                                          int* count) {
  return guarded<const float*>(nullptr, [&] {
    check(count != nullptr, "expected a number to fill but got a null pointer");
    const std::vector<float>& weights = item(item(layer_of(explanation, layer).heads, head, "head"), row, "row");
    *count = static_cast<int>(weights.size());
    return weights.data();
  });
}

const dragoman_tree* dragoman_explanation_tree(const dragoman_explanation* explanation) {
  return guarded<const dragoman_tree*>(nullptr, [&] {
    const dragoman_tree& tree = deref(explanation, "an explanation").tree;
    check(!tree.nodes.empty(), "a statistical model has no tree of hypotheses");
    return &tree;
  });
}

int dragoman_tree_size(const dragoman_tree* tree) {
  return count_of([&]() -> auto& { return deref(tree, "a tree").nodes; });
}

const char* dragoman_tree_token(const dragoman_tree* tree, int node) {
  return guarded<const char*>(nullptr, [&] { return node_of(tree, node).token.c_str(); });
}

int dragoman_tree_parent(const dragoman_tree* tree, int node) {
  return guarded(-2, [&] { return node_of(tree, node).parent; });
}

double dragoman_tree_log_probability(const dragoman_tree* tree, int node) {
  return guarded<double>(NAN, [&] { return node_of(tree, node).log_probability; });
}

double dragoman_tree_score(const dragoman_tree* tree, int node) {
  return guarded<double>(NAN, [&] { return node_of(tree, node).score; });
}

int dragoman_tree_finished(const dragoman_tree* tree, int node) {
  return guarded(-1, [&] { return node_of(tree, node).finished ? 1 : 0; });
}

int dragoman_tree_best(const dragoman_tree* tree, int node) {
  return guarded(-1, [&] { return node_of(tree, node).best ? 1 : 0; });
}

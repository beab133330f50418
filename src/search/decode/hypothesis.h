#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::search {

// A token of a hypothesis. The hypotheses of a sentence form a tree, so common prefixes are stored once.
struct Node {
  std::int32_t parent = -1;
  std::int32_t token = 0;
  float log_probability = 0;  // of this token
  double sum = 0;             // of all tokens up to this one
  std::int32_t length = 0;    // tokens up to this one, forced prefix included
  bool finished = false;      // this is the end-of-sentence token
};

// A complete hypothesis.
struct Finished {
  std::int32_t node = 0;
  double score = 0;
};

// All hypotheses of one sentence. Node 0 is the root, the beginning of the sentence.
class Tree {
 public:
  Tree() : nodes_(1) {}

  std::int32_t add(std::int32_t parent, std::int32_t token, float log_probability);
  void finish(std::int32_t node) { nodes_[static_cast<std::size_t>(node)].finished = true; }
  const Node& operator[](std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  // The nodes on the path from the root (excluded) to `node`.
  std::vector<std::int32_t> path(std::int32_t node) const;
  // The tokens of a translation that ends at `node`, without EOS.
  std::vector<std::int32_t> tokens(std::int32_t node) const;

 private:
  std::vector<Node> nodes_;
};

inline std::int32_t Tree::add(std::int32_t parent, std::int32_t token, float log_probability) {
  const Node& before = (*this)[parent];
  nodes_.push_back(
      {parent, token, log_probability, before.sum + static_cast<double>(log_probability), before.length + 1, false});
  return size() - 1;
}

inline std::vector<std::int32_t> Tree::path(std::int32_t node) const {
  std::vector<std::int32_t> nodes(static_cast<std::size_t>((*this)[node].length));
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at, node = (*this)[node].parent) *at = node;
  return nodes;
}

inline std::vector<std::int32_t> Tree::tokens(std::int32_t node) const {
  std::vector<std::int32_t> tokens = path((*this)[node].parent);
  for (std::int32_t& at : tokens) at = (*this)[at].token;
  return tokens;
}

}  // namespace dragoman::search

#pragma once

#include <span>
#include <vector>

#include "document/segment.h"
#include "text/units.h"

namespace dragoman::document {

// An element, or a point, of a segment.
struct TagNode {
  static constexpr int kNone = -1;

  int parent = kNone;
  int end = 0;        // all nodes inside have smaller indices than this, and larger ones than the node's own
  int open = kNone;   // index of its first tag, or of the point; none if the element begins before the segment
  int close = kNone;  // index of its closing tag; none for points and if it ends after the segment
  bool is_point = false;
  std::size_t first = 0, last = 0;  // the units [first, last) inside it

  bool contains(int node, int self) const { return node >= self && node < end; }
  bool is_hollow() const { return first == last; }
  bool begins_before() const { return !is_point && open == kNone; }
  bool ends_after() const { return !is_point && close == kNone; }
};

// The elements of a segment as a tree, parents before their children, in the order of the text. Node 0 is the segment.
class TagTree {
 public:
  explicit TagTree(const Segment& segment);

  const std::vector<TagNode>& nodes() const { return nodes_; }
  const TagNode& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  // The units of the segment's text, cut where a tag is inside a word, and the innermost node around each.
  const std::vector<text::Unit>& units() const { return units_; }
  int node_of_unit(std::size_t unit) const { return node_of_unit_[unit]; }
  std::vector<int> children(int node) const;
  int common_ancestor(int a, int b) const;

 private:
  void cut_units(const Segment& segment);
  void open_node(int tag, bool is_point);
  void close_node(int tag);

  std::vector<TagNode> nodes_;
  std::vector<text::Unit> units_;
  std::vector<int> node_of_unit_;
  std::vector<int> stack_;  // open nodes while the tree grows
};

}  // namespace dragoman::document

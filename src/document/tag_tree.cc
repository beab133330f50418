#include "document/tag_tree.h"

#include <algorithm>

namespace dragoman::document {

TagTree::TagTree(const Segment& segment) {
  cut_units(segment);
  nodes_.push_back({});
  stack_.push_back(0);
  // Elements that begin before the segment contain each other in the reverse order of their closing tags.
  const auto is_late = [](const Tag& tag) { return tag.kind == Tag::Kind::close && tag.partner == Tag::kNoPartner; };
  const auto late = std::count_if(segment.tags.begin(), segment.tags.end(), is_late);
  for (std::ptrdiff_t i = 0; i < late; ++i) open_node(TagNode::kNone, false);
  std::size_t unit = 0;
  const auto pass_units = [&](std::size_t position) {
    for (; unit < units_.size() && units_[unit].span.begin < position; ++unit) node_of_unit_.push_back(stack_.back());
  };
  for (std::size_t i = 0; i < segment.tags.size(); ++i) {
    const Tag& tag = segment.tags[i];
    pass_units(tag.position);
    if (tag.kind == Tag::Kind::close) {
      close_node(static_cast<int>(i));
    } else {
      open_node(static_cast<int>(i), tag.kind == Tag::Kind::point);
      if (tag.kind == Tag::Kind::point) close_node(TagNode::kNone);
    }
  }
  pass_units(segment.text.size());
  while (!stack_.empty()) close_node(TagNode::kNone);
}

void TagTree::cut_units(const Segment& segment) {
  std::size_t next = 0;
  for (text::Unit unit : text::split_units(segment.text)) {
    for (; next < segment.tags.size() && segment.tags[next].position < unit.span.end; ++next) {
      const Tag& tag = segment.tags[next];
      if (tag.kind == Tag::Kind::point || tag.position <= unit.span.begin) continue;
      const auto cut = static_cast<std::uint32_t>(tag.position);
      units_.push_back({{unit.span.begin, cut}, unit.is_word});
      unit.span.begin = cut;
    }
    units_.push_back(unit);
  }
}

void TagTree::open_node(int tag, bool is_point) {
  TagNode node;
  node.parent = stack_.back();
  node.open = tag;
  node.is_point = is_point;
  node.first = node_of_unit_.size();
  stack_.push_back(static_cast<int>(nodes_.size()));
  nodes_.push_back(node);
}

void TagTree::close_node(int tag) {
  TagNode& node = nodes_[static_cast<std::size_t>(stack_.back())];
  node.close = tag;
  node.last = node_of_unit_.size();
  node.end = static_cast<int>(nodes_.size());
  stack_.pop_back();
}

std::vector<int> TagTree::children(int node) const {
  std::vector<int> found;
  for (int child = node + 1; child < (*this)[node].end; child = (*this)[child].end) found.push_back(child);
  return found;
}

int TagTree::common_ancestor(int a, int b) const {
  while (!(*this)[a].contains(b, a)) a = (*this)[a].parent;
  return a;
}

}  // namespace dragoman::document

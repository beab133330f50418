#include "document/rendering.h"

#include <algorithm>
#include <tuple>

#include "document/tag_places.h"
#include "text/unicode.h"

namespace dragoman::document {
namespace {

// Of a script with spaces between words.
bool is_word(char32_t code) {
  const text::CharClass kind = text::classify(code);
  return !text::is_written_without_spaces(code) && (kind == text::CharClass::letter || kind == text::CharClass::number);
}

bool begins_with_word(std::string_view text) { return !text.empty() && is_word(text::code_point_at(text, 0).code); }
bool ends_with_word(std::string_view text) {
  return !text.empty() && is_word(text::code_point_before(text, text.size()).code);
}

// Writes a translation and its tags from the beginning to the end.
class TagWriter {
 public:
  TagWriter(const Segment& segment, std::string_view document, const Translated& translated,
            const AppendText& append_text, std::string& out)
      : segment_(segment),
        document_(document),
        text_(translated.text),
        append_text_(append_text),
        out_(out),
        tree_(segment),
        units_(text::split_units(text_)),
        places_(place_tags(tree_, segment.tags, units_, align_units(tree_, segment.text, units_, translated))),
        gone_(tree_.nodes().size()) {
    find_gone();
  }

  // Without recursion: elements may be nested as deeply as the document likes.
  void write() {
    struct Level {
      int node;
      std::vector<int> children;
      std::size_t next = 0;
    };
    std::vector<Level> levels;
    levels.push_back({0, children_of(0)});
    while (!levels.empty()) {
      Level& level = levels.back();
      if (level.next < level.children.size()) {
        const int child = level.children[level.next++];
        begin(child);
        levels.push_back({child, children_of(child)});
        continue;
      }
      end(level.node);
      levels.pop_back();
    }
    write_text(text_.size());
  }

 private:
  const TagPlace& place(int node) const { return places_[static_cast<std::size_t>(node)]; }
  const Tag& tag(int index) const { return segment_.tags[static_cast<std::size_t>(index)]; }
  bool is_between_units(int node) const { return place(node).first == place(node).last; }

  // Whether an element had words that have no counterpart.
  bool is_emptied(int node) const {
    const TagNode& element = tree_[node];
    return element.open != TagNode::kNone && element.close != TagNode::kNone && !element.is_hollow() &&
           is_between_units(node);
  }

  // Elements that go, with all that is in them.
  void find_gone() {
    std::vector<bool> has_content(gone_.size());
    for (int node = static_cast<int>(gone_.size()) - 1; node > 0; --node) {
      const auto at = static_cast<std::size_t>(node);
      gone_[at] = is_emptied(node) && tag(tree_[node].open).emptied == Tag::Emptied::goes && !has_content[at];
      if (!gone_[at]) has_content[static_cast<std::size_t>(tree_[node].parent)] = true;
    }
  }
  bool is_gone(int node) const { return gone_[static_cast<std::size_t>(node)]; }

  // In the order of the translation.
  std::vector<int> children_of(int node) const {
    std::vector<int> children = tree_.children(node);
    const auto key = [&](int child) { return std::tuple(place(child).first, place(child).last, child); };
    std::sort(children.begin(), children.end(), [&](int a, int b) { return key(a) < key(b); });
    return children;
  }

  std::size_t end_before(std::size_t unit) const { return unit > 0 ? units_[unit - 1].span.end : 0; }
  std::size_t begin_of(std::size_t unit) const { return unit < units_.size() ? units_[unit].span.begin : text_.size(); }

  void write_text(std::size_t end) {
    if (end <= written_) return;
    append_text_(text_.substr(written_, end - written_), out_);
    written_ = end;
  }

  void write_tag(int index) {
    if (index == TagNode::kNone) return;
    const Range bytes = tag(index).bytes;
    out_ += document_.substr(bytes.begin, bytes.end - bytes.begin);
  }

  void begin(int node) {
    if (is_gone(node)) return;
    const TagPlace& here = place(node);
    const int opening = tree_[node].open;
    const bool has_space_inside = opening != TagNode::kNone && tag(opening).space_after && !tag(opening).space_before;
    const bool is_early = here.beside_previous || (has_space_inside && !is_between_units(node));
    write_text(is_early ? end_before(here.first) : begin_of(here.first));
    if (opening == TagNode::kNone) return;
    const bool keeps_words = keeps_its_words(node);
    if ((tree_[node].is_hollow() || keeps_words) && (tag(opening).space_before || would_join_before(opening)))
      write_space();
    write_tag(opening);
    if (keeps_words) write_source(tree_[node]);
    if (tree_[node].is_point) separate_from_text(opening);
  }

  void end(int node) {
    if (tree_[node].is_point || is_gone(node)) return;
    const TagPlace& here = place(node);
    const int closing = tree_[node].close;
    const bool has_space_inside = closing != TagNode::kNone && tag(closing).space_before && !tag(closing).space_after;
    if (!is_between_units(node)) write_text(has_space_inside ? begin_of(here.last) : end_before(here.last));
    write_tag(closing);
    if (closing != TagNode::kNone && (tree_[node].is_hollow() || keeps_its_words(node))) separate_from_text(closing);
  }

  bool keeps_its_words(int node) const {
    return is_emptied(node) && tag(tree_[node].open).emptied == Tag::Emptied::keeps_words;
  }

  void write_source(const TagNode& element) {
    const std::size_t begin = tag(element.open).position, end = tag(element.close).position;
    append_text_(std::string_view(segment_.text).substr(begin, end - begin), out_);
  }

  // Whether a tag would touch a word before it, as it does not in the document. Line breaks of messages may.
  bool would_join_before(int index) const {
    return document_[tag(index).bytes.begin] != '\\' && ends_with_word(text_.substr(0, written_)) &&
           !ends_with_word(std::string_view(segment_.text).substr(0, tag(index).position));
  }
  // The same for the text after it.
  void separate_from_text(int index) {
    const bool would_join = document_[tag(index).bytes.begin] != '\\' && begins_with_word(text_.substr(written_)) &&
                            !begins_with_word(std::string_view(segment_.text).substr(tag(index).position));
    if (tag(index).space_after || would_join) write_space_before_text();
  }

  void write_space() {
    if (written_ > 0 && out_.back() != ' ' && out_.back() != '\n') out_ += ' ';
  }
  // Not before a mark that ends a clause: no script has a space there that the translation lacks.
  void write_space_before_text() {
    constexpr std::string_view kNoSpaceBefore = " \n.,;:!?)]}";
    if (written_ < text_.size() && kNoSpaceBefore.find(text_[written_]) == std::string_view::npos) out_ += ' ';
  }

  const Segment& segment_;
  std::string_view document_;
  std::string_view text_;
  const AppendText& append_text_;
  std::string& out_;
  std::size_t written_ = 0;  // bytes of the text
  TagTree tree_;
  std::vector<text::Unit> units_;
  std::vector<TagPlace> places_;
  std::vector<bool> gone_;  // per node
};

}  // namespace

void append_with_tags(const Segment& segment, std::string_view document, const Translated& translated,
                      const AppendText& append_text, std::string& out) {
  if (segment.tags.empty()) return append_text(translated.text, out);
  TagWriter(segment, document, translated, append_text, out).write();
}

}  // namespace dragoman::document

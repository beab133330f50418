#include "document/markdown_inline.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "document/addresses.h"
#include "document/markup_tokens.h"
#include "document/placeholders.h"
#include "document/references.h"
#include "text/unicode.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kLongestTag = 1024;   // bytes of an HTML tag or the destination of a link; bounds the work
constexpr std::size_t kLongestLabel = 999;  // bytes of the label of a link; CommonMark has the same limit
constexpr std::string_view kSpecial = "\\\n`<![]*_~&{:$";

bool is_mark(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// A stretch of a paragraph's text and what it is.
struct Item {
  enum class Kind { text, space, line_break, point, address, open, close, decoded, delimiters };

  Kind kind = Kind::text;
  std::size_t begin = 0, end = 0;  // in the text
  std::string name{};              // of an element, or the characters that are meant
};

// A run of * or _ or ~ that may begin or end emphasis. Pairs take characters of its left side to close and of its right
// side to open.
struct Delimiters {
  std::size_t item = 0;
  char mark = 0;
  bool opens = false, closes = false;
  std::size_t left = 0;                           // characters that are not in a pair
  std::vector<std::size_t> closing{}, opening{};  // characters of each pair, from the outside of the run inwards
};

// Reads the text of one paragraph.
class InlineReader {
 public:
  InlineReader(std::string_view text, const MarkdownLabels& labels) : text_(text), labels_(labels) { match_brackets(); }

  std::vector<Item> read() {
    while (at_ < text_.size()) {
      if (!read_address() && !read_markup()) read_text();
    }
    pair_delimiters();
    return std::move(items_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view rest_of_line() const {
    const std::string_view near = text_.substr(at_, kLongestTag);
    return near.substr(0, near.find('\n'));
  }
  void add(Item::Kind kind, std::size_t end, std::string name = {}) {
    items_.push_back({kind, at_, end, std::move(name)});
    at_ = end;
  }

  // The run of backquotes that closes the one of `length` before `from`, or npos.
  std::size_t find_run(std::size_t from, std::size_t length) const {
    for (std::size_t at = text_.find('`', from); at != text_.npos; at = text_.find('`', at)) {
      const std::size_t end = std::min(text_.find_first_not_of('`', at), text_.size());
      if (end - at == length) return at;
      at = end;
    }
    return text_.npos;
  }
  std::size_t end_of_code(std::size_t at) const {
    const std::size_t open = std::min(text_.find_first_not_of('`', at), text_.size());
    const std::size_t close = find_run(open, open - at);
    return close == text_.npos ? at : close + (open - at);
  }

  // Brackets in code and after a backslash do not count.
  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '\\') {
        ++at;
      } else if (text_[at] == '`') {
        const std::size_t end = end_of_code(at);
        at = (end > at ? end : std::min(text_.find_first_not_of('`', at), text_.size())) - 1;
      } else if (text_[at] == '[') {
        open.push_back(at);
      } else if (text_[at] == ']' && !open.empty()) {
        closing_[open.back()] = at;
        open.pop_back();
      }
    }
  }

  bool read_markup() {
    switch (text_[at_]) {
      case '\\': return read_escape();
      case '\n': return read_line_end();
      case '`': return read_code();
      case '<': return read_tag();
      case '!': return at_ + 1 < text_.size() && text_[at_ + 1] == '[' && read_link(at_ + 1);
      case '[': return read_link(at_);
      case ']': return read_link_end();
      case '*':
      case '_':
      case '~': return read_delimiters();
      case '&': return read_reference();
      case '{':
      case ':': return read_placeholder();
      case '$': return read_formula();
      default: return false;
    }
  }

  bool read_escape() {
    if (at_ + 1 >= text_.size()) return false;
    const char next = text_[at_ + 1];
    if (next == '\n')
      add(Item::Kind::line_break, at_ + 2);
    else if (is_mark(next))
      add(Item::Kind::decoded, at_ + 2, std::string(1, next));
    else
      return false;
    return true;
  }

  // Two spaces before it make it a break.
  bool read_line_end() {
    const bool is_break = at_ >= 2 && text_.substr(at_ - 2, 2) == "  ";
    add(is_break ? Item::Kind::line_break : Item::Kind::space, at_ + 1);
    return true;
  }

  bool read_code() {
    const std::size_t end = end_of_code(at_);
    if (end > at_)
      add(Item::Kind::point, end);
    else
      add(Item::Kind::text, std::min(text_.find_first_not_of('`', at_), text_.size()));
    return true;
  }

  // <https://example.org>, an HTML tag or a comment.
  bool read_tag() {
    const std::string_view here = text_.substr(0, std::min(text_.size(), at_ + kLongestTag));
    const std::size_t close = here.find('>', at_);
    if (close == here.npos) return false;
    const std::string_view inside = here.substr(at_ + 1, close - at_ - 1);
    const bool is_address = inside.find_first_of(" \n<") == inside.npos &&
                            (inside.find("://") != inside.npos || inside.find('@') != inside.npos);
    if (is_address) {
      add(Item::Kind::point, close + 1);
      return true;
    }
    MarkupTokens tokens(here, Markup::html, at_);
    MarkupToken token;
    if (!tokens.next(token) || token.kind == MarkupToken::Kind::text || here[token.bytes.end - 1] != '>') return false;
    constexpr std::array kVoid = std::to_array<std::string_view>({"br", "hr", "img", "input", "wbr"});
    constexpr std::array kVerbatim = std::to_array<std::string_view>({"code", "kbd", "samp", "script", "style", "var"});
    const auto is_among = [&](const auto& names) {
      return std::find(names.begin(), names.end(), token.name) != names.end();
    };
    if (token.kind == MarkupToken::Kind::open && is_among(kVerbatim)) {
      const std::string end_tag = "</" + token.name + ">";
      const std::size_t end = here.find(end_tag, token.bytes.end);
      if (end != here.npos) token = {.kind = MarkupToken::Kind::other, .bytes = {at_, end + end_tag.size()}};
    }
    if (token.kind == MarkupToken::Kind::open && !is_among(kVoid))
      add(Item::Kind::open, token.bytes.end, token.name);
    else if (token.kind == MarkupToken::Kind::close)
      add(Item::Kind::close, token.bytes.end, token.name);
    else
      add(Item::Kind::point, token.bytes.end);
    return true;
  }

  // The end of "(destination)" or "(destination "title")" at `at`; `at` if there is none.
  std::size_t end_of_destination(std::size_t at) const {
    const std::string_view here = text_.substr(0, std::min(text_.size(), at + kLongestTag));
    if (at >= here.size() || here[at] != '(') return at;
    int depth = 0;
    char quote = 0;
    for (std::size_t end = at; end < here.size(); ++end) {
      const char c = here[end];
      if (c == '\\') {
        ++end;
      } else if (quote != 0) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && here[end - 1] == ' ') {
        quote = c;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        return end + 1;
      }
    }
    return at;
  }

  bool is_label_of_link(std::string_view label) const {
    return label.size() <= kLongestLabel && labels_.contains(markdown_label(label));
  }

  // A link becomes an element around its text. Images, footnote marks and links whose text is their label stay.
  bool read_link(std::size_t bracket) {
    const auto match = closing_.find(bracket);
    if (match == closing_.end()) return false;
    const std::size_t close = match->second, after = close + 1;
    const bool is_image = bracket > at_;
    const std::string_view label = text_.substr(bracket + 1, close - bracket - 1);
    const bool may_be_footnote = !is_image && label.starts_with('^') && label.size() <= kLongestLabel;
    if (may_be_footnote && label.find_first_of(" \n") == label.npos) {
      add(Item::Kind::point, after);
      return true;
    }
    std::size_t end = end_of_destination(after);
    bool is_label = false;
    if (end == after) {
      const auto second = after < text_.size() && text_[after] == '[' ? closing_.find(after) : closing_.end();
      const std::string_view named =
          second == closing_.end() ? label : text_.substr(after + 1, second->second - after - 1);
      is_label = named.empty() || second == closing_.end();
      if (!is_label_of_link(named.empty() ? label : named)) return false;
      end = second == closing_.end() ? after : second->second + 1;
    }
    if (is_image || is_label) {
      add(Item::Kind::point, end);
      return true;
    }
    link_ends_.push_back({close, end});
    add(Item::Kind::open, at_ + 1, "[");
    return true;
  }

  bool read_link_end() {
    if (link_ends_.empty() || link_ends_.back().begin != at_) return false;
    const std::size_t end = link_ends_.back().end;
    link_ends_.pop_back();
    add(Item::Kind::close, end, "[");
    return true;
  }

  bool read_delimiters() {
    const char mark = text_[at_];
    const std::size_t end = std::min(text_.find_first_not_of(mark, at_), text_.size());
    const auto kind_of = [](char32_t code) { return text::classify(code); };
    const char32_t before = at_ == 0 ? U' ' : text::code_point_before(text_, at_).code;
    const char32_t next = end == text_.size() ? U' ' : text::code_point_at(text_, end).code;
    const bool space_before = kind_of(before) == text::CharClass::space || before == U'\n';
    const bool space_after = kind_of(next) == text::CharClass::space || next == U'\n';
    const bool mark_before = text::is_punctuation_or_symbol(before), mark_after = text::is_punctuation_or_symbol(next);
    const bool is_left = !space_after && (!mark_after || space_before || mark_before);
    const bool is_right = !space_before && (!mark_before || space_after || mark_after);
    Delimiters run{.item = items_.size(), .mark = mark, .left = end - at_};
    run.opens = is_left && (mark != '_' || !is_right || mark_before);
    run.closes = is_right && (mark != '_' || !is_left || mark_after);
    if (mark == '~' && end - at_ != 2) run.opens = run.closes = false;
    if (run.opens || run.closes) {
      delimiters_.push_back(run);
      add(Item::Kind::delimiters, end);
    } else {
      add(Item::Kind::text, end);
    }
    return true;
  }

  bool read_reference() {
    const Reference reference = decode_reference(rest(), Markup::html);
    if (reference.bytes == 0) return false;
    if (reference.text.empty())
      add(Item::Kind::point, at_ + reference.bytes);
    else
      add(Item::Kind::decoded, at_ + reference.bytes, reference.text);
    return true;
  }

  // {{ name }}, {name}, {#heading} and :emoji:.
  bool read_placeholder() {
    const bool is_attribute = rest().starts_with("{#") || rest().starts_with("{.") || rest().starts_with("{:");
    std::size_t length = placeholder_length(text_, at_);
    if (is_attribute) length = rest_of_line().find('}') + 1;
    if (length == 0 || (text_[at_] == ':' && text_[at_ + length - 1] != ':')) return false;
    add(Item::Kind::point, at_ + length);
    return true;
  }

  // $x^2$: with a sign that prices do not have.
  bool read_formula() {
    const std::string_view line = rest_of_line();
    const std::size_t end = line.find('$', 1);
    if (end == line.npos || end < 2 || line[1] == ' ' || line[end - 1] == ' ') return false;
    if (line.substr(1, end - 1).find_first_of("\\^_={") == line.npos) return false;
    add(Item::Kind::point, at_ + end + 1);
    return true;
  }

  // An address ends with the text of the link that it is in.
  bool read_address() {
    if (address_ < at_ || address_ == text_.npos) address_ = find_kept_with_marks(text_, at_).begin;
    if (address_ != at_) return false;
    const std::size_t limit = link_ends_.empty() ? text_.size() : link_ends_.back().begin;
    const Range found = find_kept_with_marks(text_.substr(0, limit), at_);
    if (found.begin != at_ || found.end <= at_) return false;
    add(Item::Kind::address, found.end);
    return true;
  }

  void read_text() {
    const std::size_t limit = address_ > at_ ? std::min(address_, text_.size()) : text_.size();
    add(Item::Kind::text, std::min(text_.substr(0, limit).find_first_of(kSpecial, at_ + 1), limit));
  }

  // As CommonMark does, but for its rule about lengths that are multiples of three.
  void pair_delimiters() {
    std::vector<std::size_t> open;
    std::map<char, std::size_t> count;
    for (std::size_t i = 0; i < delimiters_.size(); ++i) {
      Delimiters& run = delimiters_[i];
      while (run.closes && run.left > 0 && count[run.mark] > 0) {
        while (delimiters_[open.back()].mark != run.mark) {
          --count[delimiters_[open.back()].mark];
          open.pop_back();
        }
        Delimiters& other = delimiters_[open.back()];
        const std::size_t length = run.left >= 2 && other.left >= 2 ? 2 : 1;
        other.opening.push_back(length);
        run.closing.push_back(length);
        other.left -= length;
        run.left -= length;
        if (other.left > 0) continue;
        --count[run.mark];
        open.pop_back();
      }
      if (!run.opens || run.left == 0) continue;
      open.push_back(i);
      ++count[run.mark];
    }
    write_delimiters();
  }

  // Makes items of the pairs and of what is left.
  void write_delimiters() {
    std::vector<Item> items;
    std::size_t copied = 0;
    for (const Delimiters& run : delimiters_) {
      std::move(items_.begin() + static_cast<std::ptrdiff_t>(copied),
                items_.begin() + static_cast<std::ptrdiff_t>(run.item), std::back_inserter(items));
      copied = run.item + 1;
      std::size_t at = items_[run.item].begin;
      const auto take = [&](Item::Kind kind, std::size_t length) {
        items.push_back({kind, at, at + length, std::string(length, run.mark)});
        at += length;
      };
      for (const std::size_t length : run.closing) take(Item::Kind::close, length);
      if (run.left > 0) take(Item::Kind::text, run.left);
      for (auto length = run.opening.rbegin(); length != run.opening.rend(); ++length) take(Item::Kind::open, *length);
    }
    std::move(items_.begin() + static_cast<std::ptrdiff_t>(copied), items_.end(), std::back_inserter(items));
    items_ = std::move(items);
  }

  std::string_view text_;
  const MarkdownLabels& labels_;
  std::size_t at_ = 0, address_ = std::string_view::npos;
  std::map<std::size_t, std::size_t> closing_;  // of each bracket
  std::vector<Range> link_ends_;                // of the links that are open
  std::vector<Item> items_;
  std::vector<Delimiters> delimiters_;
};

// Lines joined to one text, and where its bytes come from.
class JoinedLines {
 public:
  JoinedLines(std::string_view document, std::span<const Range> lines) : lines_(lines) {
    for (const Range& line : lines) {
      if (!begins_.empty()) text_ += '\n';
      begins_.push_back(text_.size());
      text_ += document.substr(line.begin, line.end - line.begin);
    }
  }

  const std::string& text() const { return text_; }
  Range in_document(const Item& item) const { return {place(item.begin), place(item.end - 1) + 1}; }

 private:
  std::size_t place(std::size_t at) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), at);
    const auto line = static_cast<std::size_t>(next - begins_.begin()) - 1;
    return std::min(lines_[line].begin + at - begins_[line], lines_[line].end);
  }

  std::span<const Range> lines_;
  std::vector<std::size_t> begins_;  // of the lines in the text
  std::string text_;
};

// Marks of emphasis with nothing between them would be text, and a link with no words invisible.
Tag::Emptied when_emptied(std::string_view name) {
  if (name == "[") return Tag::Emptied::keeps_words;
  return is_mark(name[0]) ? Tag::Emptied::goes : Tag::Emptied::stays;
}

}  // namespace

std::string markdown_label(std::string_view text) {
  std::string label;
  for (const char c : text)
    if (!is_markup_space(c))
      label += c;
    else if (!label.empty() && label.back() != ' ')
      label += ' ';
  if (label.ends_with(' ')) label.pop_back();
  return text::lower_case(label);
}

void add_markdown(std::string_view document, std::span<const Range> lines, const MarkdownLabels& labels,
                  Paragraph& paragraph) {
  const JoinedLines joined(document, lines);
  for (const Item& item : InlineReader(joined.text(), labels).read()) {
    const Range bytes = joined.in_document(item);
    switch (item.kind) {
      case Item::Kind::text:
        paragraph.add_words(std::string_view(joined.text()).substr(item.begin, item.end - item.begin), bytes.begin);
        break;
      case Item::Kind::space: paragraph.add_space(bytes); break;
      case Item::Kind::line_break: paragraph.finish(); break;
      case Item::Kind::point: paragraph.add_point(bytes); break;
      case Item::Kind::address: paragraph.add_address(bytes); break;
      case Item::Kind::open: paragraph.open(item.name, bytes, when_emptied(item.name)); break;
      case Item::Kind::close: paragraph.close(item.name, bytes); break;
      case Item::Kind::decoded: paragraph.add_decoded(item.name, bytes); break;
      case Item::Kind::delimiters: break;
    }
  }
  paragraph.finish();
}

}  // namespace dragoman::document

#include "document/catalogue.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "base/quote.h"
#include "document/markup_tokens.h"
#include "document/paragraph.h"
#include "document/placeholders.h"

namespace dragoman::document {
namespace {

constexpr std::size_t kMostForms = 6;  // no language has more plural forms; bounds the copies of a source

bool is_continuation(char c) { return (c & 0xc0) == 0x80; }  // of a character in UTF-8
bool is_name(char c) { return is_ascii_digit(c) || is_ascii_letter(c) || c == '_' || c == '.' || c == '-' || c == ':'; }

// The end of the bytes from `at` on that `belongs` accepts.
template <class F>
std::size_t skip_bytes(std::string_view text, std::size_t at, F&& belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

// The strings of one keyword: from the first quote to the last one, over several lines.
struct Message {
  Range place{};
  bool is_empty = true;
};

struct Entry {
  Message id, plural;
  std::vector<Message> translations;  // msgstr, or msgstr[0] and so on
  Range flags{};                      // the line "#, ..."; empty where it would begin
};

// Reads the entries of a catalogue. What it does not understand belongs to no entry.
class EntryReader {
 public:
  explicit EntryReader(std::string_view document) : document_(document) {}

  std::vector<Entry> read() {
    for (std::size_t begin = 0; begin < document_.size();) {
      const std::size_t end = std::min(document_.find('\n', begin), document_.size());
      read_line({begin, end});
      begin = end + 1;
    }
    return std::move(entries_);
  }

 private:
  void read_line(Range line) {
    const std::string_view text = document_.substr(line.begin, line.end - line.begin);
    const std::size_t first = skip_bytes(text, 0, [](char c) { return c == ' ' || c == '\t'; });
    const std::size_t quote = text.find('"');
    if (first >= text.size() || quote == std::string_view::npos || text[first] == '#') {
      message_ = nullptr;
      read_comment(text.substr(std::min(first, text.size())), line);
      return;
    }
    if (first < quote) begin_message(text.substr(first, quote - first), line.begin);
    const std::size_t last = text.rfind('"');
    if (last == quote) message_ = nullptr;
    if (message_ == nullptr) return;
    if (first < quote) message_->place.begin = line.begin + quote;
    message_->place.end = line.begin + last + 1;
    if (last > quote + 1) message_->is_empty = false;
  }

  // Notes the flags of the next entry, which come before the lines "#|" with its previous messages.
  void read_comment(std::string_view text, Range line) {
    if (text.starts_with("#,"))
      flags_ = line;
    else if (text.starts_with("#|") && !flags_)
      flags_ = Range{line.begin, line.begin};
    else if (!text.starts_with('#') || text.starts_with("#~"))
      flags_.reset();
  }

  void begin_message(std::string_view keyword, std::size_t line) {
    keyword = keyword.substr(0, keyword.find_last_not_of(" \t") + 1);
    message_ = nullptr;
    if (keyword == "msgctxt" && !flags_) flags_ = Range{line, line};
    if (keyword == "msgid") {
      message_ = &entries_.emplace_back().id;
      entries_.back().flags = flags_.value_or(Range{line, line});
      flags_.reset();
    }
    if (entries_.empty()) return;
    Entry& entry = entries_.back();
    if (keyword == "msgid_plural") message_ = &entry.plural;
    if (begins_next_form(keyword, entry.translations.size())) message_ = &entry.translations.emplace_back();
  }

  // msgstr stands alone, or msgstr[0] and so on are in order.
  static bool begins_next_form(std::string_view keyword, std::size_t form) {
    if (form == 0 && keyword == "msgstr") return true;
    return form < kMostForms && keyword == "msgstr[" + std::to_string(form) + "]";
  }

  std::string_view document_;
  std::vector<Entry> entries_;
  Message* message_ = nullptr;  // what a line that begins with a quote belongs to
  std::optional<Range> flags_;  // of the next entry
};

// Adds the text of a message, whose place is in `document`, to paragraphs: one per line of the text, and between tabs.
class MessageReader {
 public:
  MessageReader(std::string_view document, Paragraph& paragraph) : document_(document), paragraph_(paragraph) {}

  void read(Range place) {
    bool is_quoted = false;
    for (at_ = place.begin, end_ = place.end; at_ < end_;) {
      if (document_[at_] == '"') {
        is_quoted = !is_quoted;
        ++at_;
      } else if (!is_quoted) {
        ++at_;  // between two strings
      } else if (!read_placeholder() && !read_escape() && !read_tag()) {
        read_text();
      }
    }
    paragraph_.finish();
  }

 private:
  Range take(std::size_t length) {
    const Range bytes{at_, std::min(at_ + length, end_)};
    at_ = bytes.end;
    return bytes;
  }

  bool read_escape() {
    if (document_[at_] != '\\' || at_ + 1 >= end_) return false;
    const char escaped = document_[at_ + 1];
    const Range bytes = take(skip_bytes(document_, at_ + 2, is_continuation) - at_);
    if (escaped == 'n' || escaped == 't')
      paragraph_.finish();
    else if (escaped == '"' || escaped == '\\')
      paragraph_.add_decoded(document_.substr(bytes.begin + 1, 1), bytes);
    else
      paragraph_.add_point(bytes);
    return true;
  }

  // With the quotation marks directly around it, which a translation of the rest would lose.
  bool read_placeholder() {
    const Range found = placeholder_at(at_);
    if (found.begin == found.end) return false;
    paragraph_.add_point(take(found.end - found.begin));
    return true;
  }

  Range placeholder_at(std::size_t at) const {
    const std::string_view text = document_.substr(0, end_);
    const Range quoted = quoted_placeholder(text, at);
    return quoted.begin < quoted.end ? quoted : Range{at, at + placeholder_length(text, at)};
  }

  // A tag ends in the same string; quotes in it are escaped.
  bool read_tag() {
    if (document_[at_] != '<' || at_ + 1 >= end_) return false;
    const bool closes = document_[at_ + 1] == '/';
    const std::size_t name = at_ + (closes ? 2 : 1);
    const std::size_t name_end = skip_bytes(document_.substr(0, end_), name, is_name);
    if (name_end == name || !begins_name(name, name_end)) return false;
    std::size_t end = name_end;
    while (end < end_ && document_[end] != '>' && document_[end] != '"' && document_[end] != '<')
      end += document_[end] == '\\' ? 2 : 1;
    if (end >= end_ || document_[end] != '>') return false;
    const bool is_empty = document_[end - 1] == '/';
    const Range bytes = take(end + 1 - at_);
    const std::string_view tag = document_.substr(name, name_end - name);
    if (is_empty)
      paragraph_.add_point(bytes);
    else if (closes)
      paragraph_.close(tag, bytes);
    else
      paragraph_.open(tag, bytes);
    return true;
  }

  // A name begins with a letter, or is a number that the tag ends with.
  bool begins_name(std::size_t begin, std::size_t end) const {
    if (is_ascii_letter(document_[begin])) return true;
    const std::string_view rest = document_.substr(end, end_ - end);
    return skip_bytes(document_, begin, is_ascii_digit) == end && (rest.starts_with('>') || rest.starts_with("/>"));
  }

  void read_text() {
    const std::size_t begin = at_++;
    while (at_ < end_ && !ends_text(at_)) ++at_;
    paragraph_.add_words(document_.substr(begin, at_ - begin), begin);
  }

  bool ends_text(std::size_t at) const {
    const char c = document_[at];
    if (c == '"' || c == '\\' || c == '<') return true;
    const Range found = is_continuation(c) || is_ascii_letter(c) ? Range{at, at} : placeholder_at(at);
    return found.begin < found.end;
  }

  std::string_view document_;
  Paragraph& paragraph_;
  std::size_t at_ = 0, end_ = 0;
};

bool is_blank_markup(std::string_view text) { return std::all_of(text.begin(), text.end(), is_markup_space); }

// Copies a document from its beginning to its end, with changes.
class Copy {
 public:
  Copy(std::string_view document, std::string& out)
      : document_(document), out_(out), line_end_(document.find("\r\n") == document.npos ? "\n" : "\r\n") {}

  std::size_t copied() const { return copied_; }

  void up_to(std::size_t end) {
    out_ += document_.substr(copied_, end - copied_);
    copied_ = end;
  }

  // Writes the bytes `source` instead of those at `place`. Returns where they are now.
  Range replace(Range place, Range source) {
    up_to(place.begin);
    const std::size_t begin = out_.size();
    out_ += document_.substr(source.begin, source.end - source.begin);
    copied_ = place.end;
    return {begin, out_.size()};
  }

  // `flags` is the line of flags, or empty where it is to be.
  void mark_fuzzy(Range flags) {
    constexpr std::string_view kBeginning = "#,";
    if (flags.begin < copied_) return;
    up_to(flags.begin);
    if (flags.begin == flags.end) {
      out_ += "#, fuzzy" + line_end_;
    } else if (document_.substr(flags.begin, flags.end - flags.begin).find("fuzzy") == std::string_view::npos) {
      up_to(document_.find(kBeginning, flags.begin) + kBeginning.size());
      out_ += " fuzzy,";
    }
  }

 private:
  std::string_view document_;
  std::string& out_;
  std::string line_end_;
  std::size_t copied_ = 0;
};

}  // namespace

void append_message_text(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

Catalogue read_catalogue(std::string_view document, const Options& options) {
  const std::vector<Entry> entries = EntryReader(document).read();
  check(!entries.empty() || is_blank_markup(document),
        "the document has no messages: expected lines such as msgid \"Open\" (gettext), but it begins with '{}'",
        excerpt(document));
  Catalogue catalogue;
  std::vector<Range> messages;
  Copy copy(document, catalogue.bytes);
  for (const Entry& entry : entries) {
    if (entry.id.is_empty) continue;  // the header
    bool is_flagged = false;
    for (std::size_t form = 0; form < entry.translations.size(); ++form) {
      const Message& translation = entry.translations[form];
      if ((!translation.is_empty && !options.retranslate) || translation.place.begin < copy.copied()) continue;
      if (translation.place.begin == translation.place.end) continue;
      if (!std::exchange(is_flagged, true)) copy.mark_fuzzy(entry.flags);
      const Range source = form > 0 && !entry.plural.is_empty ? entry.plural.place : entry.id.place;
      messages.push_back(copy.replace(translation.place, source));
    }
  }
  copy.up_to(document.size());
  Paragraph paragraph(options, catalogue.segments);
  for (const Range& message : messages) MessageReader(catalogue.bytes, paragraph).read(message);
  return catalogue;
}

}  // namespace dragoman::document

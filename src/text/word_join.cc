#include "text/word_join.h"

#include <algorithm>

#include "text/unicode.h"

namespace dragoman::text {
namespace {

constexpr std::string_view kNarrowSpaces[] = {"\u00A0", "\u202F"};

bool starts_with_digit(std::string_view token) { return !token.empty() && is_digit(code_point_at(token, 0).code); }
bool ends_with_digit(std::string_view token) {
  return !token.empty() && is_digit(code_point_before(token, token.size()).code);
}
bool is_word_end(std::string_view token) {
  if (token.empty()) return false;
  const CharClass kind = classify(code_point_before(token, token.size()).code);
  return kind == CharClass::letter || kind == CharClass::mark || kind == CharClass::number;
}
bool is_word_start(std::string_view token) {
  if (token.empty()) return false;
  const CharClass kind = classify(code_point_at(token, 0).code);
  return kind == CharClass::letter || kind == CharClass::number;
}

bool is_made_of(std::string_view token, std::string_view characters) {
  return !token.empty() && token.find_first_not_of(characters) == std::string_view::npos;
}

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), token) != list.end();
}

// Scripts written without spaces between words.
bool is_unspaced(char32_t code) {
  return (code >= 0x2E80 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x9FFF) ||
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF00 && code <= 0xFF65) ||
         (code >= 0x20000 && code <= 0x3FFFF);
}

// Decides token by token; the state is which marks are open to the left.
class Joiner {
 public:
  Joiner(std::span<const std::string_view> tokens, Language language) : tokens_(tokens), language_(language) {}

  std::vector<bool> run() {
    std::vector<bool> spaces(tokens_.size());
    bool bound = true;  // the first token has nothing before it
    for (index_ = 0; index_ < tokens_.size(); ++index_) {
      binds_left_ = binds_right_ = false;
      decide(tokens_[index_]);
      spaces[index_] = !bound && !binds_left_;
      bound = binds_right_;
    }
    return spaces;
  }

 private:
  std::string_view previous() const { return index_ > 0 ? tokens_[index_ - 1] : std::string_view(); }
  std::string_view next() const { return index_ + 1 < tokens_.size() ? tokens_[index_ + 1] : std::string_view(); }

  void open() { binds_right_ = true; }
  void close() { binds_left_ = true; }
  // A mark that opens if it is closed and closes if it is open.
  void toggle(bool& is_open) {
    is_open = !is_open;
    is_open ? open() : close();
  }

  void decide(std::string_view token) {
    if (token.empty()) return;
    for (const std::string_view space : kNarrowSpaces) {
      binds_left_ |= token.starts_with(space);
      binds_right_ |= token.ends_with(space);
    }
    if (binds_left_ || binds_right_ || decide_quote(token) || decide_clitic(token)) return;
    if (is_made_of(token, ".!?") || is_one_of(token, {",", ";", ":", ")", "]", "}", "…", "।", "॥", "؟", "،", "؛"}))
      return close();
    if (is_one_of(token, {"(", "[", "{", "¿", "¡"})) return open();
    if (token == "%" && language_ != Language::german && ends_with_digit(previous())) return close();
    if (is_one_of(token, {"$", "£", "¥", "€", "₹"}) && starts_with_digit(next()) && !ends_with_digit(previous()))
      return open();
    if (token == "/" && is_word_end(previous()) && is_word_start(next())) {
      close();
      return open();
    }
    if (!previous().empty() && is_unspaced(code_point_at(token, 0).code) &&
        is_unspaced(code_point_before(previous(), previous().size()).code))
      close();
  }

  bool decide_quote(std::string_view token) {
    if (token == "\"") return toggle(straight_), true;
    if (token == "``" || token == "`") return open(), true;
    if (token == "''") return close(), true;
    if (token == "„" || token == "‚") return low_ = true, open(), true;
    if (token == "“" || token == "‘") {
      low_ ? close() : open();
      low_ = false;
      return true;
    }
    if (token == "”" || token == "’") return close(), true;
    if (token == "«" || token == "»") return decide_guillemet(token), true;
    if (token == "'") return decide_apostrophe(), true;
    return false;
  }

  // «so» or »so«: the first one opens.
  void decide_guillemet(std::string_view token) {
    if (guillemet_.empty()) {
      guillemet_ = token;
      open();
    } else {
      close();
      if (token != guillemet_) guillemet_ = {};
    }
  }

  // A single quotation mark or the apostrophe of a possessive: the students' books.
  void decide_apostrophe() {
    const bool possessive = !single_ && language_ != Language::german && is_word_end(previous()) &&
                            (previous().ends_with('s') || previous().ends_with('S'));
    possessive ? close() : toggle(single_);
  }

  bool decide_clitic(std::string_view token) {
    if (is_enclitic(language_, token) && is_word_end(previous())) return close(), true;
    if (is_proclitic(language_, token) && is_word_start(next())) return open(), true;
    return false;
  }

  std::span<const std::string_view> tokens_;
  Language language_;
  std::size_t index_ = 0;
  bool binds_left_ = false, binds_right_ = false;
  bool straight_ = false, single_ = false, low_ = false;
  std::string_view guillemet_;
};

}  // namespace

std::vector<bool> spaces_before(std::span<const std::string_view> tokens, Language language) {
  return Joiner(tokens, language).run();
}

std::string join_words(std::span<const std::string_view> tokens, Language language) {
  const std::vector<bool> spaces =
      language == Language::tokenized ? std::vector<bool>(tokens.size(), true) : spaces_before(tokens, language);
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (spaces[i] && i > 0) text += ' ';
    text += tokens[i];
  }
  return text;
}

}  // namespace dragoman::text

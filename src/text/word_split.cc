#include "text/word_split.h"

#include <algorithm>
#include <optional>
#include <string>

#include "text/unicode.h"
#include "text/word_join.h"

namespace dragoman::text {
namespace {

bool is_no_break_space(char32_t code) { return code == 0xA0 || code == 0x202F; }
bool is_hyphen(char32_t code) { return code == '-' || code == 0x2010 || code == 0x2011; }

enum class Role { word, mark, sign };

// Format characters such as joiners and soft hyphens are treated as marks: they never start or end a token.
Role role_of(const CodePoint& point) {
  if (!point.valid) return Role::sign;
  switch (classify(point.code)) {
    case CharClass::letter:
    case CharClass::number: return Role::word;
    case CharClass::mark: return Role::mark;
    case CharClass::other: return point.code >= 0x80 ? Role::mark : Role::sign;
    default: return point.code == '_' ? Role::word : Role::sign;
  }
}

// Ideographs and kana are single tokens.
bool stands_alone(char32_t code) {
  return (code >= 0x3040 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x9FFF) ||
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x20000 && code <= 0x3FFFF);
}

// Emoji modifiers: they belong to the sequence of the emoji before them.
bool extends_symbol(char32_t code) { return code >= 0x1F3FB && code <= 0x1F3FF; }
constexpr char32_t kZeroWidthJoiner = 0x200D;

// The next place of something in a line. Asked for ascending places, it searches the line once, however often it is
// asked.
class NextPlace {
 public:
  // The first place at or after `at`, which find(at) finds; npos if there is none.
  template <class Find>
  std::size_t from(std::size_t at, const Find& find) {
    if (!place_ || *place_ < at) place_ = find(at);
    return *place_;
  }

 private:
  std::optional<std::size_t> place_;
};

class Splitter {
 public:
  Splitter(std::string_view line, Language language) : line_(line), language_(language) {}

  std::vector<WordSpan> run() {
    for (std::size_t at = skip_spaces(0); at < line_.size(); at = skip_spaces(chunk_end_)) {
      chunk_end_ = find_chunk_end(at);
      next_chunk_ = skip_spaces(chunk_end_);
      split_chunk(at);
    }
    return std::move(words_);
  }

 private:
  CodePoint point(std::size_t at) const { return code_point_at(line_, at); }
  char32_t code(std::size_t at) const { return at < line_.size() ? point(at).code : 0; }
  // The code point at `at` within the chunk, 0 after its end.
  char32_t chunk_code(std::size_t at) const { return at < chunk_end_ ? point(at).code : 0; }
  bool is_space(std::size_t at) const {
    const auto byte = static_cast<unsigned char>(line_[at]);
    if (byte < 0x80) return byte == ' ' || (byte >= 0x09 && byte <= 0x0D);
    return classify(point(at).code) == CharClass::space && !binds(at);
  }

  // A no-break space attaches to its neighbours between digits or beside punctuation.
  bool binds(std::size_t at) const {
    if (!is_no_break_space(code(at)) || at == 0) return false;
    const std::size_t after = at + point(at).length;
    if (after >= line_.size()) return false;
    const CodePoint left = code_point_before(line_, at), right = point(after);
    if (classify(left.code) == CharClass::space || classify(right.code) == CharClass::space) return false;
    if (is_digit(left.code) && is_digit(right.code)) return true;
    return role_of(left) == Role::sign || role_of(right) == Role::sign;
  }

  std::size_t skip_spaces(std::size_t at) const {
    while (at < line_.size() && is_space(at)) at += point(at).length;
    return at;
  }
  std::size_t find_chunk_end(std::size_t at) const {
    while (at < line_.size() && !is_space(at)) at += point(at).length;
    return at;
  }

  void add(std::size_t begin, std::size_t end) {
    const bool tight = !words_.empty() && words_.back().span.end == begin;
    words_.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, tight});
  }

  void split_chunk(std::size_t at) {
    if (is_emoticon(line_.substr(at, chunk_end_ - at))) return add(at, chunk_end_);
    while (at < chunk_end_) {
      std::size_t end = address_end(at);
      if (end > at) {
        add(at, end);
      } else if (starts_word(at)) {
        end = with_period(at, word_end(at));
        add_word(at, end);
      } else {
        end = sign_end(at);
        add(at, end);
      }
      at = end;
    }
  }

  static bool is_emoticon(std::string_view chunk) {
    constexpr std::string_view known[] = {":)", ":(", ":-)", ":-(", ";)", ";-)", ":D", ":-D", ":P", ":-P", ":/", "<3"};
    return std::find(std::begin(known), std::end(known), chunk) != std::end(known);
  }

  // A word starts here, or a decade such as '90s.
  bool starts_word(std::size_t at) const {
    if (role_of(point(at)) == Role::word) return true;
    const std::size_t length = apostrophe_at(line_, at);
    return length > 0 && is_digit(chunk_code(at + length)) && is_digit(chunk_code(at + length + 1)) &&
           (at == 0 || role_of(code_point_before(line_, at)) != Role::word);
  }

  // The end of a web or mail address, without the punctuation that follows it; `at` if there is no address.
  std::size_t address_end(std::size_t at) {
    if (role_of(point(at)) != Role::word || (!starts_web_address(at) && !starts_mail_address(at))) return at;
    const std::string_view rest = line_.substr(at, chunk_end_ - at);
    std::size_t end = std::min(rest.find_first_of("<>\""), rest.size());
    while (end > 0 && std::string_view(".,;:!?)]}'").find(rest[end - 1]) != std::string_view::npos) --end;
    return at + end;
  }
  bool starts_web_address(std::size_t at) {
    if (line_.substr(at, chunk_end_ - at).starts_with("www.")) return true;
    const std::size_t scheme = scheme_.from(at, [&](std::size_t from) { return line_.find("://", from); });
    return scheme > at && scheme < chunk_end_ && is_plain_word(line_.substr(at, scheme - at));
  }
  bool starts_mail_address(std::size_t at) {
    const std::size_t mail = mail_.from(at, [&](std::size_t from) { return line_.find('@', from); });
    if (mail == at || mail >= chunk_end_) return false;
    return mail_dot_.from(mail, [&](std::size_t from) { return line_.find('.', from); }) < chunk_end_ &&
           mail_limit_.from(at, [&](std::size_t from) { return line_.find_first_of("()[]<>,;\"", from); }) > mail;
  }
  static bool is_plain_word(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
  }

  std::size_t word_end(std::size_t at) const {
    std::size_t end = at + std::max<std::size_t>(apostrophe_at(line_, at), point(at).length);
    if (stands_alone(code(at))) return marks_end(end);
    while (end < chunk_end_) {
      const CodePoint next = point(end);
      const Role role = role_of(next);
      if (role == Role::word ? stands_alone(next.code) : role == Role::sign && !connects(end)) break;
      end += next.length;
    }
    return end;
  }

  std::size_t marks_end(std::size_t at) const {
    while (at < chunk_end_ && role_of(point(at)) == Role::mark) at += point(at).length;
    return at;
  }

  // Whether the sign at `at` inside a word joins both sides: re-election, 1,234.56, U.S, AT&T.
  bool connects(std::size_t at) const {
    const CodePoint sign = point(at);
    const std::size_t after = at + sign.length;
    if (after >= chunk_end_) return false;
    const CodePoint left = code_point_before(line_, at), right = point(after);
    if (role_of(right) != Role::word || stands_alone(right.code)) return false;
    const bool digits = is_digit(left.code) && is_digit(right.code);
    const bool letters = classify(left.code) != CharClass::number && classify(right.code) == CharClass::letter;
    if (is_hyphen(sign.code) || sign.code == '.') return true;
    if (apostrophe_at(line_, at)) return letters || digits;
    if (sign.code == '&') return letters;
    if (sign.code == ',' || sign.code == ':' || sign.code == '/' || sign.code == 0x2013) return digits;
    return is_no_break_space(sign.code) && digits;
  }

  // The end of one sign with its marks, or of a run of the same sign, including attached no-break spaces.
  std::size_t sign_end(std::size_t at) const {
    if (is_no_break_space(code(at)) && at + point(at).length < chunk_end_) {
      const std::size_t sign = at + point(at).length;
      return role_of(point(sign)) == Role::sign ? sign_end(sign) : sign;
    }
    const CodePoint first = point(at);
    std::size_t end = marks_end(at + first.length);
    if (is_repeatable(first.code))
      while (end < chunk_end_ && continues_run(first.code, code(end))) ++end;
    while (end < chunk_end_ && (extends_symbol(code(end)) || code_point_before(line_, end).code == kZeroWidthJoiner))
      end = marks_end(end + point(end).length);
    while (end < chunk_end_ && is_no_break_space(code(end)) && binds_to_sign(first.code)) end += point(end).length;
    return end;
  }
  static bool is_repeatable(char32_t code) {
    return code < 0x80 && std::string_view(".!?-*=~#+'`").find(static_cast<char>(code)) != std::string_view::npos;
  }
  static bool continues_run(char32_t first, char32_t next) {
    return first == next || ((first == '!' || first == '?') && (next == '!' || next == '?'));
  }
  // French opening marks have a space after them, closing ones before them.
  static bool binds_to_sign(char32_t sign) {
    return sign == 0xAB || sign == '-' || sign == 0x2013 || sign == 0x2014 || sign == 0x201E || sign == 0xA7;
  }

  void add_word(std::size_t begin, std::size_t end) {
    const std::size_t cut = clitic_split(language_, line_.substr(begin, end - begin));
    if (cut == 0) return add(begin, end);
    add(begin, begin + cut);
    add(begin + cut, end);
  }

  // The end of the word [begin, end) including its period, if the period belongs to it.
  std::size_t with_period(std::size_t begin, std::size_t end) const {
    const bool period = chunk_code(end) == '.' && chunk_code(end + 1) != '.';
    return period && keeps_period(line_.substr(begin, end - begin), end + 1) ? end + 1 : end;
  }

  // Abbreviations, initials and German ordinals keep their period, and so does a word before a lower-case word. At the
  // end of a line, only tokens that cannot be ordinary words keep it.
  bool keeps_period(std::string_view word, std::size_t after) const {
    if (is_abbreviation(language_, word)) return true;
    const bool digits = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits && word.find('.') != word.npos && !is_digit(code_point_before(word, word.size()).code)) return true;
    if (next_chunk_ >= line_.size()) return false;
    if (code_point_at(word, 0).length == word.size() && classify(code_point_at(word, 0).code) == CharClass::letter)
      return true;
    if (language_ == Language::german && digits && word.size() <= 2) return after == chunk_end_;
    return after == chunk_end_ && is_lower(code(next_chunk_));
  }

  std::string_view line_;
  Language language_;
  std::size_t chunk_end_ = 0, next_chunk_ = 0;
  NextPlace scheme_, mail_, mail_dot_, mail_limit_;
  std::vector<WordSpan> words_;
};

// The words of tokenised text, which are separated by blanks.
std::vector<WordSpan> split_tokenized(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<WordSpan> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}});
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

// Merges each token that `together` marks with the one before it.
void fuse(std::vector<WordSpan>& words, const std::vector<bool>& together) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && together[i])
      words[to - 1].span.end = words[i].span.end;
    else
      words[to++] = words[i];
  }
  words.resize(to);
}

}  // namespace

std::vector<WordSpan> split_words(std::string_view line, Language language) {
  return language == Language::tokenized ? split_tokenized(line) : Splitter(line, language).run();
}

std::vector<WordSpan> split_words_joinable(std::string_view line, Language language) {
  std::vector<WordSpan> words = split_words(line, language);
  std::vector<std::string_view> tokens;
  // Each round merges tokens that would be separated. A merged token may change the spacing of its neighbours, hence
  // several rounds; a line that has not settled in the last round is split only at spaces, which is always reversible.
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    tokens.clear();
    for (const WordSpan& word : words) tokens.push_back(line.substr(word.span.begin, word.span.end - word.span.begin));
    const std::vector<bool> spaces = spaces_before(tokens, language);
    std::vector<bool> together(words.size());
    bool settled = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
      together[i] = words[i].tight && (spaces[i] || round + 1 == kRounds);
      settled &= !(words[i].tight && spaces[i]);
    }
    if (settled) break;
    fuse(words, together);
  }
  return words;
}

}  // namespace dragoman::text

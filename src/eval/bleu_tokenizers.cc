#include "eval/bleu_tokenizers.h"

#include "base/ascii.h"
#include "text/unicode.h"

namespace dragoman::eval {
namespace {

using text::CharClass;

bool is_punctuation(char32_t c) { return text::classify(c) == CharClass::punctuation; }
bool is_number(char32_t c) { return text::classify(c) == CharClass::number; }
bool is_stop(char c) { return c == '.' || c == ','; }

// ASCII punctuation, symbols and the space, except ' - . and , which have their own rules.
bool is_ascii_symbol(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::string separate_symbols(std::string_view line) {
  std::string out;
  out.reserve(2 * line.size());
  for (const char c : line) {
    if (!is_ascii_symbol(c)) {
      out += c;
    } else if (c == ' ') {
      out += ' ';
    } else {
      out += ' ';
      out += c;
      out += ' ';
    }
  }
  return out;
}

// Rewrites pairs of adjacent bytes from left to right: where `matches(a, b)`, `write(out, a, b)` replaces the pair, and
// reading continues after it. Working on bytes is safe because one half of every pair is ASCII and the other half is
// only copied.
template <class Matches, class Write>
std::string rewrite_pairs(std::string_view line, Matches matches, Write write) {
  std::string out;
  out.reserve(line.size() + line.size() / 2);
  std::size_t i = 0;
  while (i < line.size()) {
    if (i + 1 < line.size() && matches(line[i], line[i + 1])) {
      write(out, line[i], line[i + 1]);
      i += 2;
    } else {
      out += line[i++];
    }
  }
  return out;
}

}  // namespace

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void undo_entities(std::string& line) {
  if (line.find('&') == std::string::npos) return;
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
}

std::string separate_western(std::string_view line, void (*after_symbols)(std::string& line)) {
  std::string text = separate_symbols(line);
  if (after_symbols != nullptr) after_symbols(text);
  text = rewrite_pairs(
      text, [](char a, char b) { return !is_ascii_digit(a) && is_stop(b); },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
  text = rewrite_pairs(
      text, [](char a, char b) { return is_stop(a) && !is_ascii_digit(b); },
      [](std::string& out, char a, char b) {
        out.append({' ', a, ' ', b});
      });
  return rewrite_pairs(
      text, [](char a, char b) { return is_ascii_digit(a) && b == '-'; },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
}

std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  undo_entities(text);
  return separate_western(" " + text + " ");
}

std::string tokenize_intl(std::string_view line) {
  // Three passes, each over the result of the previous one. A pass reads non-overlapping pairs from left to right.
  const std::vector<char32_t> characters = text::code_points(line);
  std::vector<char32_t> before_done;
  for (std::size_t i = 0; i < characters.size();) {
    if (i + 1 < characters.size() && !is_number(characters[i]) && is_punctuation(characters[i + 1])) {
      before_done.insert(before_done.end(), {characters[i], U' ', characters[i + 1], U' '});
      i += 2;
    } else {
      before_done.push_back(characters[i++]);
    }
  }
  std::vector<char32_t> after_done;
  for (std::size_t i = 0; i < before_done.size();) {
    if (i + 1 < before_done.size() && is_punctuation(before_done[i]) && !is_number(before_done[i + 1])) {
      after_done.insert(after_done.end(), {U' ', before_done[i], U' ', before_done[i + 1]});
      i += 2;
    } else {
      after_done.push_back(before_done[i++]);
    }
  }
  std::string out;
  for (const char32_t c : after_done) {
    const bool symbol = text::classify(c) == CharClass::symbol;
    if (symbol) out += ' ';
    text::append_utf8(c, out);
    if (symbol) out += ' ';
  }
  return out;
}

std::string tokenize_characters(std::string_view line) {
  std::string out;
  for (const char32_t c : text::code_points(line)) {
    text::append_utf8(c, out);
    out += ' ';
  }
  return out;
}

std::string tokenize(BleuTokenizer tokenizer, std::string_view line) {
  switch (tokenizer) {
    case BleuTokenizer::t13a: return tokenize_13a(line);
    case BleuTokenizer::intl: return tokenize_intl(line);
    case BleuTokenizer::character: return tokenize_characters(line);
    case BleuTokenizer::none: break;
  }
  return std::string(line);
}

}  // namespace dragoman::eval

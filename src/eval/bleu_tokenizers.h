#pragma once

#include <string>
#include <string_view>

#include "base/options.h"

// The standard tokenisations of BLEU. Each returns words separated by any amount of white space.
namespace dragoman::eval {

enum class BleuTokenizer { t13a, intl, character, none };

// mteval-v13a: decodes entities, separates ASCII punctuation, and separates periods and commas unless between digits.
std::string tokenize_13a(std::string_view line);
// mteval-v14 --international-tokenization: separates Unicode punctuation unless between digits, and all symbols.
std::string tokenize_intl(std::string_view line);
// Every character is a word.
std::string tokenize_characters(std::string_view line);

std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

// Steps that the normalisation of TER shares with 13a.
void undo_entities(std::string& line);
// Separates ASCII symbols, periods, commas and dashes. `after_symbols` runs on the line after the symbols.
std::string separate_western(std::string_view line, void (*after_symbols)(std::string& line) = nullptr);
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace dragoman::eval

namespace dragoman {
template <>
struct EnumNames<eval::BleuTokenizer> {
  static constexpr std::pair<eval::BleuTokenizer, const char*> list[] = {
      {eval::BleuTokenizer::t13a, "13a"},
      {eval::BleuTokenizer::intl, "intl"},
      {eval::BleuTokenizer::character, "char"},
      {eval::BleuTokenizer::none, "none"},
  };
};
}  // namespace dragoman

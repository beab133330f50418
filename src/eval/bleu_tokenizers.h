#pragma once

#include <string>
#include <string_view>

#include "base/options.h"

// The tokenisations BLEU scores are quoted with. Each returns words separated by white space (any amount of it).
namespace dragoman::eval {

enum class BleuTokenizer { t13a, intl, character, none };

// As mteval-v13a: entities undone, ASCII punctuation apart, periods and commas apart unless between digits.
std::string tokenize_13a(std::string_view line);
// As mteval-v14 --international-tokenization: Unicode punctuation apart unless between digits, all symbols apart.
std::string tokenize_intl(std::string_view line);
// Every character a word.
std::string tokenize_characters(std::string_view line);

std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

// Steps that TER's normalisation shares with 13a.
void undo_entities(std::string& line);
// Sets ASCII symbols, periods, commas and dashes apart. `after_symbols` runs on the line in between.
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

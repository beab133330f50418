#pragma once

#include <string>
#include <string_view>
#include <vector>

// Numbers in digits, and how languages write them.
namespace dragoman::search {

// How a language separates the digits of a number; no characters if this is not known.
struct Separators {
  char group = 0, decimal = 0;

  static Separators of(std::string_view language);
};

// Digits with what separates them: "1,234.5" has three groups of digits.
struct Number {
  std::size_t begin = 0, end = 0;  // in the text
  std::vector<std::string> groups;
  std::vector<std::string> separators;  // one fewer

  std::string digits() const;
};

// The numbers of a text; `others` are characters that separate groups of digits besides points, commas and narrow
// spaces.
std::vector<Number> numbers_of(std::string_view text, std::string_view others);

// The number in another language; empty if it is not written as numbers of the first one are.
std::string rewritten(const Number& number, const Separators& from, const Separators& to);

}  // namespace dragoman::search

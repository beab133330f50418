#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dragoman::fuzz {
namespace {

// Numbers at which sizes, offsets and counters overflow or turn negative.
constexpr std::uint64_t kNumbers[] = {0,          1,          0x7F,       0x80,       0xFF,        0x7FFF,
                                      0xFFFF,     0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF,
                                      1ULL << 63, 1ULL << 40, ~0ULL,      ~0ULL - 7};
// The same for numbers written as text, and characters that many formats give a meaning.
constexpr const char* kTexts[] = {"0",     "-1",       "2147483648", "18446744073709551615",
                                  "1e999", "nan",      "-inf",       "\n",
                                  "\t",    " ",        "\"",         "{",
                                  "[",     "[[[[[[[[", ":",          ",",
                                  "\xFF",  "\xC3",     "\r\n",       "&a [*a]",
                                  "\\"};

}  // namespace

std::size_t Mutator::length(const std::string& input, std::size_t begin) {
  const std::size_t rest = input.size() - begin;
  const std::size_t most = random_.below(4) == 0 ? rest : std::min<std::size_t>(rest, 8);
  return static_cast<std::size_t>(random_.below(most + 1));
}

// Overwrites 1, 2, 4 or 8 bytes with a number.
void Mutator::set_number(std::string& input) {
  const std::size_t width = std::size_t{1} << random_.below(4);
  if (input.size() < width) return;
  const std::uint64_t value = kNumbers[random_.below(std::size(kNumbers))];
  std::memcpy(input.data() + random_.below(input.size() - width + 1), &value, width);
}

// Replaces a number that is written in digits.
void Mutator::set_digits(std::string& input) {
  const std::size_t begin = input.find_first_of("0123456789", position(input));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(input.find_first_not_of("0123456789", begin), input.size());
  input.replace(begin, end - begin, kTexts[random_.below(7)]);
}

void Mutator::splice(std::string& input) {
  if (seeds_.empty()) return;
  const std::string& other = seeds_[static_cast<std::size_t>(random_.below(seeds_.size()))];
  const std::size_t from = position(other), to = position(input);
  input.replace(to, length(input, to), other, from, length(other, from));
}

void Mutator::change(std::string& input) {
  const std::size_t at = position(input);
  switch (random_.below(9)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random_.below(8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random_.below(256));
      break;
    case 2: input.erase(at, length(input, at)); break;
    case 3: input.insert(at, input.substr(at, length(input, at))); break;
    case 4: input.insert(at, kTexts[random_.below(std::size(kTexts))]); break;
    case 5: set_number(input); break;
    case 6: set_digits(input); break;
    case 7: splice(input); break;
    default: input.resize(at); break;
  }
}

void Mutator::mutate(std::string& input, std::size_t capacity) {
  for (std::uint64_t i = 1 + random_.below(4); i > 0; --i) change(input);
  if (input.size() > capacity) input.resize(capacity);
}

}  // namespace dragoman::fuzz

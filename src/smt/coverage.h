#pragma once

#include <bit>
#include <cstdint>

namespace dragoman::smt {

// The coverage vector of a hypothesis: all source words before `first` are translated, `first` is not, and the bits
// give the state of the words after it.
struct Coverage {
  static constexpr std::uint32_t kWindow = 64;

  std::uint32_t first = 0;
  std::uint64_t bits = 0;  // bit i: word first + i

  auto operator<=>(const Coverage&) const = default;

  bool covers(std::uint32_t word) const {
    return word < first || (word - first < kWindow && (bits >> (word - first) & 1) != 0);
  }
  // Whether words [begin, end) are untranslated and inside the window.
  bool has_room(std::uint32_t begin, std::uint32_t end) const {
    return begin >= first && end - first <= kWindow && (bits & mask(begin, end)) == 0;
  }
  Coverage with(std::uint32_t begin, std::uint32_t end) const {
    Coverage next = {first, bits | mask(begin, end)};
    const int done = std::countr_one(next.bits);
    next.first += static_cast<std::uint32_t>(done);
    next.bits = done == 64 ? 0 : next.bits >> done;
    return next;
  }

 private:
  std::uint64_t mask(std::uint32_t begin, std::uint32_t end) const {
    const std::uint64_t ones = end - begin == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - begin)) - 1;
    return ones << (begin - first);
  }
};

}  // namespace dragoman::smt

#include <algorithm>

#include "search/protect/protection.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

constexpr std::size_t kLongestLoop = 32;  // tokens that are repeated
constexpr std::size_t kRepetitions = 4;

// Whether a character that is no letter or digit stands several times in a row, perhaps with spaces between.
bool repeats_a_mark(std::string_view text) {
  char32_t last = 0;
  std::size_t count = 0;
  for (const char32_t code : text::code_points(text)) {
    const text::CharClass kind = text::classify(code);
    if (kind == text::CharClass::space) continue;
    count = code == last ? count + 1 : 1;
    last = code;
    if (count >= kRepetitions && kind != text::CharClass::letter && kind != text::CharClass::number) return true;
  }
  return false;
}

}  // namespace

Tokens find_loop(std::span<const std::int32_t> ids) {
  for (std::size_t size = 1; size <= std::min(kLongestLoop, ids.size() / kRepetitions); ++size) {
    std::size_t same = 0;  // tokens in a row that are the same as those `size` before them
    for (std::size_t i = size; i < ids.size(); ++i) {
      same = ids[i] == ids[i - size] ? same + 1 : 0;
      if (same == size * (kRepetitions - 1)) {
        const auto end = ids.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        return {end - static_cast<std::ptrdiff_t>(size), end};
      }
    }
  }
  return {};
}

std::size_t times_in_a_row(std::span<const std::int32_t> loop, std::span<const std::int32_t> ids) {
  std::size_t most = 0;
  for (std::size_t first = 0; !loop.empty() && first + loop.size() <= ids.size(); ++first) {
    std::size_t times = 0;
    while (first + (times + 1) * loop.size() <= ids.size() &&
           std::equal(loop.begin(), loop.end(), ids.begin() + static_cast<std::ptrdiff_t>(first + times * loop.size())))
      ++times;
    most = std::max(most, times);
    if (times > 0) first += (times - 1) * loop.size();
  }
  return most;
}

bool is_fault(std::string_view loop, std::string_view source) {
  bool has_mark = false;
  for (const char32_t code : text::code_points(loop)) {
    const text::CharClass kind = text::classify(code);
    if (kind == text::CharClass::letter) return true;
    has_mark = has_mark || (kind != text::CharClass::number && kind != text::CharClass::space);
  }
  return has_mark && !repeats_a_mark(source);
}

}  // namespace dragoman::search

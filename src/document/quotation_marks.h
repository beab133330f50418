#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace dragoman::document {

struct MarkPair {
  std::string_view opening, closing;
};

inline constexpr std::array kQuotationMarks = std::to_array<MarkPair>(
    {{"\"", "\""}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"‘", "’"}, {"‚", "‘"}, {"»", "«"}, {"«", "»"}});

// These pairs, then the quotation marks.
template <std::size_t kCount>
consteval auto and_quotation_marks(const MarkPair (&pairs)[kCount]) {
  std::array<MarkPair, kCount + kQuotationMarks.size()> all;
  std::copy(kQuotationMarks.begin(), kQuotationMarks.end(), std::copy(pairs, pairs + kCount, all.begin()));
  return all;
}

}  // namespace dragoman::document

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

// Types in the arguments of kernels.
namespace dragoman::kernels {

using Size = std::int64_t;

// bfloat16, the upper half of a float: sign, 8 bits of exponent and 7 bits of fraction.
struct bf16 {
  std::uint16_t bits = 0;

  // Rounds to nearest, ties to even; NaN stays NaN.
  static constexpr bf16 from(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>(word >> 16 | 0x40u)};
    return {static_cast<std::uint16_t>((word + 0x7FFFu + (word >> 16 & 1u)) >> 16)};
  }
  constexpr float value() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  bool operator==(const bf16&) const = default;
};

// The type of sums, statistics and parameter gradients where activations are T.
template <class T>
struct StatOf {
  using type = float;
};
template <>
struct StatOf<double> {
  using type = double;
};
template <class T>
using Stat = typename StatOf<T>::type;

// A copy of bytes from a device to the host.
struct HostCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

// The number format of a packed weight: that of the activations, or a narrower one.
enum class WeightFormat { same, bf16, int8 };

// int8 stands for the numbers -kInt8Steps .. kInt8Steps times a scale.
constexpr float kInt8Steps = 127;

enum class Activation { none, relu, gelu, silu, tanh, sigmoid };

// Whether backward needs the input of the activation; otherwise it needs the output.
constexpr bool needs_input(Activation activation) {
  return activation == Activation::gelu || activation == Activation::silu;
}

// Which elements of a matrix are dropped: a pure function of the key and the element's row and column, so backward
// regenerates the same mask and no mask is stored. Kept elements are multiplied by scale().
//
// Element (row, col) of a matrix with `cols` columns has number e = row * round_up(cols, 32) + col. Group g = e / 32
// uses the random blocks 4g .. 4g + 3; element j = e % 32 uses word j / 8 of block 4g + j % 4, its low half when
// j % 8 < 4 and its high half otherwise. With four blocks side by side in a vector, elements come out in order.
struct Dropout {
  static constexpr Size kGroup = 32;
  // Rounds of Philox: the fewest that pass every test of BigCrush (Salmon et al. 2011, table 2).
  static constexpr int kRounds = 7;

  double rate = 0;
  RandomKey key{};

  constexpr std::uint32_t threshold() const { return static_cast<std::uint32_t>(rate * 65536.0 + 0.5); }
  constexpr double scale() const { return 65536.0 / (65536.0 - threshold()); }
  static constexpr Size stride(Size cols) { return (cols + kGroup - 1) / kGroup * kGroup; }

  constexpr bool keeps(Size row, Size col, Size cols) const {
    const auto element = static_cast<std::uint64_t>(row * stride(cols) + col);
    const std::uint64_t j = element % kGroup;
    const std::uint32_t word = key.block(element / kGroup * 4 + j % 4, kRounds)[j / 8];
    return (j % 8 < 4 ? word & 0xFFFFu : word >> 16) >= threshold();
  }
  // The factor of an element: 0 or scale().
  constexpr double factor(Size row, Size col, Size cols) const {
    return rate == 0 ? 1.0 : keeps(row, col, cols) ? scale() : 0.0;
  }
};

}  // namespace dragoman::kernels

#pragma once

#include <cstdint>

#include "base/error.h"
#include "kernels/types.h"

namespace dragoman {

using kernels::Size;
using kernels::WeightFormat;

// f64 is for gradient checks, bf16 for mixed precision on GPUs, i8 for storage of quantised weights.
enum class DType : std::uint8_t { f32, f64, bf16, i32, i8 };

constexpr Size size_of(DType type) {
  switch (type) {
    case DType::f32: return 4;
    case DType::f64: return 8;
    case DType::bf16: return 2;
    case DType::i32: return 4;
    case DType::i8: return 1;
  }
  return 0;
}

// The type of statistics, losses and parameter gradients when activations have type `type`.
constexpr DType stat_of(DType type) { return type == DType::bf16 ? DType::f32 : type; }

constexpr const char* name_of(DType type) {
  switch (type) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::bf16: return "bf16";
    case DType::i32: return "i32";
    case DType::i8: return "i8";
  }
  return "?";
}

template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(T) == 0, "no tensor holds this type");
  return DType::f32;
}();
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<kernels::bf16> = DType::bf16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;

}  // namespace dragoman

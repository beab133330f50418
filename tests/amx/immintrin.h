// The intrinsics that src/kernels/cpu/narrow_amx.cc and split_amx.cc use, in plain C++ after Intel's manual: test_amx
// compiles those files with this header, so that their loops are tested on every CPU. What the manual forbids throws an
// exception.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
inline void _mm_prefetch(const void*, int) {}

// ---- vectors of 512 bits --------------------------------------------------------------------------------------

struct __m512 {
  float lanes[16];
};
struct __m512i {
  std::int32_t lanes[16];
};

template <class F>
__m512 each_lane(const F& f) {
  __m512 result;
  for (int i = 0; i < 16; ++i) result.lanes[i] = f(i);
  return result;
}

inline __m512 _mm512_set1_ps(float value) {
  return each_lane([&](int) { return value; });
}
inline __m512 _mm512_setzero_ps() { return _mm512_set1_ps(0); }
inline __m512 _mm512_loadu_ps(const void* from) {
  __m512 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline void _mm512_storeu_ps(void* to, __m512 value) { std::memcpy(to, &value, sizeof value); }
inline __m512 _mm512_load_ps(const void* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % 64 != 0) throw std::logic_error("a load that is not aligned");
  return _mm512_loadu_ps(from);
}
using __mmask16 = std::uint16_t;
// Lanes that the mask leaves out are not touched.
inline __m512 _mm512_maskz_loadu_ps(__mmask16 mask, const void* from) {
  return each_lane([&](int i) { return mask >> i & 1 ? static_cast<const float*>(from)[i] : 0; });
}
inline void _mm512_mask_storeu_ps(void* to, __mmask16 mask, __m512 value) {
  for (int i = 0; i < 16; ++i)
    if (mask >> i & 1) static_cast<float*>(to)[i] = value.lanes[i];
}
inline __m512i _mm512_load_si512(const void* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % 64 != 0) throw std::logic_error("a load that is not aligned");
  __m512i value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
inline __m512 _mm512_cvtepi32_ps(__m512i value) {
  return each_lane([&](int i) { return static_cast<float>(value.lanes[i]); });
}
inline __m512 _mm512_castsi512_ps(__m512i value) { return _mm512_loadu_ps(&value); }
inline __m512 _mm512_add_ps(__m512 a, __m512 b) {
  return each_lane([&](int i) { return a.lanes[i] + b.lanes[i]; });
}
inline __m512 _mm512_mul_ps(__m512 a, __m512 b) {
  return each_lane([&](int i) { return a.lanes[i] * b.lanes[i]; });
}
inline __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c) {
  return each_lane([&](int i) { return std::fma(a.lanes[i], b.lanes[i], c.lanes[i]); });
}

// ---- tiles ----------------------------------------------------------------------------------------------------

struct EmulatedTile {
  int rows = 0, bytes = 0;  // 0: not configured
  std::uint8_t data[16][64] = {};

  void clear() { std::memset(data, 0, sizeof data); }
  template <class T>
  T at(int row, int place) const {
    T value;
    std::memcpy(&value, data[row] + place * static_cast<int>(sizeof(T)), sizeof value);
    return value;
  }
};
inline EmulatedTile emulated_tiles[8];

inline EmulatedTile& emulated_tile(int number) {
  if (emulated_tiles[number].rows == 0) throw std::logic_error("a tile that is not configured");
  return emulated_tiles[number];
}

inline void _tile_loadconfig(const void* configuration) {
  std::uint8_t bytes[64];
  std::memcpy(bytes, configuration, sizeof bytes);
  if (bytes[0] != 1) throw std::logic_error("an unknown palette");
  for (int t = 0; t < 8; ++t) {
    EmulatedTile& tile = emulated_tiles[t];
    tile.bytes = bytes[16 + 2 * t] + 256 * bytes[17 + 2 * t];
    tile.rows = bytes[48 + t];
    tile.clear();
    if (tile.bytes > 64 || tile.rows > 16 || (tile.rows > 0) != (tile.bytes > 0))
      throw std::logic_error("a tile that is too large or empty");
  }
}
inline void _tile_release() {
  for (EmulatedTile& tile : emulated_tiles) tile = {};
}
inline void _tile_zero(int number) { emulated_tile(number).clear(); }
inline void _tile_loadd(int number, const void* from, std::int64_t stride) {
  EmulatedTile& tile = emulated_tile(number);
  tile.clear();
  for (int r = 0; r < tile.rows; ++r)
    std::memcpy(tile.data[r], static_cast<const char*>(from) + r * stride, static_cast<std::size_t>(tile.bytes));
}
inline void _tile_stored(int number, void* to, std::int64_t stride) {
  const EmulatedTile& tile = emulated_tile(number);
  for (int r = 0; r < tile.rows; ++r)
    std::memcpy(static_cast<char*>(to) + r * stride, tile.data[r], static_cast<std::size_t>(tile.bytes));
}

// sum[m][n] += product(element k of row m of a, the same of column n of b), for all k. T is the type of sums; `group`
// elements of a column are adjacent.
template <class T, class Product>
void multiply_emulated_tiles(int sum, int a, int b, int group, const Product& product) {
  EmulatedTile& to = emulated_tile(sum);
  const EmulatedTile &left = emulated_tile(a), &right = emulated_tile(b);
  if (to.rows != left.rows || 4 * right.rows != left.bytes || to.bytes != right.bytes)
    throw std::logic_error("tiles that do not fit together");
  for (int m = 0; m < to.rows; ++m)
    for (int n = 0; n < to.bytes / 4; ++n) {
      T value = to.at<T>(m, n);
      for (int k = 0; k < group * right.rows; ++k)
        value += product(left, right, m, k, k / group, n * group + k % group);
      std::memcpy(to.data[m] + 4 * n, &value, sizeof value);
    }
}
inline void _tile_dpbssd(int sum, int a, int b) {
  multiply_emulated_tiles<std::int32_t>(
      sum, a, b, 4, [](const EmulatedTile& left, const EmulatedTile& right, int m, int k, int row, int place) {
        return std::int32_t{left.at<std::int8_t>(m, k)} * right.at<std::int8_t>(row, place);
      });
}
inline float widen_bf16(std::uint16_t bits) {
  const std::uint32_t word = std::uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
inline void _tile_dpbf16ps(int sum, int a, int b) {
  multiply_emulated_tiles<float>(
      sum, a, b, 2, [](const EmulatedTile& left, const EmulatedTile& right, int m, int k, int row, int place) {
        return widen_bf16(left.at<std::uint16_t>(m, k)) * widen_bf16(right.at<std::uint16_t>(row, place));
      });
}

#include "store/stored_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "kernels/fillings.h"

namespace dragoman::store {
namespace {

constexpr std::int64_t kGrain = 1 << 16;  // elements
constexpr float kLargestScale = std::numeric_limits<float>::max() / 128;
constexpr float kLargestBf16 = 0x1.FEp127f;  // as in the other formats, numbers beyond become the largest
constexpr float kLargestInt8 = 0x1.FBp127f;  // a little less than 127 times the largest scale

float limited(float value, float largest) { return std::clamp(value, -largest, largest); }

// IEEE half precision; rounds to nearest, ties to even. Numbers beyond its range become the largest.
std::uint16_t half_from(float value) {
  constexpr float kLargest = 65504, kLeastNormal = 0x1p-14f;
  const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u);
  const float magnitude = std::min(std::abs(value), kLargest);
  if (magnitude < kLeastNormal)  // a multiple of 2^-24
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::lrint(magnitude * 0x1p24f)));
  const auto bits = std::bit_cast<std::uint32_t>(magnitude) - (112u << 23);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>((bits + 0xFFFu + (bits >> 13 & 1u)) >> 13));
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7FFFu;
  if (rest < 0x400u)
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24f));
  return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
}

// Writes f(number) for every number of type From in `bytes` to `to`.
template <class From, class To, class F>
void convert(std::string_view bytes, To* to, F&& f) {
  threads::split(std::ssize(bytes) / std::int64_t{sizeof(From)}, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      From from;
      std::memcpy(&from, bytes.data() + static_cast<std::size_t>(i) * sizeof from, sizeof from);
      to[i] = f(from);
    }
  });
}

// f32 as numbers of 16 bits.
template <class To, class F>
std::string halved(std::string_view bytes, F&& f) {
  static_assert(2 * sizeof(To) == sizeof(float));
  std::string result(bytes.size() / 2, '\0');
  convert<float>(bytes, reinterpret_cast<To*>(result.data()), f);
  return result;
}

struct Rounded {
  std::string numbers, scales;
};

// Rounds every row to int8 with a scale.
Rounded rounded_rows(Size rows, Size cols, std::string_view bytes) {
  Rounded result{std::string(static_cast<std::size_t>(rows * cols), '\0'),
                 std::string(static_cast<std::size_t>(rows) * sizeof(float), '\0')};
  threads::split(rows, std::max<Size>(1, kGrain / std::max<Size>(1, cols)), [&](Size begin, Size end) {
    std::vector<float> row(static_cast<std::size_t>(cols));
    for (Size r = begin; r < end; ++r) {
      std::memcpy(row.data(), bytes.data() + static_cast<std::size_t>(r * cols) * sizeof(float),
                  row.size() * sizeof(float));
      for (float& value : row) value = limited(value, kLargestInt8);
      auto* const numbers = reinterpret_cast<std::int8_t*>(result.numbers.data() + r * cols);
      const float scale = kernels::round_to_int8(cols, row.data(), numbers);
      std::memcpy(result.scales.data() + static_cast<std::size_t>(r) * sizeof scale, &scale, sizeof scale);
    }
  });
  return result;
}

}  // namespace

void StoredWeights::add(const std::string& name, const std::vector<Size>& shape, std::string_view bytes) {
  const StoredFormat format = shape.size() == 2 ? format_ : StoredFormat::f32;
  switch (format) {
    case StoredFormat::f32: return add({name, "F32", shape, bytes});
    case StoredFormat::f16: return add({name, "F16", shape, keep(halved<std::uint16_t>(bytes, half_from))});
    case StoredFormat::bf16:
      return add({name, "BF16", shape, keep(halved<kernels::bf16>(bytes, [](float value) {
                    return kernels::bf16::from(limited(value, kLargestBf16));
                  }))});
    case StoredFormat::int8: {
      Rounded rounded = rounded_rows(shape[0], shape[1], bytes);
      add({name + std::string(kScaleSuffix), "F32", {shape[0]}, keep(std::move(rounded.scales))});
      return add({name, "I8", shape, keep(std::move(rounded.numbers))});
    }
  }
}

bool is_scale(const SafetensorsFile& file, const std::string& name) {
  if (!name.ends_with(kScaleSuffix)) return false;
  const TensorRecord* const of = file.find(name.substr(0, name.size() - kScaleSuffix.size()));
  return of != nullptr && of->type == "I8";
}

bool is_weight_type(const std::string& type) {
  return type == "F32" || type == "F16" || type == "BF16" || type == "I8";
}

std::vector<float> checked_scales(const TensorRecord& tensor, std::string_view scales) {
  std::vector<float> factors(static_cast<std::size_t>(tensor.shape[0]));
  std::memcpy(factors.data(), scales.data(), scales.size());
  check(std::all_of(factors.begin(), factors.end(), [](float scale) { return scale >= 0 && scale <= kLargestScale; }),
        "the scales of the int8 tensor '{}' are not between 0 and {}", tensor.name, kLargestScale);
  return factors;
}

void widen(const TensorRecord& tensor, std::string_view bytes, std::string_view scales, float* to) {
  if (tensor.type == "F16") return convert<std::uint16_t>(bytes, to, from_half);
  if (tensor.type == "BF16")
    return convert<kernels::bf16>(bytes, to, [](kernels::bf16 value) { return value.value(); });
  if (tensor.type == "F32") return convert<float>(bytes, to, [](float value) { return value; });
  const Size cols = tensor.shape[1];
  const std::vector<float> factors = checked_scales(tensor, scales);
  threads::split(tensor.shape[0], std::max<Size>(1, kGrain / std::max<Size>(1, cols)), [&](Size begin, Size end) {
    for (Size r = begin; r < end; ++r) {
      const auto* from = reinterpret_cast<const signed char*>(bytes.data()) + r * cols;
      for (Size c = 0; c < cols; ++c) to[r * cols + c] = static_cast<float>(from[c]) * factors[r];
    }
  });
}

}  // namespace dragoman::store

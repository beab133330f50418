// Dropout factors of consecutive elements: Philox4x32 on four blocks side by side, in the order that kernels/types.h
// defines. Vectors have four lanes on every instruction set, so the result is the same everywhere.
#if defined(DRAGOMAN_KERNELS_CPU_DROPOUT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef DRAGOMAN_KERNELS_CPU_DROPOUT_INL
#undef DRAGOMAN_KERNELS_CPU_DROPOUT_INL
#else
#define DRAGOMAN_KERNELS_CPU_DROPOUT_INL
#endif

#include <hwy/highway.h>

#include "kernels/contract.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::FixedTag<std::uint32_t, 4>;
using W = hn::Vec<Words>;
constexpr Words kWords;

// The 64-bit products of the lanes of two vectors, as their low and high halves.
struct WideProduct {
  W low, high;
};
HWY_INLINE WideProduct wide_multiply(W a, W b) {
#if HWY_ARCH_ARM_A64
  const uint32x4_t first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(a.raw), vget_low_u32(b.raw)));
  const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(a.raw, b.raw));
  return {W(vuzp1q_u32(first, second)), W(vuzp2q_u32(first, second))};
#else
  const hn::Repartition<std::uint64_t, Words> wide;
  const auto shifted = [&](W v) HWY_ATTR { return hn::BitCast(kWords, hn::ShiftRight<32>(hn::BitCast(wide, v))); };
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(shifted(a), shifted(b));
  return {hn::OddEven(hn::BitCast(kWords, hn::ShiftLeft<32>(odd)), hn::BitCast(kWords, even)),
          hn::OddEven(hn::BitCast(kWords, odd), hn::BitCast(kWords, hn::ShiftRight<32>(even)))};
#endif
}

// The random words of `kGroups` consecutive groups of 32 elements. Several groups are interleaved to hide latency: each
// round depends on the previous one.
template <int kGroups>
struct RandomGroups {
  W word[kGroups][4];

  HWY_INLINE RandomGroups(RandomKey key, std::uint64_t group) {
    for (int g = 0; g < kGroups; ++g) {
      const std::uint64_t block = (group + static_cast<std::uint64_t>(g)) * 4;
      word[g][0] = hn::Add(hn::Set(kWords, static_cast<std::uint32_t>(block)), hn::Iota(kWords, 0));
      word[g][1] = hn::Set(kWords, static_cast<std::uint32_t>(block >> 32));
      word[g][2] = hn::Set(kWords, static_cast<std::uint32_t>(key.stream));
      word[g][3] = hn::Set(kWords, static_cast<std::uint32_t>(key.stream >> 32));
    }
    const W multiplier0 = hn::Set(kWords, Philox::kMultiplier0), multiplier1 = hn::Set(kWords, Philox::kMultiplier1);
    W key0 = hn::Set(kWords, static_cast<std::uint32_t>(key.seed));
    W key1 = hn::Set(kWords, static_cast<std::uint32_t>(key.seed >> 32));
    for (int round = 0; round < Dropout::kRounds; ++round) {
      for (int g = 0; g < kGroups; ++g) {
        const WideProduct product0 = wide_multiply(word[g][0], multiplier0);
        const WideProduct product1 = wide_multiply(word[g][2], multiplier1);
        word[g][0] = hn::Xor(product1.high, hn::Xor(word[g][1], key0));
        word[g][1] = product1.low;
        word[g][2] = hn::Xor(product0.high, hn::Xor(word[g][3], key1));
        word[g][3] = product0.low;
      }
      key0 = hn::Add(key0, hn::Set(kWords, Philox::kWeyl0));
      key1 = hn::Add(key1, hn::Set(kWords, Philox::kWeyl1));
    }
  }
};

// Writes the dropout factors of the first `count` elements of a row: scale where kept, 0 where dropped.
class Factors {
 public:
  HWY_INLINE explicit Factors(const Dropout& dropout)
      : key_(dropout.key), threshold_(dropout.threshold()), scale_(static_cast<float>(dropout.scale())) {}

  // `to` must have room for round_up(count, 32) floats.
  HWY_NOINLINE void write(Size row, Size cols, Size count, float* to) const {
    const auto group = static_cast<std::uint64_t>(row * (Dropout::stride(cols) / Dropout::kGroup));
    const Size groups = (count + Dropout::kGroup - 1) / Dropout::kGroup;
    Size g = 0;
    for (; g + 2 <= groups; g += 2) write_groups<2>(group + static_cast<std::uint64_t>(g), to + g * Dropout::kGroup);
    if (g < groups) write_groups<1>(group + static_cast<std::uint64_t>(g), to + g * Dropout::kGroup);
  }

 private:
  template <int kGroups>
  HWY_INLINE void write_groups(std::uint64_t group, float* to) const {
    const RandomGroups<kGroups> random(key_, group);
    const W threshold = hn::Set(kWords, threshold_), low = hn::Set(kWords, 0xFFFFu);
    const W scale = hn::BitCast(kWords, hn::Set(hn::FixedTag<float, 4>(), scale_));
    auto* words = reinterpret_cast<std::uint32_t*>(to);
    const auto factor = [&](W bits) HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(bits, threshold), scale); };
    for (int g = 0; g < kGroups; ++g)
      for (int w = 0; w < 4; ++w, words += 8) {
        hn::StoreU(factor(hn::And(random.word[g][w], low)), kWords, words);
        hn::StoreU(factor(hn::ShiftRight<16>(random.word[g][w])), kWords, words + 4);
      }
  }

  RandomKey key_;
  std::uint32_t threshold_;
  float scale_;
};

}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

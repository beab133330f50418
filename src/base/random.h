#pragma once

#include <array>
#include <cstdint>

namespace dragoman {

// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011). The n-th block of a key is a pure function of (key, n), so any thread, device or resumed run
// draws the same numbers without shared state.
struct Philox {
  static constexpr std::uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  static constexpr std::uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  static constexpr int kRounds = 10;

  using Block = std::array<std::uint32_t, 4>;

  static constexpr Block block(std::array<std::uint32_t, 2> key, Block counter, int rounds = kRounds) {
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
      const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                 static_cast<std::uint32_t>(product0)};
      key[0] += kWeyl0;
      key[1] += kWeyl1;
    }
    return counter;
  }
};

// One stream of random numbers: the seed of a run and the purpose of the numbers (a step, a layer, an epoch).
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  // The `index`-th block of four 32-bit numbers of this stream.
  constexpr Philox::Block block(std::uint64_t index, int rounds = Philox::kRounds) const {
    return Philox::block({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                         {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                          static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                         rounds);
  }
};

// A sequence of numbers drawn from one stream. Its state is (key, position) and can be saved.
class Random {
 public:
  explicit Random(RandomKey key, std::uint64_t position = 0) : key_(key), position_(position) {}
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : Random(RandomKey{seed, stream}) {}

  std::uint32_t bits() {
    const Philox::Block block = key_.block(position_ / 4);
    return block[position_++ % 4];
  }
  std::uint64_t bits64() {
    const std::uint64_t high = bits();
    return high << 32 | bits();
  }
  // Uniform in [0, bound), free of modulo bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Standard normal (Box-Muller; both halves of a pair come from fixed positions).
  double normal();

  // Fisher-Yates; works on anything indexable with size().
  template <class Sequence>
  void shuffle(Sequence& sequence) {
    for (std::uint64_t i = sequence.size(); i > 1; --i) {
      using std::swap;
      swap(sequence[i - 1], sequence[below(i)]);
    }
  }

  std::uint64_t position() const { return position_; }

 private:
  RandomKey key_;
  std::uint64_t position_;
};

// Mixes two values into one well-spread 64-bit number; makes stream ids from pairs such as (epoch, purpose).
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b = 0) {
  std::uint64_t x = a + 0x9E3779B97F4A7C15u * (b + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace dragoman

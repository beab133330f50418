#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"

namespace dragoman::fuzz {

// Changes inputs at random, for compilers without libFuzzer. Knows nothing of coverage: it finds what is wrong near the
// seeds. The same seed gives the same changes.
class Mutator {
 public:
  // Parts of `seeds` are spliced into inputs.
  Mutator(const std::vector<std::string>& seeds, std::uint64_t seed) : seeds_(seeds), random_(seed) {}

  // Applies a few changes; the result has at most `capacity` bytes.
  void mutate(std::string& input, std::size_t capacity);

 private:
  void change(std::string& input);
  void set_number(std::string& input);
  void set_digits(std::string& input);
  void splice(std::string& input);
  std::size_t position(const std::string& input) { return static_cast<std::size_t>(random_.below(input.size() + 1)); }
  // The length of a part of `input` that starts at `begin`.
  std::size_t length(const std::string& input, std::size_t begin);

  const std::vector<std::string>& seeds_;
  Random random_;
};

}  // namespace dragoman::fuzz

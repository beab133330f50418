// An n-gram model is refused, or gives every sentence a probability and is written as it was read.
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "smt/ngram_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const smt::NgramModel model = smt::NgramModel::deserialize(bytes);
    smt::NgramState state = model.begin(), next;
    for (std::uint32_t word = 0; word < 30; ++word) {
      const float score = model.score(state, word * 7 % 11, next);
      if (!std::isfinite(score)) std::abort();
      state = next;
    }
    if (model.serialize() != bytes) std::abort();
  } catch (const Error&) {
  }
  return 0;
}

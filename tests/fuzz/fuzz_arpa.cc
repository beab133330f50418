// An ARPA file is refused, or gives every sentence a probability.
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "smt/ngram_arpa.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const fuzz::InputFile file({reinterpret_cast<const char*>(data), size});
  try {
    const smt::ArpaModel arpa = smt::read_arpa(file.path());
    smt::NgramState state = arpa.model.begin(), next;
    for (std::uint32_t word = 0; word < 30; ++word) {
      const float score = arpa.model.score(state, word * 7 % 11, next);
      if (!std::isfinite(score)) std::abort();
      state = next;
    }
    const std::string bytes = arpa.model.serialize();
    if (smt::NgramModel::deserialize(bytes).serialize() != bytes) std::abort();
  } catch (const Error&) {
  }
  return 0;
}

// A binary shortlist of Marian from a stranger: it is refused with an Error, or words can be chosen by it.
#include <cstdint>

#include "base/error.h"
#include "exchange/marian_shortlist.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const fuzz::InputFile input({reinterpret_cast<const char*>(data), size});
  try {
    const align::Shortlist shortlist = exchange::read_marian_shortlist(input.path(), {5, 7});
    for (std::int32_t token = 0; token < 5; ++token) shortlist.choose({&token, 1}, {});
  } catch (const Error&) {
  }
  return 0;
}

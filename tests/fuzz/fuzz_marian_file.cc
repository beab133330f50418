// A binary model of Marian from a stranger: it is refused with an Error, or its tensors and settings can be read.
#include "base/error.h"
#include "exchange/marian_config.h"
#include "exchange/marian_file.h"
#include "tests/fuzz/input_file.h"

namespace {

using namespace dragoman;

template <class F>
void attempt(F&& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile input({reinterpret_cast<const char*>(data), size});
  attempt([&] {
    const auto file = exchange::open_marian(input.path());
    for (const auto& entry : file->entries()) attempt([&] { file->read(entry.name); });
    exchange::read_marian_config(*file);
  });
  return 0;
}

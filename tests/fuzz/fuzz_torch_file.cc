// A file of PyTorch from a stranger, in either layout, or a bare pickle: it is refused with an Error, or all its
// tensors can be read.
#include "base/error.h"
#include "exchange/pickle.h"
#include "exchange/torch_file.h"
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
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  attempt([&] { exchange::pickled_tensors(exchange::Pickle(bytes, "pickle"), "pickle"); });
  const fuzz::InputFile input(bytes);
  attempt([&] {
    const auto file = exchange::open_torch(input.path());
    for (const auto& entry : file->entries()) attempt([&] { file->read(entry.name); });
  });
  return 0;
}

// A zip archive of arrays from a stranger: it is refused with an Error, or all its arrays can be read.
#include "base/error.h"
#include "exchange/npz_file.h"
#include "exchange/zip_archive.h"
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
    const exchange::ZipArchive archive(input.path());
    for (const auto& entry : archive.entries()) attempt([&] { archive.read(entry); });
  });
  attempt([&] {
    const auto file = exchange::open_npz(input.path());
    for (const auto& entry : file->entries()) attempt([&] { file->read(entry.name); });
  });
  return 0;
}

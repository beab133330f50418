// A training log that was cut off, damaged or written by another program, as reports and recipes read it.
#include "base/error.h"
#include "recipe/results.h"
#include "report/json_file.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const fuzz::InputFile file({reinterpret_cast<const char*>(data), size});
  report::read_log(file.path());
  try {
    recipe::training_values(file.path());
  } catch (const Error&) {
  }
  return 0;
}

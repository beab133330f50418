// A training log that was cut off, damaged or written by another program, as reports and recipes read it.
#include "base/error.h"
#include "recipe/training_log.h"
#include "report/json_file.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  const fuzz::InputFile file({reinterpret_cast<const char*>(data), size});
  report::read_log(file.path());
  try {
    recipe::TrainingLog log(file.path());
    log.update();
    log.last_epoch_loss();
    log.share();
  } catch (const Error&) {
  }
  return 0;
}

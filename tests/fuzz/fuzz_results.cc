// Results of a recipe: any file is read or refused, and what was read is written and read back unchanged.
#include <cstdlib>

#include "base/error.h"
#include "recipe/results.h"
#include "tests/fuzz/input_file.h"

namespace {

using namespace dragoman;

template <class Read>
void check_round_trip(const std::string& path, Read read) {
  try {
    const std::string written =
        recipe::to_json(*read(path)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const fuzz::InputFile again(written);
    if (recipe::to_json(*read(again.path())).dump() != written) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile file({reinterpret_cast<const char*>(data), size});
  check_round_trip(file.path(), recipe::read_system_result);
  check_round_trip(file.path(), recipe::read_figure_result);
  return 0;
}

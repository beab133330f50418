// The files of `dragoman translate`: lines to translate, terms, banned words and prefixes, all of them the same bytes.
// Whatever comes through is UTF-8.
#include <cstdlib>

#include "base/error.h"
#include "data/utf8.h"
#include "run/request_reader.h"
#include "tests/fuzz/input_file.h"

namespace {

void read_all(const dragoman::run::RequestFiles& files) {
  try {
    dragoman::run::RequestReader reader(files);
    for (dragoman::Request request; reader.next(request);)
      if (dragoman::data::find_invalid_utf8(request.text) != std::string::npos) std::abort();
  } catch (const dragoman::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const dragoman::fuzz::InputFile file({reinterpret_cast<const char*>(data), size});
  const std::string path = file.path();
  read_all({.input = path});
  read_all({.input = path, .terms = path});
  read_all({.input = path, .banned = path, .prefixes = path});
  return 0;
}

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "serve/fields.h"

// The first line is the query, the second one the content type, the rest the body. Whatever is read as a field is text
// that JSON can show.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t first = text.find('\n');
  const std::size_t second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos) return 0;
  dragoman::serve::HttpRequest request;
  request.query = text.substr(0, first);
  request.headers.emplace_back("content-type", text.substr(first + 1, second - first - 1));
  request.body = text.substr(second + 1);
  try {
    const dragoman::serve::Fields fields(request);
    for (const char* const key : {"q", "file", "terms", "alternatives"}) {
      if (fields.value(key).dump().empty()) std::abort();
      try {
        if (fields.texts(key).empty() && !fields.is_list(key)) std::abort();
      } catch (const dragoman::Error&) {
      }
      try {
        if (const int number = fields.integer_or(key, 1, 0, 9); number < 0 || number > 9) std::abort();
      } catch (const dragoman::Error&) {
      }
    }
    if (fields.file("file").content.size() > request.body.size()) std::abort();
  } catch (const dragoman::Error&) {
  }
  return 0;
}

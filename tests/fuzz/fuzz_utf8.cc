// Any bytes become valid UTF-8 by replacing what is invalid; what is valid stays as it is.
#include <cstdlib>

#include "data/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::data;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t bad = find_invalid_utf8(text);
  const std::string valid = replace_invalid_utf8(text);
  if (find_invalid_utf8(valid) != std::string::npos) std::abort();
  if (find_invalid_utf8(text.substr(0, bad)) != std::string::npos) std::abort();
  if ((bad == std::string::npos) != (valid == text)) std::abort();
  if (count_characters(valid) > valid.size()) std::abort();
  return 0;
}

#include "serve/http_message.h"

#include <algorithm>

namespace dragoman::serve {

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  return found == headers.end() ? std::string_view() : found->second;
}

}  // namespace dragoman::serve

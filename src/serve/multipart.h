#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

// A part of a multipart/form-data body (RFC 7578): a field or, with a file name, a file.
struct FormPart {
  std::string name;
  std::string file_name;  // never opened: only its ending is looked at
  bool is_file = false;
  std::string content;
};

// `content_type` is the header with the boundary. Throws HttpError 400 if the body is damaged or has too many parts.
std::vector<FormPart> parse_multipart(std::string_view content_type, std::string_view body);

}  // namespace dragoman::serve

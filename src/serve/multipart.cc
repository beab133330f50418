#include "serve/multipart.h"

#include <algorithm>
#include <boost/beast/http/rfc7230.hpp>
#include <optional>

#include "document/markup_tokens.h"
#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostParts = 1000;
constexpr std::size_t kLongestBoundary = 70;  // RFC 2046

void require(bool condition, const char* message) {
  if (!condition) throw HttpError(400, message);
}

// The value of `key` in a header such as: form-data; name="q"; filename="a.txt".
std::optional<std::string> parameter(std::string_view header, std::string_view key) {
  header.remove_prefix(std::min(header.find(';'), header.size()));
  for (const auto& [name, value] : boost::beast::http::param_list({header.data(), header.size()}))
    if (document::same_ignoring_case({name.data(), name.size()}, key)) return std::string(value);
  return std::nullopt;
}

FormPart parse_part(std::string_view part) {
  const std::size_t blank = part.starts_with("\r\n") ? 0 : part.find("\r\n\r\n");
  require(blank != std::string_view::npos, "a part of the form has no blank line after its headers");
  std::string_view headers = part.substr(0, blank);
  FormPart result;
  result.content = part.substr(blank + (part.starts_with("\r\n") ? 2 : 4));
  bool named = false;
  while (!headers.empty()) {
    const std::string_view line = headers.substr(0, headers.find("\r\n"));
    headers.remove_prefix(std::min(headers.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !document::same_ignoring_case(line.substr(0, colon), "content-disposition"))
      continue;
    const std::optional<std::string> name = parameter(line, "name");
    const std::optional<std::string> file = parameter(line, "filename");
    named = name.has_value();
    result.name = name.value_or("");
    result.file_name = file.value_or("");
    result.is_file = file.has_value();
  }
  require(named, "a part of the form has no name");
  return result;
}

}  // namespace

std::vector<FormPart> parse_multipart(std::string_view content_type, std::string_view body) {
  const std::string boundary = parameter(content_type, "boundary").value_or("");
  require(!boundary.empty() && boundary.size() <= kLongestBoundary, "multipart/form-data has no valid boundary");
  const std::string opening = "--" + boundary, delimiter = "\r\n" + opening;
  require(body.starts_with(opening), "the form does not start with its boundary");
  std::vector<FormPart> parts;
  body.remove_prefix(opening.size());
  for (;;) {
    if (body.starts_with("--")) return parts;
    require(body.starts_with("\r\n"), "the boundary of a form is not followed by a line break");
    body.remove_prefix(2);
    const std::size_t end = body.find(delimiter);
    require(end != std::string_view::npos, "the form does not end with its boundary");
    require(parts.size() < kMostParts, "the form has too many parts");
    parts.push_back(parse_part(body.substr(0, end)));
    body.remove_prefix(end + delimiter.size());
  }
}

}  // namespace dragoman::serve

#include "serve/formats.h"

#include "base/quote.h"
#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

using document::Format;

constexpr std::pair<std::string_view, Format> kEndings[] = {{".txt", Format::text}, {".html", Format::html},
                                                            {".htm", Format::html}, {".xml", Format::xml},
                                                            {".srt", Format::srt},  {".po", Format::po}};

}  // namespace

Format format_of_name(std::string_view name) {
  for (const auto& [format, known] : EnumNames<Format>::list)
    if (name == known) return format;
  throw HttpError(400, fmt::format("format {} is not supported", excerpt(name)));
}

Format format_of_file(std::string_view file_name) {
  for (const auto& [ending, format] : kEndings)
    if (file_name.ends_with(ending)) return format;
  throw HttpError(400, "Invalid request: file format not supported");
}

std::vector<std::string> file_endings() {
  std::vector<std::string> all;
  for (const auto& [ending, format] : kEndings) all.emplace_back(ending);
  return all;
}

}  // namespace dragoman::serve

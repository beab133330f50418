#include "serve/formats.h"

#include "base/join.h"
#include "base/quote.h"
#include "document/markup_tokens.h"
#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

using document::Format;

constexpr std::pair<std::string_view, Format> kEndings[] = {
    {".txt", Format::text}, {".html", Format::html}, {".htm", Format::html},   {".xml", Format::xml},
    {".srt", Format::srt},  {".po", Format::po},     {".md", Format::markdown}};

}  // namespace

Format format_of_name(std::string_view name) {
  for (const auto& [format, known] : EnumNames<Format>::list)
    if (name == known) return format;
  std::vector<std::string> names;
  for (const auto& [format, known] : EnumNames<Format>::list) names.emplace_back(known);
  throw HttpError(400, fmt::format("format {} is not supported; there are: {}", excerpt(name), join(names, ", ")));
}

Format format_of_file(std::string_view file_name) {
  for (const auto& [ending, format] : kEndings)
    if (file_name.size() >= ending.size() &&
        document::same_ignoring_case(file_name.substr(file_name.size() - ending.size()), ending))
      return format;
  throw HttpError(400, fmt::format("Invalid request: file format not supported; the name of the file must end with {}",
                                   join(file_endings(), ", ")));
}

std::vector<std::string> file_endings() {
  std::vector<std::string> all;
  for (const auto& [ending, format] : kEndings) all.emplace_back(ending);
  return all;
}

}  // namespace dragoman::serve

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

// Formats of texts and files as clients name them.
namespace dragoman::serve {

// "text", "html", ... Throws HttpError 400 for others.
document::Format format_of_name(std::string_view name);
// By the ending of the name. Throws HttpError 400 for files that cannot be translated.
document::Format format_of_file(std::string_view file_name);
// The endings of files that can be translated.
std::vector<std::string> file_endings();

}  // namespace dragoman::serve

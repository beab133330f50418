#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::serve {

// Replaces %41 by A. Throws HttpError 400 if the two digits are missing.
std::string decode_url(std::string_view text);

// The pairs of a query or a form, "a=1&b=x+y", where a plus is a space. Throws HttpError 400 for more than 10,000.
std::vector<std::pair<std::string, std::string>> decode_form(std::string_view text);

}  // namespace dragoman::serve

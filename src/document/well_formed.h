#pragma once

#include <string_view>

namespace dragoman::document {

// Throws Error, with the line, unless the elements of an XML document or fragment are properly nested and closed and
// every '<' begins markup that ends. An ampersand that begins no reference is accepted.
void check_well_formed(std::string_view document);

}  // namespace dragoman::document

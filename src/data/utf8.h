#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What corpora need of UTF-8: is it valid, make it valid, count its characters.
namespace dragoman::data {

// Position of the first byte that is not part of valid UTF-8 text, or npos. A NUL byte counts as invalid: it is legal
// in the encoding but never in a sentence.
std::size_t find_invalid_utf8(std::string_view sentence);

// `text` with every invalid byte turned into U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

// Number of characters of valid UTF-8.
std::size_t count_characters(std::string_view text);

}  // namespace dragoman::data

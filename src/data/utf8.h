#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// UTF-8 checks for corpora: find and replace invalid bytes, count characters.
namespace dragoman::data {

// Position of the first byte that is not part of valid UTF-8, or npos. A NUL byte counts as invalid: it is legal UTF-8
// but never part of a sentence.
std::size_t find_invalid_utf8(std::string_view sentence);

// Replaces every invalid byte by U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

// Number of characters of valid UTF-8.
std::size_t count_characters(std::string_view text);

}  // namespace dragoman::data

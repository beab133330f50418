#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::text {

// Vocabularies are rounded to a multiple such as 8 for the sake of matrix products. The limit bounds the number of ids
// that exist only for rounding, whatever a file claims.
inline constexpr int kLargestMultiple = 4096;

// The number of ids of a tokenizer: `count` rounded up to a multiple of `multiple`. Throws Error, with `what` in front,
// if the multiple is out of range or the result does not fit an id.
std::int32_t rounded_id_count(std::size_t count, int multiple, const char* what);

}  // namespace dragoman::text

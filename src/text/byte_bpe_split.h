#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// The pre-tokenisation of GPT-2: where the piece of `text` that starts at byte `begin` ends. Pieces are what
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// matches one after the other; together they are the text. \s is Unicode's White_Space. A byte that is not valid UTF-8
// counts as one character that is neither space nor letter nor number.
std::size_t byte_bpe_piece_end(std::string_view text, std::size_t begin);

}  // namespace dragoman::text

#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::text {

// GPT-2's pre-tokenisation: returns the end of the piece that starts at byte `begin`. Pieces are consecutive matches of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// and cover the whole text. \s is Unicode's White_Space. A byte that is not valid UTF-8 counts as a character that is
// neither space nor letter nor number.
std::size_t byte_bpe_piece_end(std::string_view text, std::size_t begin);

}  // namespace dragoman::text

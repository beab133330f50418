#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman::eval {

// The number of edits that turn `hypothesis` into `reference`, where moving a block of words that occurs in both is one
// edit. Greedy: makes the best move as long as one reduces the edit distance. Limits and tie-breaking are those of
// sacreBLEU's TER, so that counts agree.
std::size_t edits_with_shifts(const std::vector<std::uint32_t>& hypothesis,
                              const std::vector<std::uint32_t>& reference);

}  // namespace dragoman::eval

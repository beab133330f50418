#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman::eval {

// The number of edits that turn `hypothesis` into `reference`, where moving a block of words that occurs in both is one
// edit. Greedy: as long as some move shortens the edit distance, the best one is made. Limits and the order among
// equally good moves are those of sacreBLEU's TER, so that counts agree.
std::size_t edits_with_shifts(const std::vector<std::uint32_t>& hypothesis,
                              const std::vector<std::uint32_t>& reference);

}  // namespace dragoman::eval

#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Distributions over the next token, on the host.
namespace dragoman::search {

// Log probabilities [rows, vocabulary] of the mean of several models' distributions, from their logits [rows,
// vocabulary] and the log-sum-exp of each row.
std::vector<float> mean_distribution(const std::vector<std::vector<float>>& logits,
                                     const std::vector<std::vector<float>>& log_sums);

// The `count` tokens with the highest scores, best first; ties by token id.
std::vector<std::int32_t> best_tokens(std::span<const float> scores, std::size_t count);

}  // namespace dragoman::search

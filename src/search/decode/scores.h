#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dragoman/translator.h"

// Scores of hypotheses and distributions over the next token, on the host.
namespace dragoman::search {

// The score of a hypothesis with this log probability and number of tokens.
double score(const SearchOptions& options, double sum, int length);

// An upper bound on the final score of an incomplete hypothesis. Its log probability can only fall, so only length
// normalisation can raise its score, up to `longest` tokens.
double best_possible(const SearchOptions& options, double sum, int length, int longest);

// Log probabilities [rows, vocabulary] of the mean of several models' distributions, from their logits [rows,
// vocabulary] and the log-sum-exp of each row.
std::vector<float> mean_distribution(const std::vector<std::vector<float>>& logits,
                                     const std::vector<std::vector<float>>& log_sums);

// The `count` tokens with the highest scores, best first; ties by token id.
std::vector<std::int32_t> best_tokens(std::span<const float> scores, std::size_t count);

}  // namespace dragoman::search

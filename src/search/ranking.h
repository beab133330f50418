#pragma once

#include "dragoman/translator.h"

namespace dragoman::search {

// The score of a hypothesis with this log probability and number of tokens.
double score(const SearchOptions& options, double sum, int length);

// An upper bound on the final score of an incomplete hypothesis. Its log probability can only fall, so only length
// normalisation can raise its score, up to `longest` tokens.
double best_possible(const SearchOptions& options, double sum, int length, int longest);

}  // namespace dragoman::search

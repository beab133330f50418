#pragma once

#include "dragoman/translator.h"

namespace dragoman::search {

// What a hypothesis with this log probability and so many tokens is worth.
double score(const SearchOptions& options, double sum, int length);

// The most that a hypothesis which is not complete can still be worth: its log probability never rises, so only the
// length can help it, up to `longest` tokens.
double best_possible(const SearchOptions& options, double sum, int length, int longest);

}  // namespace dragoman::search

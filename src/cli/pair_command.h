#pragma once

#include "cli/command.h"
#include "data/corpus.h"
#include "data/filters.h"

// Commands that make one parallel corpus from another.
namespace dragoman::cli {

// Takes the files of a corpus from the arguments, unless they were given by --source and --target.
void use_positional(data::CorpusOptions& corpus, const Words& files);

// Prints what happened to the pairs, as lines or as JSON.
void print_pair_counts(const data::Counts& counts, bool json);

}  // namespace dragoman::cli

#pragma once

#include "base/progress.h"
#include "data/filters.h"

namespace dragoman::cli {

// One line per count on stdout, in the columns of `dragoman stats`.
inline void print_counts(const data::Counts& counts) {
  for (const auto& [name, count] : counts)
    fmt::print("{:<28} {:>14}\n", name, with_commas(static_cast<std::int64_t>(count)));
}

}  // namespace dragoman::cli

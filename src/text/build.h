#pragma once

#include <functional>
#include <string>

#include "text/tokenizer.h"

namespace dragoman::text {

// Hands out one line a call, without its newline; false at the end.
using LineSource = std::function<bool(std::string& line)>;

// What a tokenizer makes of a corpus.
struct Coverage {
  std::int64_t lines = 0, bytes = 0, words = 0, ids = 0, unknown = 0;
  std::int64_t longest = 0;  // ids in the longest line
  std::int64_t used = 0;     // different ids that occur
};

// `words` are stretches between spaces.
Coverage measure_coverage(const Tokenizer& tokenizer, const LineSource& lines);

}  // namespace dragoman::text

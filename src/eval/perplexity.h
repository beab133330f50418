#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"

namespace dragoman::eval {

// The unit of a perplexity. Models with different subwords are comparable only per word.
enum class PerplexityUnit { token, word };

// The sum of natural log probabilities of some text, and its length in both units. A predicted end of sentence counts
// as one token and one word.
struct LogLikelihood {
  double sum = 0;
  std::int64_t tokens = 0;
  std::int64_t words = 0;

  LogLikelihood& operator+=(const LogLikelihood& other);
  // exp(-sum / count). Fails if the text is empty.
  double perplexity(PerplexityUnit unit) const;
  // Bits per unit: -sum / (count · ln 2).
  double bits(PerplexityUnit unit) const;
  // "3.41 per token".
  std::string words_for(PerplexityUnit unit) const;

 private:
  double count(PerplexityUnit unit) const;
};

}  // namespace dragoman::eval

namespace dragoman {
template <>
struct EnumNames<eval::PerplexityUnit> {
  static constexpr std::pair<eval::PerplexityUnit, const char*> list[] = {
      {eval::PerplexityUnit::token, "token"},
      {eval::PerplexityUnit::word, "word"},
  };
};
}  // namespace dragoman

#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"

namespace dragoman::eval {

// What a perplexity is per. Numbers of models with different subwords compare only per word.
enum class PerplexityUnit { token, word };

// The sum of log probabilities (natural logarithm) of some text and how long that text is in either unit. Ends of
// sentences that the model predicts count as one token and one word each.
struct LogLikelihood {
  double sum = 0;
  std::int64_t tokens = 0;
  std::int64_t words = 0;

  LogLikelihood& operator+=(const LogLikelihood& other);
  // exp(-sum / count). Fails when the text is empty.
  double perplexity(PerplexityUnit unit) const;
  // Bits a unit costs: -sum / (count · ln 2).
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

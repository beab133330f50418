#include "eval/perplexity.h"

#include <cmath>
#include <numbers>

namespace dragoman::eval {

LogLikelihood& LogLikelihood::operator+=(const LogLikelihood& other) {
  sum += other.sum;
  tokens += other.tokens;
  words += other.words;
  return *this;
}

double LogLikelihood::count(PerplexityUnit unit) const {
  const std::int64_t units = unit == PerplexityUnit::token ? tokens : words;
  check(units > 0, "perplexity per {}: the text is empty", name_of(unit));
  return static_cast<double>(units);
}

double LogLikelihood::perplexity(PerplexityUnit unit) const { return std::exp(-sum / count(unit)); }

double LogLikelihood::bits(PerplexityUnit unit) const { return -sum / (count(unit) * std::numbers::ln2); }

std::string LogLikelihood::words_for(PerplexityUnit unit) const {
  return fmt::format("{:.2f} per {}", perplexity(unit), name_of(unit));
}

}  // namespace dragoman::eval

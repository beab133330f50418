#include "align/model1.h"

#include <algorithm>
#include <cmath>

namespace dragoman::align {

double finish_row(const float* emission, float null_emission, double null, int columns, float* posterior,
                  float& null_posterior) {
  double sum = null * null_emission;
  for (int i = 0; i < columns; ++i) {
    posterior[i] *= emission[i];
    sum += posterior[i];
  }
  const auto scale = static_cast<float>(1 / sum);
  for (int i = 0; i < columns; ++i) posterior[i] *= scale;
  null_posterior = static_cast<float>(null * null_emission / sum);
  return sum;
}

double Model1::posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double>) const {
  posteriors.resize(emissions.rows, emissions.columns);
  std::fill(posteriors.word.begin(), posteriors.word.end(), static_cast<float>((1 - null_) / emissions.columns));
  double log_likelihood = 0;
  for (int j = 0; j < emissions.rows; ++j)
    log_likelihood += std::log(finish_row(emissions.row(j), emissions.null[j], null_, emissions.columns,
                                          posteriors.row(j), posteriors.null[j]));
  return log_likelihood;
}

}  // namespace dragoman::align

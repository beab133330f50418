#include "align/model2.h"

#include <algorithm>
#include <cmath>

#include "align/model1.h"
#include "base/error.h"

namespace dragoman::align {
namespace {

constexpr double kFirstTension = 4, kLeastTension = 0.1, kMostTension = 50;

// The prior of one row, with the mean and variance of the distance from the diagonal under it.
struct Diagonal {
  double mean = 0, variance = 0;

  // `at` is the row's position on the columns' scale, which has steps of one.
  Diagonal(double at, int columns, double tension, float* prior) {
    const double decay = tension / columns;
    const auto ratio = static_cast<float>(std::exp(-decay));
    const int below = std::min(static_cast<int>(std::floor(at)), columns - 1);
    auto weight = static_cast<float>(std::exp(-decay * (at - below)));
    for (int i = below; i >= 0; --i, weight *= ratio) prior[i] = weight;
    weight = static_cast<float>(std::exp(-decay * (below + 1 - at)));
    for (int i = below + 1; i < columns; ++i, weight *= ratio) prior[i] = weight;
    float sum = 0, first = 0, second = 0;
    for (int i = 0; i < columns; ++i) {
      const float distance = std::abs(static_cast<float>(i) - static_cast<float>(at));
      sum += prior[i];
      first += prior[i] * distance;
      second += prior[i] * distance * distance;
    }
    const float scale = 1 / sum;
    for (int i = 0; i < columns; ++i) prior[i] *= scale;
    const double step = 1.0 / columns;
    mean = first * scale * step;
    variance = std::max(0.0, second * scale * step * step - mean * mean);
  }
};

}  // namespace

Model2::Model2(double null, std::span<const double> parameters)
    : PositionModel(null), tension_(parameters.empty() ? kFirstTension : parameters[0]) {
  check(parameters.size() <= 1 && tension_ >= kLeastTension && tension_ <= kMostTension,
        "Model 2: expected one parameter from {} to {}, but got {}, the first {}", kLeastTension, kMostTension,
        parameters.size(), tension_);
}

// The expected log probability has the derivative D = Σ_j w_j mean_j - Σ_ji q_ji distance_ji with respect to the
// tension, where q are posteriors and w_j = Σ_i q_ji, and the second derivative -Σ_j w_j variance_j. These two are the
// statistics.
double Model2::posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const {
  posteriors.resize(emissions.rows, emissions.columns);
  const int columns = emissions.columns;
  double log_likelihood = 0, derivative = 0, curvature = 0;
  for (int j = 0; j < emissions.rows; ++j) {
    float* const row = posteriors.row(j);
    const double at = (j + 0.5) / emissions.rows * columns - 0.5;
    const Diagonal prior(at, columns, tension_, row);
    for (int i = 0; i < columns; ++i) row[i] *= static_cast<float>(1 - null_);
    log_likelihood +=
        std::log(finish_row(emissions.row(j), emissions.null[j], null_, columns, row, posteriors.null[j]));
    if (statistics.empty()) continue;
    float weight = 0, distance = 0;
    for (int i = 0; i < columns; ++i) {
      weight += row[i];
      distance += row[i] * std::abs(static_cast<float>(i) - static_cast<float>(at));
    }
    derivative += weight * prior.mean - distance / static_cast<float>(columns);
    curvature += weight * prior.variance;
  }
  if (!statistics.empty()) {
    statistics[0] += derivative;
    statistics[1] += curvature;
  }
  return log_likelihood;
}

// One step of Newton's method, limited to a factor of two so that a flat region cannot cause a huge step.
void Model2::update(std::span<const double> statistics) {
  if (statistics[1] <= 0) return;
  const double next = tension_ + statistics[0] / statistics[1];
  tension_ = std::clamp(std::clamp(next, tension_ / 2, tension_ * 2), kLeastTension, kMostTension);
}

std::string Model2::describe() const { return fmt::format("model2, tension {:.2f}", tension_); }

}  // namespace dragoman::align

#include "smt/mert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "base/threads.h"

namespace dragoman::smt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// `candidate` is the best of its sentence from `step` on.
struct Corner {
  double step;
  std::uint32_t sentence, candidate;
};

// The pool feature by feature, with each sentence's candidates sorted by each feature: along a coordinate axis the
// lines of a sentence are then already sorted by slope. Shared by all searches.
struct PoolColumns {
  std::vector<std::size_t> begin{0};                        // first candidate of each sentence
  std::array<std::vector<double>, kFeatures> columns;       // [candidate]
  std::array<std::vector<std::uint32_t>, kFeatures> order;  // [candidate], indices within the sentence

  explicit PoolColumns(const CandidatePool& pool) {
    for (std::size_t s = 0; s < pool.sentences(); ++s) begin.push_back(begin.back() + pool.features(s).size());
    threads::each(kFeatures, [&](std::int64_t at) {
      const auto f = static_cast<std::size_t>(at);
      for (std::size_t s = 0; s < pool.sentences(); ++s)
        for (const Features& features : pool.features(s)) columns[f].push_back(features[f]);
      order[f] = sorted(columns[f]);
    });
  }

  std::vector<std::uint32_t> sorted(const std::vector<double>& slopes) const {
    std::vector<std::uint32_t> numbers(slopes.size());
    for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
      const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(begin[s]);
      const auto to = numbers.begin() + static_cast<std::ptrdiff_t>(begin[s + 1]);
      std::iota(from, to, 0u);
      std::stable_sort(from, to, [&, first = begin[s]](std::uint32_t a, std::uint32_t b) {
        return slopes[first + a] < slopes[first + b];
      });
    }
    return numbers;
  }

  // A linear combination of the features, per candidate.
  std::vector<double> combine(const Weights& weights) const {
    std::vector<double> values(begin.back());
    for (std::size_t f = 0; f < kFeatures; ++f)
      if (weights[f] != 0)
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += weights[f] * columns[f][i];
    return values;
  }
};

// Line searches from a current point. A candidate's score along a line is height + step * slope.
class LineSearch {
 public:
  LineSearch(const CandidatePool& pool, const eval::Metric& metric, const PoolColumns& columns, const Weights& weights)
      : pool_(pool), metric_(metric), columns_(columns), heights_(columns.combine(weights)) {}

  LinePoint along(Feature feature) { return run(columns_.columns[index(feature)], columns_.order[index(feature)]); }
  LinePoint along(const Weights& direction) {
    const std::vector<double> slopes = columns_.combine(direction);
    return run(slopes, columns_.sorted(slopes));
  }
  void move_to(const Weights& weights) { heights_ = columns_.combine(weights); }

 private:
  LinePoint run(const std::vector<double>& slopes, const std::vector<std::uint32_t>& order) {
    corners_.clear();
    for (std::uint32_t s = 0; s < pool_.sentences(); ++s) add_envelope(s, slopes, order);
    std::sort(corners_.begin(), corners_.end(), [](const Corner& a, const Corner& b) {
      return a.step != b.step ? a.step < b.step : a.sentence < b.sentence;
    });
    return sweep();
  }

  // Appends the corners of a sentence's upper envelope from left to right; the first is at minus infinity. Lines are
  // sorted by slope.
  void add_envelope(std::uint32_t sentence, const std::vector<double>& slopes,
                    const std::vector<std::uint32_t>& order) {
    const std::size_t first = columns_.begin[sentence];
    hull_.clear();
    for (std::size_t at = first; at < columns_.begin[sentence + 1]; ++at) {
      const std::size_t line = first + order[at];
      double step = -kInfinity;
      bool hidden = false;
      while (!hull_.empty() && !hidden) {
        const std::size_t top = hull_.back();
        const bool parallel = slopes[top] == slopes[line];
        hidden = parallel && heights_[top] >= heights_[line];
        if (hidden) break;
        step = parallel ? -kInfinity : (heights_[top] - heights_[line]) / (slopes[line] - slopes[top]);
        if (step > corners_.back().step) break;
        hull_.pop_back();
        corners_.pop_back();
        step = -kInfinity;
      }
      if (hidden) continue;
      corners_.push_back({hull_.empty() ? -kInfinity : step, sentence, order[at]});
      hull_.push_back(line);
    }
  }

  // Sweeps over the corners of all sentences from left to right and updates the metric's statistics.
  LinePoint sweep() {
    sums_.assign(pool_.width(), 0);
    current_.assign(pool_.sentences(), 0);
    std::size_t at = 0;
    for (; at < corners_.size() && corners_[at].step == -kInfinity; ++at) {
      current_[corners_[at].sentence] = corners_[at].candidate;
      shift(corners_[at].sentence, corners_[at].candidate, 1);
    }
    LinePoint best{0, -kInfinity}, here{0, -kInfinity};
    double from = -kInfinity;
    for (;;) {
      const double to = at < corners_.size() ? corners_[at].step : kInfinity;
      if (to > from) {
        const double score = metric_.score(sums_);
        if (from < 0 && to > 0) here = {0, score};
        if (score > best.score) best = {middle(from, to), score};
      }
      if (at == corners_.size()) break;
      from = to;
      for (; at < corners_.size() && corners_[at].step == from; ++at) move(corners_[at]);
    }
    return here.score >= best.score ? here : best;
  }

  void shift(std::uint32_t sentence, std::uint32_t candidate, double sign) {
    const std::span<const float> statistics = pool_.statistics(sentence, candidate);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += sign * statistics[i];
  }

  void move(const Corner& corner) {
    shift(corner.sentence, current_[corner.sentence], -1);
    shift(corner.sentence, corner.candidate, 1);
    current_[corner.sentence] = corner.candidate;
  }

  // A point inside an interval; just beyond its finite border if the other is infinite.
  static double middle(double from, double to) {
    constexpr double kBeyond = 0.1;
    if (from == -kInfinity) return to == kInfinity ? 0 : to - kBeyond;
    return to == kInfinity ? from + kBeyond : from + (to - from) / 2;
  }

  const CandidatePool& pool_;
  const eval::Metric& metric_;
  const PoolColumns& columns_;
  std::vector<double> heights_;
  std::vector<std::size_t> hull_;
  std::vector<Corner> corners_;
  std::vector<double> sums_;
  std::vector<std::uint32_t> current_;
};

void normalise(Weights& weights) {
  double sum = 0;
  for (const double weight : weights) sum += std::abs(weight);
  if (sum > 0)
    for (double& weight : weights) weight /= sum;
}

Weights random_direction(const std::vector<Feature>& active, Random& random) {
  Weights direction{};
  for (const Feature feature : active) direction[index(feature)] = random.normal();
  return direction;
}

struct Optimum {
  Weights weights{};
  double score = -kInfinity;
};

// Coordinate ascent: searches line after line until none improves the score.
class Climb {
 public:
  Climb(const CandidatePool& pool, const eval::Metric& metric, const PoolColumns& columns, const Weights& weights)
      : search_(pool, metric, columns, weights), optimum_{weights, score_at(pool, metric, weights)} {}

  Optimum run(const std::vector<Feature>& active, int directions, Random& random) {
    constexpr double kWorthIt = 0.01;
    for (double before = -kInfinity; optimum_.score > before + kWorthIt;) {
      before = optimum_.score;
      for (const Feature feature : active) {
        Weights axis{};
        axis[index(feature)] = 1;
        take(search_.along(feature), axis);
      }
      for (int i = 0; i < directions; ++i) {
        const Weights direction = random_direction(active, random);
        take(search_.along(direction), direction);
      }
      normalise(optimum_.weights);
      search_.move_to(optimum_.weights);
    }
    return optimum_;
  }

 private:
  void take(const LinePoint& point, const Weights& direction) {
    if (point.score <= optimum_.score) return;
    for (std::size_t i = 0; i < kFeatures; ++i) optimum_.weights[i] += point.step * direction[i];
    optimum_.score = point.score;
    search_.move_to(optimum_.weights);
  }

  LineSearch search_;
  Optimum optimum_;
};

}  // namespace

bool CandidatePool::add(std::size_t sentence, const Features& features, std::span<const double> statistics) {
  Sentence& place = sentences_[sentence];
  std::uint64_t name = 0;
  for (const double feature : features) name = mix(name, std::bit_cast<std::uint64_t>(feature));
  for (const double value : statistics) name = mix(name, std::bit_cast<std::uint64_t>(value));
  if (!place.known.insert(name).second) return false;
  place.features.push_back(features);
  for (const double value : statistics) place.statistics.push_back(static_cast<float>(value));
  return true;
}

double score_at(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights) {
  std::vector<double> sums(pool.width());
  for (std::size_t s = 0; s < pool.sentences(); ++s) {
    const std::vector<Features>& features = pool.features(s);
    if (features.empty()) continue;
    std::size_t best = 0;
    for (std::size_t c = 1; c < features.size(); ++c)
      if (dot(weights, features[c]) > dot(weights, features[best])) best = c;
    const std::span<const float> statistics = pool.statistics(s, best);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += statistics[i];
  }
  return metric.score(sums);
}

LinePoint search_line(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights,
                      const Weights& direction) {
  const PoolColumns columns(pool);
  return LineSearch(pool, metric, columns, weights).along(direction);
}

Weights optimise_weights(const CandidatePool& pool, const eval::Metric& metric, const Weights& start,
                         const std::vector<Feature>& active, const MertConfig& config) {
  const PoolColumns columns(pool);
  std::vector<Optimum> optima(static_cast<std::size_t>(config.restarts) + 1);
  threads::each(static_cast<std::int64_t>(optima.size()), [&](std::int64_t place) {
    Random random(config.seed, static_cast<std::uint64_t>(place));
    Weights weights = start;
    if (place > 0)
      for (const Feature feature : active) weights[index(feature)] = random.uniform(-0.2, 1);
    normalise(weights);
    optima[static_cast<std::size_t>(place)] =
        Climb(pool, metric, columns, weights).run(active, config.directions, random);
  });
  const auto worse = [](const Optimum& a, const Optimum& b) { return a.score < b.score; };
  return std::max_element(optima.begin(), optima.end(), worse)->weights;
}

}  // namespace dragoman::smt

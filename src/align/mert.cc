#include "align/mert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/threads.h"

namespace dragoman::align {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A candidate's score as the step varies: height + step * slope.
struct Line {
  double slope, height;
  std::uint32_t candidate;
};

// From `step` on, `candidate` is the best of its sentence.
struct Corner {
  double step;
  std::uint32_t sentence, candidate;
};

double crossing(const Line& a, const Line& b) { return (a.height - b.height) / (b.slope - a.slope); }

// Appends the corners of a sentence's upper envelope from left to right; the first is at minus infinity.
void add_envelope(std::vector<Line>& lines, std::uint32_t sentence, std::vector<Corner>& corners) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    if (a.slope != b.slope) return a.slope < b.slope;
    return a.height != b.height ? a.height > b.height : a.candidate < b.candidate;
  });
  const std::size_t first = corners.size();
  std::vector<Line> hull;
  for (const Line& line : lines) {
    if (!hull.empty() && hull.back().slope == line.slope) continue;
    double step = -kInfinity;
    while (!hull.empty()) {
      step = crossing(hull.back(), line);
      if (step > corners.back().step) break;
      hull.pop_back();
      corners.pop_back();
      step = -kInfinity;
    }
    hull.push_back(line);
    corners.push_back({corners.size() == first ? -kInfinity : step, sentence, line.candidate});
  }
}

class LineSearch {
 public:
  LineSearch(const CandidatePool& pool, const eval::Metric& metric) : pool_(pool), metric_(metric) {}

  LinePoint run(const Weights& weights, const Weights& direction) {
    collect(weights, direction);
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

 private:
  void collect(const Weights& weights, const Weights& direction) {
    corners_.clear();
    for (std::uint32_t s = 0; s < pool_.sentences(); ++s) {
      lines_.clear();
      for (const Features& features : pool_.features(s))
        lines_.push_back({dot(direction, features), dot(weights, features), std::uint32_t(lines_.size())});
      add_envelope(lines_, s, corners_);
    }
    std::sort(corners_.begin(), corners_.end(), [](const Corner& a, const Corner& b) {
      return a.step != b.step ? a.step < b.step : a.sentence < b.sentence;
    });
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

  // Inside an interval that may have no border; then a little beyond the one it has.
  static double middle(double from, double to) {
    constexpr double kBeyond = 0.1;
    if (from == -kInfinity) return to == kInfinity ? 0 : to - kBeyond;
    return to == kInfinity ? from + kBeyond : from + (to - from) / 2;
  }

  const CandidatePool& pool_;
  const eval::Metric& metric_;
  std::vector<Line> lines_;
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

Weights axis(Feature feature) {
  Weights direction{};
  direction[index(feature)] = 1;
  return direction;
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

// Goes from line to line until none helps.
Optimum climb(const CandidatePool& pool, const eval::Metric& metric, Weights weights,
              const std::vector<Feature>& active, int directions, Random& random) {
  constexpr double kWorthIt = 1e-3;
  LineSearch search(pool, metric);
  Optimum optimum{weights, score_at(pool, metric, weights)};
  for (double before = -kInfinity; optimum.score > before + kWorthIt;) {
    before = optimum.score;
    std::vector<Weights> lines;
    for (const Feature feature : active) lines.push_back(axis(feature));
    for (int i = 0; i < directions; ++i) lines.push_back(random_direction(active, random));
    for (const Weights& line : lines) {
      const LinePoint point = search.run(optimum.weights, line);
      if (point.score <= optimum.score) continue;
      for (std::size_t i = 0; i < kFeatures; ++i) optimum.weights[i] += point.step * line[i];
      optimum.score = point.score;
    }
    normalise(optimum.weights);
  }
  return optimum;
}

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
  return LineSearch(pool, metric).run(weights, direction);
}

Weights optimise_weights(const CandidatePool& pool, const eval::Metric& metric, const Weights& start,
                         const std::vector<Feature>& active, const MertConfig& config) {
  std::vector<Optimum> optima(static_cast<std::size_t>(config.restarts) + 1);
  threads::each(static_cast<std::int64_t>(optima.size()), [&](std::int64_t place) {
    Random random(config.seed, static_cast<std::uint64_t>(place));
    Weights weights = start;
    if (place > 0)
      for (const Feature feature : active) weights[index(feature)] = random.uniform(-0.2, 1);
    normalise(weights);
    optima[static_cast<std::size_t>(place)] = climb(pool, metric, weights, active, config.directions, random);
  });
  const auto worse = [](const Optimum& a, const Optimum& b) { return a.score < b.score; };
  return std::max_element(optima.begin(), optima.end(), worse)->weights;
}

}  // namespace dragoman::align

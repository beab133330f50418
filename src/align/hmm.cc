#include "align/hmm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace dragoman::align {
namespace {

// A window is the set of jumps that a position allows: from position i of I (-1 precedes the sentence), jumps 1 - left
// .. right with left = i + 1 and right = I - 1 - i. Values from kBorders - 1 on are treated as one.
constexpr int kBorders = 66;
constexpr double kLeastJump = 1e-7;
// Of weights given to the constructor: products of probabilities and ratios of weights in between fit into floats.
constexpr double kLeastWeight = 1e-9, kMostWeight = 1e9;

std::size_t window(int left, int right) {
  return static_cast<std::size_t>(std::min(left, kBorders - 1)) * kBorders + std::min(right, kBorders - 1);
}

// Adds the share that the positions of one window contribute to each jump.
void add_share(const std::vector<double>& jumps, int left, int right, double times, std::vector<double>& share) {
  const auto slot = [](int d) { return std::clamp(d, -Hmm::kReach, Hmm::kReach) + Hmm::kReach; };
  double sum = 0;
  for (int d = 1 - left; d <= right; ++d) sum += jumps[slot(d)];
  for (int d = 1 - left; d <= right; ++d) share[slot(d)] += times / sum;
}

// out[0..count) += Σ_k weights[k] * rows[k][0..count), four rows at a time to reduce traffic on `out`. Row k starts at
// table - k: each row is the jump table shifted by one position.
void add_shifted(const float* weights, int rows, const float* table, float* out, int count) {
  int k = 0;
  for (; k + 4 <= rows; k += 4) {
    const float a = weights[k], b = weights[k + 1], c = weights[k + 2], d = weights[k + 3];
    const float* const row = table - k;
    for (int i = 0; i < count; ++i) out[i] += a * row[i] + b * row[i - 1] + (c * row[i - 2] + d * row[i - 3]);
  }
  for (; k < rows; ++k)
    for (int i = 0; i < count; ++i) out[i] += weights[k] * table[i - k];
}

// Per-thread buffers, grown to the longest sentence seen.
struct Buffers {
  std::vector<float> table,
      reversed;                  // jump weights by distance, -columns - 1 .. columns + 1, ascending and descending
  std::vector<float> inverse;    // [columns + 1] 1 / Σ of the jump weights from position -1, 0, ...
  std::vector<float> before;     // [rows + 1, columns + 1] scaled forward probabilities of the states before each row
  std::vector<float> predicted;  // [rows, columns]
  std::vector<float> scaled, future, outward, next, jump_sums;
  std::vector<float> scale;  // [rows]

  void prepare(const std::vector<double>& jumps, int rows, int columns) {
    const int reach = columns + 1;
    table.resize(2 * reach + 1);
    reversed.resize(2 * reach + 1);
    for (int d = -reach; d <= reach; ++d) {
      const auto weight = static_cast<float>(jumps[std::clamp(d, -Hmm::kReach, Hmm::kReach) + Hmm::kReach]);
      table[d + reach] = weight;
      reversed[reach - d] = weight;
    }
    inverse.resize(columns + 1);
    for (int i = -1; i < columns; ++i) {
      const float* const first = table.data() + reach - i;
      inverse[i + 1] = 1 / std::accumulate(first, first + columns, 0.0f);
    }
    before.assign(static_cast<std::size_t>(rows + 1) * (columns + 1), 0.0f);
    predicted.assign(static_cast<std::size_t>(rows) * columns, 0.0f);
    scaled.resize(columns + 1);
    outward.resize(columns);
    next.resize(columns + 1);
    future.assign(columns + 1, 1.0f);
    scale.resize(rows);
    jump_sums.assign(2 * columns + 2, 0.0f);
  }
};

// The forward-backward algorithm for one pair. State i, stored at i + 1, means that the last word not aligned to NULL
// was aligned to position i, -1 <= i < columns. The states of each row are scaled to sum to one.
class Passes {
 public:
  Passes(const PairMatrix& emissions, double null, const std::vector<double>& jumps, Buffers& buffers)
      : e_(emissions), null_(static_cast<float>(null)), s_(buffers), states_(emissions.columns + 1) {
    s_.prepare(jumps, e_.rows, e_.columns);
  }

  double forward() {
    s_.before[0] = 1;
    double log_likelihood = 0;
    for (int j = 0; j < e_.rows; ++j) {
      const float* const before = s_.before.data() + static_cast<std::size_t>(j) * states_;
      float* const after = s_.before.data() + static_cast<std::size_t>(j + 1) * states_;
      float* const predicted = s_.predicted.data() + static_cast<std::size_t>(j) * e_.columns;
      for (int i = 0; i < states_; ++i) s_.scaled[i] = before[i] * s_.inverse[i];
      add_shifted(s_.scaled.data(), states_, s_.table.data() + e_.columns + 2, predicted, e_.columns);
      const float stay = null_ * e_.null[j];
      for (int i = 0; i < states_; ++i) after[i] = stay * before[i];
      const float* const emission = e_.row(j);
      for (int i = 0; i < e_.columns; ++i) after[i + 1] += (1 - null_) * emission[i] * predicted[i];
      const double sum = std::accumulate(after, after + states_, 0.0);
      s_.scale[j] = static_cast<float>(1 / sum);
      for (int i = 0; i < states_; ++i) after[i] *= s_.scale[j];
      log_likelihood += std::log(sum);
    }
    return log_likelihood;
  }

  // From the last row to the first; future[i] is the scaled p(rows after j | state i after row j).
  void backward(PairMatrix& posteriors, std::span<double> statistics) {
    for (int j = e_.rows - 1; j >= 0; --j) {
      const float* const before = s_.before.data() + static_cast<std::size_t>(j) * states_;
      const float* const predicted = s_.predicted.data() + static_cast<std::size_t>(j) * e_.columns;
      const float* const emission = e_.row(j);
      float* const posterior = posteriors.row(j);
      const float move = (1 - null_) * s_.scale[j], stay = null_ * e_.null[j] * s_.scale[j];
      for (int i = 0; i < e_.columns; ++i) {
        s_.outward[i] = move * emission[i] * s_.future[i + 1];
        posterior[i] = predicted[i] * s_.outward[i];
      }
      float stayed = 0;
      for (int i = 0; i < states_; ++i) stayed += before[i] * s_.future[i];
      posteriors.null[j] = stay * stayed;
      std::fill(s_.next.begin(), s_.next.end(), 0.0f);
      add_shifted(s_.outward.data(), e_.columns, s_.reversed.data() + e_.columns, s_.next.data(), states_);
      for (int i = 0; i < states_; ++i) s_.next[i] *= s_.inverse[i];
      if (!statistics.empty()) count(before, statistics);
      for (int i = 0; i < states_; ++i) s_.future[i] = s_.next[i] + stay * s_.future[i];
    }
    if (!statistics.empty()) add_jump_counts(statistics);
  }

 private:
  // Adds the expected jumps out of each state: jump_sums[d + columns] += from * outward[i + d] for position i. Skips
  // states with negligible probability.
  void count(const float* before, std::span<double> statistics) {
    constexpr float kNegligible = 1e-7f;
    for (int state = 0; state < states_; ++state) {
      const float leaving = before[state] * s_.next[state];
      statistics[Hmm::kJumps + window(state, e_.columns - state)] += leaving;
      if (leaving < kNegligible) continue;
      const float from = before[state] * s_.inverse[state];
      float* const sums = s_.jump_sums.data() + e_.columns - (state - 1);
      for (int t = 0; t < e_.columns; ++t) sums[t] += from * s_.outward[t];
    }
  }
  void add_jump_counts(std::span<double> statistics) {
    for (int d = -e_.columns; d <= e_.columns; ++d) {
      const float weight = s_.table[d + e_.columns + 1];
      statistics[std::clamp(d, -Hmm::kReach, Hmm::kReach) + Hmm::kReach] += weight * s_.jump_sums[d + e_.columns];
    }
  }

  const PairMatrix& e_;
  float null_;
  Buffers& s_;
  int states_;
};

}  // namespace

Hmm::Hmm(double null, std::span<const double> parameters)
    : PositionModel(null), jumps_(parameters.begin(), parameters.end()) {
  if (jumps_.empty())
    for (int d = -kReach; d <= kReach; ++d) jumps_.push_back(1 / (1.0 + (d - 1) * (d - 1)));
  check(jumps_.size() == kJumps, "the HMM has {} jumps, but {} came", kJumps, jumps_.size());
  for (const double weight : jumps_)
    check(weight >= kLeastWeight && weight <= kMostWeight, "HMM: expected jump weights from {} to {} but got {}",
          kLeastWeight, kMostWeight, weight);
}

std::size_t Hmm::statistics() const { return kJumps + kBorders * kBorders; }

double Hmm::posteriors(const PairMatrix& emissions, PairMatrix& posteriors, std::span<double> statistics) const {
  thread_local Buffers buffers;
  posteriors.resize(emissions.rows, emissions.columns);
  Passes passes(emissions, null_, jumps_, buffers);
  const double log_likelihood = passes.forward();
  passes.backward(posteriors, statistics);
  return log_likelihood;
}

// Maximises Σ_d N_d log c_d - Σ_w n_w log Σ_d m_wd c_d, where N_d is the expected number of jumps by d, n_w the
// expected number of jumps from positions with window w, and m_wd the number of positions of w at distance d. Each
// iteration of c_d = N_d / Σ_w n_w m_wd / Σ_d' m_wd' c_d' increases it (Hunter: "MM algorithms for generalized
// Bradley-Terry models", Annals of Statistics 2004).
void Hmm::update(std::span<const double> statistics) {
  constexpr int kRounds = 20;
  std::vector<double> share(kJumps);
  for (int round = 0; round < kRounds; ++round) {
    std::fill(share.begin(), share.end(), 0.0);
    for (int left = 0; left < kBorders; ++left)
      for (int right = 0; right < kBorders; ++right) {
        const double times = statistics[kJumps + window(left, right)];
        if (times > 0 && left + right > 0) add_share(jumps_, left, right, times, share);
      }
    double sum = 0;
    for (int d = 0; d < kJumps; ++d) {
      jumps_[d] = share[d] > 0 ? statistics[d] / share[d] : 0;
      sum += jumps_[d];
    }
    if (sum <= 0) sum = 1;
    for (double& weight : jumps_) weight = std::max(weight / sum, kLeastJump);
  }
}

std::string Hmm::describe() const {
  return fmt::format("hmm, jumps -1 {:.3f}, 0 {:.3f}, +1 {:.3f}, +2 {:.3f}", jumps_[kReach - 1], jumps_[kReach],
                     jumps_[kReach + 1], jumps_[kReach + 2]);
}

}  // namespace dragoman::align

#include "align/em_training.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace dragoman::align {
namespace {

// Pairs per block. A block is summed sequentially, so that its sums do not depend on the number of threads.
constexpr std::size_t kBlock = 256;

// Sums of all blocks' statistics as fixed-point numbers in units of 2^-20: the order in which blocks finish does not
// matter.
class FixedSums {
 public:
  explicit FixedSums(std::size_t size) : sums_(size) {}

  void add(std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != 0)
        std::atomic_ref<std::int64_t>(sums_[i]).fetch_add(std::llround(values[i] * kUnits), std::memory_order_relaxed);
  }
  std::vector<double> values() const {
    std::vector<double> result;
    for (const std::int64_t sum : sums_) result.push_back(static_cast<double>(sum) / kUnits);
    return result;
  }

 private:
  static constexpr double kUnits = 1 << 20;
  std::vector<std::int64_t> sums_;
};

// The E step, one pair at a time; each block has its own.
class Expectation {
 public:
  Expectation(const Bitext& bitext, TranslationTable& table, const Directions& directions, bool agree)
      : bitext_(bitext), table_(table), directions_(directions), agree_(agree) {}

  void run(std::size_t pair, std::span<double> forward_statistics, std::span<double> backward_statistics,
           std::span<double> log_likelihoods) {
    gather(pair);
    log_likelihoods[0] += directions_.forward->posteriors(forward_, posteriors_.forward, forward_statistics);
    log_likelihoods[1] += directions_.backward->posteriors(backward_, posteriors_.backward, backward_statistics);
    if (agree_) multiply_posteriors(posteriors_.forward, posteriors_.backward);
    scatter(pair);
  }

  void prefetch(std::size_t pair) const {
    for (const std::uint32_t cell : table_.cooccurrence().cells(pair)) table_.prefetch(cell);
  }

 private:
  void gather(std::size_t pair) {
    const auto source = bitext_.source().sentence(pair), target = bitext_.target().sentence(pair);
    const int sources = static_cast<int>(source.size()), targets = static_cast<int>(target.size());
    forward_.resize(targets, sources);
    backward_.resize(sources, targets);
    const std::uint32_t* at = table_.cooccurrence().cells(pair).data();
    for (int i = 0; i < sources; ++i) {
      float* const row = backward_.row(i);
      for (int j = 0; j < targets; ++j) {
        const TranslationTable::Cell& cell = table_.cell(*at++);
        forward_.row(j)[i] = cell.forward;
        row[j] = cell.backward;
      }
      backward_.null[i] = table_.null_backward(source[i]);
    }
    for (int j = 0; j < targets; ++j) forward_.null[j] = table_.null_forward(target[j]);
  }

  void scatter(std::size_t pair) {
    const auto source = bitext_.source().sentence(pair), target = bitext_.target().sentence(pair);
    const int sources = static_cast<int>(source.size()), targets = static_cast<int>(target.size());
    const std::uint32_t* at = table_.cooccurrence().cells(pair).data();
    for (int i = 0; i < sources; ++i) {
      const float* const row = posteriors_.backward.row(i);
      for (int j = 0; j < targets; ++j, ++at)
        if (*at != 0) table_.add(*at, posteriors_.forward.row(j)[i], row[j]);
      table_.add_null_backward(source[i], posteriors_.backward.null[i]);
    }
    for (int j = 0; j < targets; ++j) table_.add_null_forward(target[j], posteriors_.forward.null[j]);
  }

  const Bitext& bitext_;
  TranslationTable& table_;
  const Directions& directions_;
  bool agree_;
  PairMatrix forward_, backward_;
  PairPosteriors posteriors_;
};

}  // namespace

void multiply_posteriors(PairMatrix& forward, PairMatrix& backward) {
  for (int i = 0; i < backward.rows; ++i) {
    float* const row = backward.row(i);
    for (int j = 0; j < backward.columns; ++j) {
      float& other = forward.row(j)[i];
      other = row[j] = row[j] * other;
    }
  }
}

EmTraining::EmTraining(const Bitext& bitext, Cooccurrence& cooccurrence, const EmOptions& options)
    : bitext_(bitext), options_(options), table_(bitext, cooccurrence) {
  start(AlignmentKind::model1);
}

void EmTraining::start(AlignmentKind kind) {
  directions_.forward = PositionModel::make(kind, options_.null);
  directions_.backward = PositionModel::make(kind, options_.null);
}

Iteration EmTraining::step() {
  const std::size_t forward_size = directions_.forward->statistics(),
                    backward_size = directions_.backward->statistics();
  FixedSums sums(forward_size + backward_size + 2);
  const std::size_t blocks = (bitext_.size() + kBlock - 1) / kBlock;
  threads::each(static_cast<std::int64_t>(blocks), [&](std::int64_t block) {
    Expectation expectation(bitext_, table_, directions_,
                            options_.agree && directions_.forward->kind() == AlignmentKind::hmm);
    std::vector<double> statistics(forward_size + backward_size + 2);
    const std::span<double> all(statistics);
    const std::size_t begin = static_cast<std::size_t>(block) * kBlock, end = std::min(begin + kBlock, bitext_.size());
    for (std::size_t pair = begin; pair < end; ++pair) {
      if (pair + 1 < end) expectation.prefetch(pair + 1);
      if (bitext_.source().length(pair) == 0) continue;
      expectation.run(pair, all.first(forward_size), all.subspan(forward_size, backward_size), all.last(2));
    }
    sums.add(statistics);
  });
  const std::vector<double> totals = sums.values();
  const std::span<const double> all(totals);
  directions_.forward->update(all.first(forward_size));
  directions_.backward->update(all.subspan(forward_size, backward_size));
  table_.normalise(options_.alpha);
  return {.kind = directions_.forward->kind(), .forward = all[all.size() - 2], .backward = all[all.size() - 1]};
}

void EmTraining::run(const std::function<void(const Iteration&, const Directions&)>& watch) {
  const std::pair<AlignmentKind, int> schedule[] = {{AlignmentKind::model1, options_.model1},
                                                    {AlignmentKind::model2, options_.model2},
                                                    {AlignmentKind::hmm, options_.hmm}};
  bool pruned = options_.prune == 0;
  for (const auto& [kind, iterations] : schedule) {
    if (iterations == 0) continue;
    start(kind);
    for (int number = 1; number <= iterations; ++number) {
      Iteration iteration = step();
      iteration.number = number;
      watch(iteration, directions_);
    }
    if (!pruned) table_.prune(static_cast<float>(options_.prune));
    pruned = true;
  }
}

}  // namespace dragoman::align

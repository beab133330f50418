#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/options.h"

namespace dragoman::data {

enum class BatchBy { sentences, tokens };
enum class BatchOrder { random, length, file };

// How sentences are grouped into batches.
struct PlanOptions {
  BatchBy by = BatchBy::sentences;
  std::int64_t size = 64;
  BatchOrder order = BatchOrder::random;
  std::int64_t window = 1 << 16;
  std::uint32_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("by", by, "what `size` counts: sentences, or tokens of the larger side with its marks");
    v("size", size, "the most a batch holds", at_least(1));
    v("order", order, "random; length (random batches of similar length); file (as the corpus stands)");
    v("window", window, "order length: how many random sentences are sorted at a time", between(1, 1 << 24));
    v("seed", seed, "chooses the order");
  }
};

// Tokens one sentence puts into a batch, marks included.
struct RowLengths {
  std::uint32_t source = 0, target = 0;
};

// Consecutive sentences that an epoch shows `weight` times on average: one corpus.
struct WeightedRange {
  std::uint64_t begin = 0, end = 0;
  double weight = 1;
};

// How often an epoch shows a sentence of weight w: floor((e + 1) w + u) - floor(e w + u) times, where u in [0, 1) is
// the sentence's own. So weight 1 is exactly once, weight 2 twice, and with weight 1/3 each sentence comes back every
// third epoch.
std::uint64_t repeats(double weight, std::uint64_t seed, std::uint64_t sentence, std::uint64_t epoch);

// The batches of one epoch: a pure function of the lengths, the options and the epoch's number. Lists sentences, not
// tokens, so that any batch is at hand without touching the ones before.
class BatchPlan {
 public:
  // Throws when a sentence alone exceeds a token budget.
  BatchPlan(std::span<const RowLengths> lengths, std::span<const WeightedRange> ranges, const PlanOptions& options,
            std::uint64_t epoch);

  std::uint64_t size() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> batch(std::uint64_t i) const {
    return std::span(order_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }

 private:
  void list_sentences(std::span<const WeightedRange> ranges, std::uint64_t seed, std::uint64_t epoch);
  void sort_windows(std::span<const RowLengths> lengths, std::size_t window);
  void cut(std::span<const RowLengths> lengths, const PlanOptions& options, std::size_t window);
  void shuffle_batches(std::uint64_t seed, std::uint64_t epoch);

  std::vector<std::uint32_t> order_;   // sentences, batch after batch
  std::vector<std::uint64_t> begins_;  // where each batch begins in order_, and its end
};

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::BatchBy> {
  using BatchBy = dragoman::data::BatchBy;
  static constexpr std::pair<BatchBy, const char*> list[] = {{BatchBy::sentences, "sentences"},
                                                             {BatchBy::tokens, "tokens"}};
};

template <>
struct dragoman::EnumNames<dragoman::data::BatchOrder> {
  using BatchOrder = dragoman::data::BatchOrder;
  static constexpr std::pair<BatchOrder, const char*> list[] = {
      {BatchOrder::random, "random"}, {BatchOrder::length, "length"}, {BatchOrder::file, "file"}};
};

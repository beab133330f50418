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
    v("by", by, "unit of `size`: sentences, or tokens of the larger side including begin and end tokens");
    v("size", size, "maximum size of a batch", at_least(1));
    v("order", order,
      "order of training: random; length (random batches of sentences of similar length); file (corpus order)");
    v("window", window, "for order length: number of random sentences sorted by length at a time", between(1, 1 << 24));
    v("seed", seed, "random seed of the order");
    v.only_if(
        "window", [this] { return order == BatchOrder::length; }, "only --batch.order length uses it");
  }
};

// Tokens of one sentence pair in a batch, including begin and end tokens.
struct RowLengths {
  std::uint32_t source = 0, target = 0;
};

// A range of consecutive sentences (one corpus) that each epoch shows `weight` times on average.
struct WeightedRange {
  std::uint64_t begin = 0, end = 0;
  double weight = 1;
};

// How often epoch e shows a sentence of weight w: floor((e + 1) w + u) - floor(e w + u) times, where u in [0, 1) is
// fixed per sentence. Weight 1 gives exactly once per epoch, 2 twice, and 1/3 once every three epochs.
std::uint64_t repeats(double weight, std::uint64_t seed, std::uint64_t sentence, std::uint64_t epoch);

// The batches of one epoch: a pure function of lengths, options and epoch number. It lists sentences, not tokens, so
// any batch is accessible without processing the ones before.
class BatchPlan {
 public:
  // Throws if a single sentence exceeds the token budget.
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

  std::vector<std::uint32_t> order_;   // sentences, batch by batch
  std::vector<std::uint64_t> begins_;  // where each batch begins in order_, and the end
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

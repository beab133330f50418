#include "data/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"

namespace dragoman::data {
namespace {

constexpr std::uint64_t kMostInWindow = 1 << 24;  // the range of positions in a sorting key

// Random streams, one per purpose.
enum Purpose : std::uint64_t { kOrder = 1, kBatches = 2, kRepeats = 3 };

// Fisher-Yates shuffle with one hash per draw, so that planning an epoch costs no more than copying its tokens. The
// bias of the remainder is below 2^-32.
template <class T>
void shuffle(std::vector<T>& values, std::uint64_t seed, Purpose purpose, std::uint64_t epoch) {
  const std::uint64_t stream = mix(mix(seed, purpose), epoch);
  for (std::uint64_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[mix(stream, i) % i]);
}

}  // namespace

std::uint64_t repeats(double weight, std::uint64_t seed, std::uint64_t sentence, std::uint64_t epoch) {
  if (weight == 1.0) return 1;
  const double own = static_cast<double>(mix(mix(seed, kRepeats), sentence) >> 11) * 0x1.0p-53;
  const auto shown_before = [&](std::uint64_t epochs) {
    return std::floor(static_cast<double>(epochs) * weight + own);
  };
  return static_cast<std::uint64_t>(shown_before(epoch + 1) - shown_before(epoch));
}

BatchPlan::BatchPlan(std::span<const RowLengths> lengths, std::span<const WeightedRange> ranges,
                     const PlanOptions& options, std::uint64_t epoch) {
  list_sentences(ranges, options.seed, epoch);
  if (options.order != BatchOrder::file) shuffle(order_, options.seed, kOrder, epoch);
  std::size_t window = std::max<std::size_t>(order_.size(), 1);
  if (options.order == BatchOrder::length) {
    window = static_cast<std::size_t>(options.window);
    if (options.by == BatchBy::sentences) {  // so that only the last window ends with a smaller batch
      const auto size = static_cast<std::size_t>(options.size);
      window = std::max<std::size_t>(1, window / size) * size;
    }
    window = std::min<std::size_t>(window, kMostInWindow);
    sort_windows(lengths, window);
  }
  cut(lengths, options, window);
  if (options.order == BatchOrder::length) shuffle_batches(options.seed, epoch);
}

void BatchPlan::list_sentences(std::span<const WeightedRange> ranges, std::uint64_t seed, std::uint64_t epoch) {
  std::uint64_t count = 0;
  for (const WeightedRange& range : ranges) count += range.end - range.begin;
  order_.reserve(count);
  for (const WeightedRange& range : ranges)
    for (std::uint64_t i = range.begin; i < range.end; ++i)
      order_.insert(order_.end(), repeats(range.weight, seed, i, epoch), static_cast<std::uint32_t>(i));
}

void BatchPlan::sort_windows(std::span<const RowLengths> lengths, std::size_t window) {
  // One key per sentence: target length, source length, position. Sentences of equal length keep their random order.
  constexpr std::uint32_t kLongest = (1 << 20) - 1;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> sorted;
  for (std::size_t begin = 0; begin < order_.size(); begin += window) {
    const std::size_t count = std::min(order_.size() - begin, window);
    keys.resize(count);
    sorted.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const RowLengths& row = lengths[order_[begin + i]];
      keys[i] =
          std::uint64_t{std::min(row.target, kLongest)} << 44 | std::uint64_t{std::min(row.source, kLongest)} << 24 | i;
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < count; ++i) sorted[i] = order_[begin + keys[i] % kMostInWindow];
    std::copy(sorted.begin(), sorted.end(), order_.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

void BatchPlan::cut(std::span<const RowLengths> lengths, const PlanOptions& options, std::size_t window) {
  const auto most = static_cast<std::uint64_t>(options.size);
  std::uint64_t source = 0, target = 0;
  begins_.push_back(0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const RowLengths& row = lengths[order_[i]];
    const bool by_tokens = options.by == BatchBy::tokens;
    if (by_tokens)
      check(row.source <= most && row.target <= most,
            "sentence {} has {} source and {} target tokens, but a batch holds at most {}; raise --batch.size or "
            "lower --batch.max-source-length and --batch.max-target-length",
            order_[i], row.source, row.target, most);
    const bool full = by_tokens ? source + row.source > most || target + row.target > most : i - begins_.back() == most;
    if (i > begins_.back() && (full || i % window == 0)) {
      begins_.push_back(i);
      source = target = 0;
    }
    source += row.source;
    target += row.target;
  }
  if (!order_.empty()) begins_.push_back(order_.size());
}

void BatchPlan::shuffle_batches(std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::uint64_t> batches(size());
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i] = i;
  shuffle(batches, seed, kBatches, epoch);
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> begins = {0};
  order.reserve(order_.size());
  begins.reserve(begins_.size());
  for (const std::uint64_t i : batches) {
    const auto sentences = batch(i);
    order.insert(order.end(), sentences.begin(), sentences.end());
    begins.push_back(order.size());
  }
  order_ = std::move(order);
  begins_ = std::move(begins);
}

}  // namespace dragoman::data

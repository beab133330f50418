#include "train/gradient_accumulator.h"

#include <algorithm>

#include "train/memory_plan.h"

namespace dragoman::train {

std::uint64_t GradientAccumulator::accumulate(std::span<const data::Batch> batches, const TrainState& state,
                                              const LossTotals& losses,
                                              const std::function<void(const std::string&)>& remark) {
  for (;;) {
    try {
      return try_batches(batches, state.batches, losses);
    } catch (const OutOfMemory& problem) {
      remark(make_parts_smaller(batches, state.position.updates + 1, problem));
    }
  }
}

std::uint64_t GradientAccumulator::try_batches(std::span<const data::Batch> batches, std::uint64_t batches_before,
                                               const LossTotals& losses) {
  task_.parameters().gradients().clear();
  losses.both.clear();
  std::uint64_t labels = 0, learned = 0, number = batches_before;
  for (const data::Batch& batch : batches) labels += batch.labels.size();
  for (const data::Batch& batch : batches) {
    std::uint64_t stream = ++number;  // random stream; every part has its own
    data::for_each_part(batch, at_once_, [&](const data::Batch& part) {
      workspace_.reset();
      Context cx = Context::training(workspace_, seed_, stream);
      learned += task_.learn(cx, part, loss_, 1 / static_cast<double>(labels), losses);
      stream += std::uint64_t{1} << 32;
    });
  }
  return learned;
}

// Called if memory runs out despite the rehearsal: another process has taken memory since, or a batch is larger than
// expected.
std::string GradientAccumulator::make_parts_smaller(std::span<const data::Batch> batches, std::uint64_t update,
                                                    const OutOfMemory& problem) {
  workspace_.drop();
  std::size_t largest = 0, longest = 0;
  for (const data::Batch& batch : batches) {
    largest = std::max(largest, batch.tokens());
    longest = std::max(longest, batch.longest());
  }
  const std::size_t smaller = smaller_part(at_once_, largest, longest);
  check(smaller > 0, "update {}: {}, even for one sentence pair of {} tokens", update, problem.what(), longest);
  at_once_ = smaller;
  return fmt::format("update {}: {}; from now on at most {} tokens per forward pass", update, problem.what(), at_once_);
}

}  // namespace dragoman::train

#include "train/gradient_accumulator.h"

#include <algorithm>

#include "train/memory_plan.h"

namespace dragoman::train {

std::uint64_t GradientAccumulator::count_labels(std::span<const data::Batch> batches) {
  std::uint64_t labels = 0;
  for (const data::Batch& batch : batches) labels += batch.labels.size();
  return labels;
}

void GradientAccumulator::accumulate(const Work& work, const TrainState& state,
                                     const std::function<void(const std::string&)>& remark) {
  for (bool done = false; !done;) {
    bool fits = true;
    try {
      try_parts(work, state.batches);
    } catch (const OutOfMemory& problem) {
      remark(make_pieces_smaller(work.batches, state.position.updates + 1, problem));
      fits = false;
    }
    workspace_.tape.set_watch(nullptr);
    done = reduction_.finish(fits);
  }
}

// The random stream of a batch is its number in training, which does not depend on the number of ranks.
void GradientAccumulator::try_parts(const Work& work, std::uint64_t batches_before) {
  const auto width = static_cast<std::size_t>(team_.width()), parts = static_cast<std::size_t>(team_.parts);
  sum_.clear();
  for (std::size_t part = 0; part < width; ++part) {
    task_.parameters().gradients().clear();
    work.losses[part].both.clear();
    for (std::size_t i = part; i < work.batches.size(); i += width)
      learn(work.batches[i], batches_before + i / width * parts + static_cast<std::size_t>(team_.first()) + part + 1,
            1 / static_cast<double>(work.labels), work.losses[part], width == 1 && i + 1 == work.batches.size());
    sum_.add();
  }
}

// Every piece has its own random stream.
void GradientAccumulator::learn(const data::Batch& batch, std::uint64_t stream, double scale, const LossTotals& losses,
                                bool is_last) {
  if (batch.sentences.empty()) return;
  std::size_t sentences = 0;
  data::for_each_part(batch, at_once_, [&](const data::Batch& piece) {
    workspace_.reset();
    sentences += piece.sentences.size();
    if (is_last && sentences == batch.sentences.size()) reduction_.watch(workspace_.tape);
    Context cx = Context::training(workspace_, seed_, stream);
    task_.learn(cx, piece, loss_, scale, losses);
    stream += std::uint64_t{1} << 32;
  });
}

// Called if memory runs out despite the rehearsal: another process has taken memory since, or a batch is larger than
// expected.
std::string GradientAccumulator::make_pieces_smaller(std::span<const data::Batch> batches, std::uint64_t update,
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

#include "train/memory_plan.h"

#include <algorithm>

#include "base/counted.h"
#include "base/progress.h"

namespace dragoman::train {
namespace {

// Whether the first part of at most `most` tokens fits into memory.
bool fits(const TrainOptions& options, Task& task, Workspace& workspace, const data::Batch& largest, std::size_t most) {
  try {
    workspace.reset();
    Context cx = Context::training(workspace, options.seed, 0);
    task.learn(cx, data::parts_of(largest, most).front(), options.loss, 1, {cx.zeros(DType::f64, {2, 1})});
    return true;
  } catch (const OutOfMemory&) {
    workspace.drop();
    return false;
  }
}

}  // namespace

std::string show_bytes(std::size_t bytes) {
  const auto mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? fmt::format("{:.1f} MiB", mebibytes) : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

MemoryPlan permanent_memory(const MasterWeights& weights, const Optimiser& optimiser, const MovingAverage* average) {
  MemoryPlan plan;
  const Tensor copy = weights.parameters().copy();
  plan.weights = weights.bytes() + (copy.defined() ? copy.bytes() : 0);
  plan.gradients = weights.parameters().gradients().bytes();
  for (const auto& [name, tensor] : optimiser.state()) plan.optimiser += tensor.bytes();
  if (average != nullptr) plan.optimiser += average->bytes();
  return plan;
}

std::size_t smaller_part(std::size_t at_once, std::size_t largest, std::size_t longest) {
  const std::size_t tried = at_once == 0 ? largest : std::min(at_once, largest);
  return tried > longest ? std::max(tried / 2, longest) : 0;
}

void rehearse_learning(const TrainOptions& options, Task& task, Workspace& workspace, const data::Batch& largest,
                       MemoryPlan& plan) {
  const auto usable = static_cast<std::size_t>(options.memory_fraction * static_cast<double>(plan.free));
  const std::size_t longest = largest.longest();
  plan.fraction = options.memory_fraction;
  plan.largest_batch = largest.tokens();
  plan.at_once = static_cast<std::size_t>(options.at_once);
  workspace.arena.set_limit(usable - std::min(usable, plan.search));
  while (!fits(options, task, workspace, largest, plan.at_once)) {
    const std::size_t smaller = smaller_part(plan.at_once, plan.largest_batch, longest);
    check(smaller > 0,
          "{} of memory are free, of which this run may use {}; search needs {}, and the rest is too little for a "
          "sentence pair of {}. A smaller model, shorter sentences (batch.max-source-length, "
          "batch.max-target-length) or a larger memory-fraction may help",
          show_bytes(plan.free), show_bytes(usable), show_bytes(plan.search), counted(longest, "token"));
    plan.at_once = smaller;
  }
  plan.learning = workspace.arena.reserved();
  task.parameters().gradients().clear();
}

std::vector<std::pair<std::string, std::string>> describe(const MemoryPlan& plan) {
  const bool whole = plan.at_once == 0 || plan.at_once >= plan.largest_batch;
  const std::string limit =
      whole ? fmt::format("the largest batch, {} of both sides", counted(plan.largest_batch, "token"))
            : fmt::format("{} of both sides; larger batches (up to {}) are split into parts",
                          counted(plan.at_once, "token"), with_commas(plan.largest_batch));
  return {{"memory", fmt::format("{}: weights {}, gradients {}, optimiser {}, batches {}, search {}",
                                 show_bytes(plan.total()), show_bytes(plan.weights), show_bytes(plan.gradients),
                                 show_bytes(plan.optimiser), show_bytes(plan.learning), show_bytes(plan.search))},
          {"free memory", fmt::format("{}, of which batches and search may take {:.3g} %", show_bytes(plan.free),
                                      100 * plan.fraction)},
          {"at once", limit}};
}

}  // namespace dragoman::train

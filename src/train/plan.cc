#include "train/plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/progress.h"

namespace dragoman::train {
namespace {

constexpr std::uint64_t kSurveyed = 200;  // batches sampled for the mean size
constexpr int kTimed = 3;                 // batches timed for the time per update

// Mean number of target tokens per batch.
double mean_tokens(data::Batcher& batches, std::uint64_t count) {
  data::Batch batch;
  double tokens = 0;
  batches.seek(0, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    batches.next(batch);
    tokens += static_cast<double>(batch.labels.size());
  }
  return tokens / static_cast<double>(count);
}

// The position after `updates`.
Position position_after(double updates, double updates_per_epoch, double tokens_per_update) {
  return {static_cast<std::uint64_t>(std::ceil(updates)), updates / updates_per_epoch,
          static_cast<std::uint64_t>(updates * tokens_per_update)};
}

Position find_end(const TrainOptions& options, double updates_per_epoch, double tokens_per_update) {
  double updates = 0;
  for (const Amount& end : parse_amounts(options.until)) {
    if (end.none()) continue;
    const double per_unit = end.unit == Unit::updates  ? 1
                            : end.unit == Unit::epochs ? updates_per_epoch
                                                       : 1 / tokens_per_update;
    updates = updates == 0 ? end.count * per_unit : std::min(updates, end.count * per_unit);
  }
  return position_after(updates, updates_per_epoch, tokens_per_update);
}

}  // namespace

Plan make_plan(const TrainOptions& options, Task& task, data::Batcher& batches, const MemoryPlan& memory) {
  Plan plan;
  plan.parameters = task.parameters().count();
  plan.sentences = batches.sentences();
  plan.steps_per_epoch = batches.steps(0);
  plan.tokens_per_batch = mean_tokens(batches, std::min(plan.steps_per_epoch, kSurveyed));
  plan.memory = memory;
  const double accumulate = options.optimiser.accumulate, batches_per_update = accumulate * std::max(1, options.parts);
  plan.end = find_end(options, static_cast<double>(plan.steps_per_epoch) / accumulate,
                      plan.tokens_per_batch * batches_per_update);
  Workspace workspace(task.parameters().weights().device());
  data::Batch batch;
  batches.seek(0, 0);
  double tokens = 0, seconds = 0;
  for (int i = 0; i < 1 + kTimed; ++i) {
    batches.next(batch);
    const auto start = std::chrono::steady_clock::now();
    data::for_each_part(batch, memory.at_once, [&](const data::Batch& part) {
      workspace.reset();
      Context cx = Context::training(workspace, options.seed, 1);
      task.learn(cx, part, options.loss, 1, {cx.zeros(DType::f64, {2, 1})});
    });
    workspace.device.wait();
    if (i == 0) continue;  // warm-up
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tokens += static_cast<double>(batch.labels.size());
  }
  plan.seconds_per_update = seconds / tokens * plan.tokens_per_batch * batches_per_update;
  task.parameters().gradients().clear();
  return plan;
}

std::vector<std::pair<std::string, std::string>> describe(const Plan& plan) {
  const auto number = [](auto value) { return with_commas(static_cast<std::int64_t>(value)); };
  std::vector<std::pair<std::string, std::string>> facts = {
      {"parameters", number(plan.parameters)},
      {"sentence pairs", number(plan.sentences)},
      {"batches per epoch",
       fmt::format("{}, {:.0f} target tokens each", number(plan.steps_per_epoch), plan.tokens_per_batch)},
      {"until", fmt::format("update {}, epoch {:.2f}, {} target tokens", number(plan.end.updates), plan.end.epochs,
                            number(plan.end.tokens))}};
  for (const auto& fact : describe(plan.memory)) facts.push_back(fact);
  facts.emplace_back("time", fmt::format("{} at {:.3f} s per update on this machine now, without validation",
                                         clock_time(plan.seconds()), plan.seconds_per_update));
  return facts;
}

}  // namespace dragoman::train

#include "train/update_pipeline.h"

#include <algorithm>
#include <cmath>

namespace dragoman::train {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

UpdatePipeline::UpdatePipeline(const Device& device)
    : depth_(device.on_host() ? 0 : 1), totals_(device, DType::f64, 3) {
  for (auto& delivery : deliveries_) delivery = device.delivery(totals_.tensor().bytes());
}

LossTotals UpdatePipeline::losses() const { return {totals_.rows(0, 2)}; }
Tensor UpdatePipeline::gradient_squares() const { return totals_.rows(2, 1); }

void UpdatePipeline::push(const PendingUpdate& update) {
  check(pending_.size() < deliveries_.size(), "at most {} updates can be pending", deliveries_.size());
  delivery(update.position).send(totals_.tensor().raw());
  pending_.push_back(update);
}

FinishedUpdate UpdatePipeline::pop() {
  const PendingUpdate update = pending_.front();
  pending_.pop_front();
  const auto* const totals = static_cast<const double*>(delivery(update.position).wait());
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - std::max(update.start, last_pop_)).count();
  last_pop_ = now;
  return {.position = update.position,
          .rate = update.rate,
          .sums = {totals[0], totals[1], update.tokens},
          .gradient_norm = std::sqrt(totals[2]),
          .seconds = seconds,
          .waiting = update.waiting,
          .traffic = update.traffic};
}

}  // namespace dragoman::train

#include "train/disk_plan.h"

#include <algorithm>
#include <limits>

#include "base/counted.h"
#include "train/memory_plan.h"

namespace dragoman::train {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// An amount in updates; unknown for target tokens, whose number per update varies.
double in_updates(const Amount& amount, double updates_per_epoch) {
  switch (amount.unit) {
    case Unit::updates: return amount.count;
    case Unit::epochs: return amount.count * updates_per_epoch;
    case Unit::tokens: return kUnknown;
  }
  return kUnknown;
}

// How often something happens every `interval` within `end` updates, at most.
double times(double end, const std::string& interval, double updates_per_epoch) {
  const Amount every = Amount::parse(interval);
  if (every.none()) return 0;
  const double updates = in_updates(every, updates_per_epoch);
  return updates == kUnknown ? end : std::min(end, end / updates);
}

}  // namespace

std::uint64_t checkpoints_at_once(const TrainOptions& options, double updates_per_epoch) {
  double end = kUnknown;
  for (const Amount& amount : parse_amounts(options.until))
    if (!amount.none()) end = std::min(end, in_updates(amount, updates_per_epoch));
  // Also one at the start and one at the end.
  const double saved =
      times(end, options.checkpoint, updates_per_epoch) + times(end, options.validate, updates_per_epoch) + 2;
  return static_cast<std::uint64_t>(std::min<double>(options.keep, saved)) + 1;
}

void check_disk(const DiskPlan& plan, const std::string& folder, std::uint64_t existing, std::uint64_t free) {
  const std::uint64_t needed = plan.total() - std::min(plan.total(), existing);
  check(needed <= free,
        "{}: {} are free there, but this run needs {} for up to {} of {} and a model of {}. Free some space, "
        "choose another --output, or keep fewer checkpoints (--keep)",
        folder, show_bytes(free), show_bytes(needed), counted(plan.checkpoints, "checkpoint"),
        show_bytes(plan.checkpoint), show_bytes(plan.model));
}

std::vector<std::pair<std::string, std::string>> describe(const DiskPlan& plan) {
  return {{"disk",
           fmt::format("{}: up to {} of {}, a model of {}", show_bytes(plan.total()),
                       counted(plan.checkpoints, "checkpoint"), show_bytes(plan.checkpoint), show_bytes(plan.model))}};
}

}  // namespace dragoman::train

#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dragoman::train {

Schedule::Schedule(const ScheduleOptions& options, std::vector<Amount> until)
    : options_(options), warmup_(Amount::parse(options.warmup)), until_(std::move(until)) {
  check(options.kind != ScheduleKind::inverse_sqrt || !warmup_.none(),
        "schedule.kind inverse-sqrt needs a warm-up: expected schedule.warmup, such as 4ku");
  const bool ends = std::any_of(until_.begin(), until_.end(), [](const Amount& end) { return !end.none(); });
  check(options.kind != ScheduleKind::cosine || ends,
        "schedule.kind cosine needs the end of training: expected an end, such as --until 10e");
  check(warmup_.none() || options.first <= options.rate, "schedule.first {} is above schedule.rate {}", options.first,
        options.rate);
}

double Schedule::rate(const Position& position) const {
  const double peak = options_.rate;
  const double warm = warmup_.none() ? 1 : warmup_.measure(position) / warmup_.count;
  if (warm < 1) return options_.first + (peak - options_.first) * warm;
  switch (options_.kind) {
    case ScheduleKind::constant: return peak;
    case ScheduleKind::inverse_sqrt: return peak / std::sqrt(warm);
    case ScheduleKind::cosine: break;
  }
  // The cosine runs from the end of the warm-up (`begin`) to the end of training, both as fractions of the run.
  const double share = std::min(share_done(until_, position), 1.0), begin = warmup_.none() ? 0 : share / warm;
  const double along = begin < 1 ? std::clamp((share - begin) / (1 - begin), 0.0, 1.0) : 1;
  return options_.last + (peak - options_.last) * 0.5 * (1 + std::cos(std::numbers::pi * along));
}

}  // namespace dragoman::train

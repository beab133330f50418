#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "train/units.h"

namespace dragoman::train {

enum class ScheduleKind { constant, inverse_sqrt, cosine };

// The learning rate during training. Every kind may begin with a linear warm-up.
struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::constant;
  double rate = 3e-4, first = 1e-7, last = 1e-6;
  std::string warmup = {};
  int plateau = 0;
  double plateau_factor = 0.5;

  template <class V>
  void visit(V& v) {
    v("kind", kind,
      "after the warm-up: constant, inverse-sqrt (falls with 1/sqrt(updates)), or cosine (half a period, down to "
      "`last`)");
    v("rate", rate, "peak learning rate", more_than(0));
    v("first", first, "learning rate at the start of the warm-up", at_least(0));
    v("last", last, "cosine: learning rate at the end of training", at_least(0));
    v("warmup", warmup, "length of the linear warm-up, such as 4ku; empty for none");
    v("plateau", plateau, "reduce the rate after this many validations without improvement; 0: never", at_least(0));
    v("plateau-factor", plateau_factor, "factor by which the rate is then multiplied", between(0, 1));
    v.only_if(
        "first", [this] { return !Amount::parse(warmup).none(); }, "there is no warm-up (--schedule.warmup)");
    v.only_if(
        "last", [this] { return kind == ScheduleKind::cosine; }, "only --schedule.kind cosine uses it");
    v.only_if(
        "plateau-factor", [this] { return plateau > 0; }, "it needs --schedule.plateau");
  }
};

// The learning rate as a function of the position alone.
class Schedule {
 public:
  // Training ends at the first of the amounts `until`.
  Schedule(const ScheduleOptions& options, std::vector<Amount> until);

  // For the update that ends at `position`.
  double rate(const Position& position) const;

 private:
  ScheduleOptions options_;
  Amount warmup_;
  std::vector<Amount> until_;
};

}  // namespace dragoman::train

template <>
struct dragoman::EnumNames<dragoman::train::ScheduleKind> {
  using ScheduleKind = dragoman::train::ScheduleKind;
  static constexpr std::pair<ScheduleKind, const char*> list[] = {{ScheduleKind::constant, "constant"},
                                                                  {ScheduleKind::inverse_sqrt, "inverse-sqrt"},
                                                                  {ScheduleKind::cosine, "cosine"}};
};

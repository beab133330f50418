#pragma once

#include <cstdint>

#include "base/options.h"

namespace dragoman::data {

enum class SplitBy { none, last, random };

// Which pairs of a corpus are held out for validation: none (validation has its own files), the last ones, or a random
// sample.
struct SplitOptions {
  SplitBy by = SplitBy::none;
  double share = 0.01;
  std::uint32_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("by", by, "which pairs to hold out for validation: none, the last ones or a random sample");
    v("share", share, "fraction of the pairs to hold out", between(0, 1));
    v("seed", seed, "random seed of the held-out pairs");
    v.only_if(
        "share", [this] { return by != SplitBy::none; }, "no pairs are held out (--split.by)");
    v.only_if(
        "seed", [this] { return by == SplitBy::random; }, "only --split.by random uses it");
  }
};

// A pure function of the pair's index (and, for `last`, of the number of pairs), so the two parts are disjoint
// regardless of order, threads and machine.
bool is_held_out(const SplitOptions& split, std::uint64_t index, std::uint64_t count);

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::SplitBy> {
  using SplitBy = dragoman::data::SplitBy;
  static constexpr std::pair<SplitBy, const char*> list[] = {
      {SplitBy::none, "none"}, {SplitBy::last, "last"}, {SplitBy::random, "random"}};
};

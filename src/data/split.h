#pragma once

#include <cstdint>

#include "base/options.h"

namespace dragoman::data {

enum class SplitBy { none, last, random };

// Which pairs of a corpus are held out for validation: none (validation has files of its own), the last share, or a
// random share.
struct SplitOptions {
  SplitBy by = SplitBy::none;
  double share = 0.01;
  std::uint32_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("by", by, "none, the last pairs, or random pairs");
    v("share", share, "share of the pairs held out", between(0, 1));
    v("seed", seed, "chooses the random pairs");
  }
};

// A pure function of the pair's index (and the number of pairs, for `last`), so the two parts never meet, whatever
// order, thread or machine asks.
bool is_held_out(const SplitOptions& split, std::uint64_t index, std::uint64_t count);

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::SplitBy> {
  using SplitBy = dragoman::data::SplitBy;
  static constexpr std::pair<SplitBy, const char*> list[] = {
      {SplitBy::none, "none"}, {SplitBy::last, "last"}, {SplitBy::random, "random"}};
};

#include "nn/relative_positions.h"

#include <algorithm>
#include <cmath>

namespace dragoman::nn {
namespace {

// Makes a weight 0 without making a difference of scores infinite.
constexpr double kMasked = -1e9;

}  // namespace

int relative_bucket(Size offset, bool both_sides, const RelativePositions& config) {
  int buckets = config.buckets, first = 0;
  if (both_sides) {
    buckets /= 2;
    if (offset > 0) first = buckets;
  }
  const Size distance = both_sides ? std::abs(offset) : std::max<Size>(-offset, 0);
  const int exact = buckets / 2;
  if (distance < exact) return first + static_cast<int>(distance);
  // In single precision, as the models of this kind were trained.
  const float share = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                      static_cast<float>(std::log(static_cast<double>(config.distance) / exact));
  return first + std::min(exact + static_cast<int>(share * static_cast<float>(buckets - exact)), buckets - 1);
}

RelativeBias::RelativeBias(Parameters& list, const std::string& name, Size heads, bool causal,
                           const RelativePositions& config)
    : config_(config), causal_(causal), table_(list.add(name + ".weight", {config.buckets, heads}, Init::normal(0.1))) {
  check(config.buckets >= 4 && config.distance > config.buckets / 2,
        "{}: expected at least 4 buckets and a distance of more than half of them, but got {} and {}", name,
        config.buckets, config.distance);
  if (!causal) return;
  mask_ = list.constant({2, heads}, [heads](Size first, Size count) {
    std::vector<double> rows;
    for (Size row = first; row < first + count; ++row)
      rows.insert(rows.end(), static_cast<std::size_t>(heads), row == 0 ? 0 : kMasked);
    return rows;
  });
}

Tensor RelativeBias::operator()(Context& cx, const PairLayout& pairs) const {
  const std::span<std::int32_t> buckets = cx.host_array<std::int32_t>(pairs.count);
  const std::span<std::int32_t> masked = cx.host_array<std::int32_t>(pairs.count);
  bool any_masked = false;
  std::size_t at = 0;
  for (Size s = 0; s < pairs.queries.count(); ++s) {
    const Size queries = pairs.queries.length(s), keys = pairs.keys.length(s);
    for (Size i = 0; i < queries; ++i)
      for (Size j = 0; j < keys; ++j, ++at) {
        const Size offset = j - (keys - queries + i);
        buckets[at] = relative_bucket(offset, !causal_, config_);
        masked[at] = causal_ && offset > 0 ? 1 : 0;
        any_masked = any_masked || masked[at] == 1;
      }
  }
  const Tensor bias = gather_rows(cx, table_, cx.from_host<std::int32_t>(buckets, {pairs.count}));
  if (!any_masked) return bias;
  return add(cx, bias, gather_rows(cx, mask_, cx.from_host<std::int32_t>(masked, {pairs.count})));
}

}  // namespace dragoman::nn

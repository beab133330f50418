#include "tensor/packed.h"

#include <algorithm>
#include <limits>

namespace dragoman {
namespace {

Tensor to_device(const Context& cx, std::span<const std::int32_t> values) {
  return cx.from_host<std::int32_t>(values, {std::ssize(values)});
}

}  // namespace

Segments Segments::from_offsets(const Context& cx, std::span<const std::int32_t> offsets) {
  check(!offsets.empty() && offsets[0] == 0, "[segments] offsets must start with 0");
  const std::span<std::int32_t> host = cx.host_array<std::int32_t>(std::ssize(offsets));
  std::copy(offsets.begin(), offsets.end(), host.begin());
  Segments segments;
  segments.host_ = host.data();
  segments.count_ = std::ssize(offsets) - 1;
  segments.total_ = offsets.back();
  for (Size s = 0; s < segments.count_; ++s) {
    check(segments.length(s) >= 0, "[segments] offsets decrease from {} to {} at sentence {}", host[s], host[s + 1], s);
    segments.longest_ = std::max(segments.longest_, segments.length(s));
  }
  segments.offsets_ = to_device(cx, host);
  return segments;
}

Segments Segments::from_lengths(const Context& cx, std::span<const std::int32_t> lengths) {
  const std::span<std::int32_t> offsets = cx.host_array<std::int32_t>(std::ssize(lengths) + 1);
  offsets[0] = 0;
  for (std::size_t s = 0; s < lengths.size(); ++s) offsets[s + 1] = offsets[s] + lengths[s];
  return from_offsets(cx, offsets);
}

Segments Segments::first(Size count) const {
  Segments prefix = *this;
  prefix.count_ = count;
  prefix.total_ = host_[count];
  prefix.offsets_ = offsets_.reshaped({count_ + 1, 1}).row_view(0, count + 1);
  prefix.longest_ = 0;
  for (Size s = 0; s < count; ++s) prefix.longest_ = std::max(prefix.longest_, length(s));
  return prefix;
}

Packed Packed::from_host(const Context& cx, std::span<const std::int32_t> tokens,
                         std::span<const std::int32_t> offsets) {
  Packed packed{to_device(cx, tokens), Segments::from_offsets(cx, offsets)};
  check(packed.rows.total() == packed.tokens.count(), "[packed] offsets end at {} but there are {} tokens",
        packed.rows.total(), packed.tokens.count());
  if (tokens.empty()) return packed;
  // Local variables, which cannot alias the tokens, and two loops: this way compilers vectorise.
  std::int32_t lowest = tokens[0], highest = tokens[0];
  for (const std::int32_t id : tokens) lowest = std::min(lowest, id);
  for (const std::int32_t id : tokens) highest = std::max(highest, id);
  packed.lowest = lowest;
  packed.highest = highest;
  return packed;
}

void Packed::check_ids(Size vocabulary) const {
  if (tokens.count() == 0) return;
  check(lowest >= 0 && highest < vocabulary, "[packed] token id {} is outside a vocabulary of {} ids (0 to {})",
        lowest < 0 ? lowest : highest, vocabulary, vocabulary - 1);
}

TimeOrder TimeOrder::of(const Context& cx, const Segments& rows) {
  // A counting sort. active[t] is the number of sentences longer than t, and therefore the place in `order` at which
  // the sentences of length t start.
  const std::span<std::int32_t> active = cx.host_array<std::int32_t>(rows.longest() + 1);
  std::fill(active.begin(), active.end(), 0);
  for (Size s = 0; s < rows.count(); ++s)
    if (rows.length(s) > 0) ++active[static_cast<std::size_t>(rows.length(s) - 1)];
  for (Size t = rows.longest() - 1; t > 0; --t) active[t - 1] += active[t];
  const std::span<std::int32_t> next = cx.host_array<std::int32_t>(rows.longest() + 1);
  std::copy(active.begin(), active.end(), next.begin());
  const std::span<std::int32_t> order = cx.host_array<std::int32_t>(rows.count());
  for (Size s = 0; s < rows.count(); ++s) order[next[rows.length(s)]++] = static_cast<std::int32_t>(s);
  return {to_device(cx, order), order, active.first(static_cast<std::size_t>(rows.longest()))};
}

PairLayout PairLayout::of(const Context& cx, const Segments& queries, const Segments& keys) {
  check(queries.count() == keys.count(), "[attention] queries have {} sentences but keys have {}", queries.count(),
        keys.count());
  const std::span<std::int32_t> starts = cx.host_array<std::int32_t>(queries.total() + 1);
  Size at = 0, row = 0;
  for (Size s = 0; s < queries.count(); ++s)
    for (Size i = 0; i < queries.length(s); ++i, at += keys.length(s)) starts[row++] = static_cast<std::int32_t>(at);
  starts[row] = static_cast<std::int32_t>(at);
  check(at <= std::numeric_limits<std::int32_t>::max(), "[attention] too many pairs of queries and keys: {}", at);
  return {queries, keys, to_device(cx, starts), starts, at};
}

}  // namespace dragoman

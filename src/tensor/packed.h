#pragma once

#include <span>

#include "tensor/context.h"

namespace dragoman {

// The rows of each sentence in a packed array without padding: sentence s has rows offsets[s] .. offsets[s + 1].
class Segments {
 public:
  Segments() = default;
  // Offsets start at 0 and never decrease.
  static Segments from_offsets(const Context& cx, std::span<const std::int32_t> offsets);
  static Segments from_lengths(const Context& cx, std::span<const std::int32_t> lengths);

  // The first `count` sentences.
  Segments first(Size count) const;

  Size count() const { return count_; }      // sentences
  Size total() const { return total_; }      // rows of all sentences
  Size longest() const { return longest_; }  // rows of the longest
  Size begin(Size sentence) const { return host_[sentence]; }
  Size length(Size sentence) const { return host_[sentence + 1] - host_[sentence]; }

  const std::int32_t* host() const { return host_; }
  const Tensor& offsets() const { return offsets_; }  // i32 [count + 1], on the device

 private:
  const std::int32_t* host_ = nullptr;
  Tensor offsets_;
  Size count_ = 0, total_ = 0, longest_ = 0;
};

// Token ids of a batch of sentences, one after the other.
struct Packed {
  Tensor tokens;  // i32 [N]
  Segments rows;
  std::int32_t lowest = 0, highest = -1;  // bounds of the ids, computed on the host; as here if there are no tokens

  static Packed from_host(const Context& cx, std::span<const std::int32_t> tokens,
                          std::span<const std::int32_t> offsets);
  // Throws unless every id is in [0, vocabulary). Compares only the two bounds, so it works for any device.
  void check_ids(Size vocabulary) const;
};

// The time-major order of the same rows, for recurrent layers: sentences sorted by length, longest first, so that step
// t works on the first active[t] sentences of `order`.
struct TimeOrder {
  Tensor order;                              // i32 [sentences], on the device
  std::span<const std::int32_t> host_order;  // the same, on the host
  std::span<const std::int32_t> active;      // one per step, on the host

  static TimeOrder of(const Context& cx, const Segments& rows);
};

// The ragged layout of one number per (query, key) pair of the same sentence: sentence after sentence, [nq, nk] each,
// without padding. Query r has the elements starts[r] .. starts[r + 1].
struct PairLayout {
  Segments queries, keys;
  Tensor starts;                              // i32 [queries.total() + 1], on the device
  std::span<const std::int32_t> host_starts;  // the same, on the host
  Size count = 0;

  static PairLayout of(const Context& cx, const Segments& queries, const Segments& keys);
};

}  // namespace dragoman

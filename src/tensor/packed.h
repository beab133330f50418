#pragma once

#include <span>

#include "tensor/context.h"

namespace dragoman {

// Which rows of a packed array belong to which sentence: rows offsets[s] .. offsets[s + 1]. No padding, anywhere.
class Segments {
 public:
  Segments() = default;
  // Offsets begin with 0 and never fall.
  static Segments from_offsets(const Context& cx, std::span<const std::int32_t> offsets);
  static Segments from_lengths(const Context& cx, std::span<const std::int32_t> lengths);

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

  static Packed from_host(const Context& cx, std::span<const std::int32_t> tokens,
                          std::span<const std::int32_t> offsets);
};

// The order in which a recurrent layer walks the same rows: step t works on the first active[t] sentences of `order`,
// longest first.
struct TimeOrder {
  Tensor order;                          // i32 [sentences], on the device
  std::span<const std::int32_t> active;  // one a step, on the host

  static TimeOrder of(const Context& cx, const Segments& rows);
};

// The layout of one number for every (query, key) pair of the same sentence: sentence after sentence, [nq, nk] each,
// no padding. Row r of all queries is elements starts[r] .. starts[r + 1].
struct PairLayout {
  Segments queries, keys;
  Tensor starts;  // i32 [queries.total() + 1]
  Size count = 0;

  static PairLayout of(const Context& cx, const Segments& queries, const Segments& keys);
};

}  // namespace dragoman

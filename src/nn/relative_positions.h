#pragma once

#include <string>

#include "nn/parameters.h"

namespace dragoman::nn {

struct RelativePositions {
  int buckets = 32;
  int distance = 128;  // farther keys share the last bucket
};

// The bucket of a key `offset` positions after its query (Raffel et al. 2020): one bucket per offset for close keys,
// then buckets whose width grows with the logarithm of the distance. With `both_sides` half of the buckets are for keys
// after the query; otherwise such keys fall into the first one.
int relative_bucket(Size offset, bool both_sides, const RelativePositions& config);

// Learned terms of attention scores that depend on the distance of query and key, one per bucket and head; all layers
// of an encoder or decoder share them.
class RelativeBias {
 public:
  RelativeBias() = default;
  RelativeBias(Parameters& list, const std::string& name, Size heads, bool causal, const RelativePositions& config);

  bool defined() const { return table_.defined(); }
  // [pairs, heads]: the terms of every pair. The queries are the last rows of the keys' sentences. Keys after the query
  // are masked if the attention is causal.
  Tensor operator()(Context& cx, const PairLayout& pairs) const;

 private:
  RelativePositions config_;
  bool causal_ = false;
  Parameter table_;  // [buckets, heads]
  Parameter mask_;   // [2, heads]: added to visible and to masked keys
};

}  // namespace dragoman::nn

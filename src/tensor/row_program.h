#pragma once

#include <tuple>
#include <vector>

#include "tensor/ops.h"

namespace dragoman {

// A chain of ops in which no row depends on another, computed by one call of the contract (kernels::RowProgram): on a
// GPU a step of a Transformer's decoder becomes one launch. A model calls these members instead of the ops of the same
// names. They gather the calls; the results have values only after run(). Any other op that reads such a result takes
// its context from run(): `rotate(program.run(), x, ...)`.
//
// An op that does not continue the chain first runs the gathered calls; it then begins a new chain or is computed at
// once. If the context records gradients, applies dropout or checks results, every op is computed at once.
class RowProgram {
 public:
  explicit RowProgram(Context& cx) : cx_(cx), gathers_(!cx.recording() && !cx.dropping() && !cx.checked()) {}
  RowProgram(const RowProgram&) = delete;
  RowProgram& operator=(const RowProgram&) = delete;

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, const LinearOptions& options = {});
  // x was computed before the chain began, or is a result of residual_norm.
  Residual residual_norm(const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm);
  // Keys and values were computed before the chain began; with options.key_rows a query may also read its own row of q.
  Attended attention(const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                     const Segments& keys, const AttentionOptions& options = {});
  Tensor dropout(const Tensor& x, double rate);

  // Runs the gathered calls.
  Context& run();

 private:
  template <class T>
  using Parts = std::vector<kernels::RowPart<T>>;

  // Whether the chain continues with an op that reads x.
  bool continues(const Tensor& x) const { return last_.defined() && last_.raw() == x.raw(); }
  bool continues_after_layer(const Tensor& x) const { return after_layer_ && continues(x); }
  template <class Call>
  void add(const Call& call, const Tensor& result, bool is_layer);

  Context& cx_;
  bool gathers_;
  std::tuple<Parts<float>, Parts<double>, Parts<kernels::bf16>> parts_;  // only one of the three is used
  Tensor last_;               // the result of the last part; undefined if there is none
  bool after_layer_ = false;  // the last part is a layer
};

// The temporaries of a row of layers on the host, in inference. They are returned to the arena after each part of a
// layer, so that the next one finds its memory in the cache.
class LayerMemory {
 public:
  explicit LayerMemory(const Context& cx);
  ~LayerMemory();
  LayerMemory(const LayerMemory&) = delete;
  LayerMemory& operator=(const LayerMemory&) = delete;

  // Whether it releases anything: on a GPU, and where gradients are recorded, it does not.
  bool releases() const { return releases_; }
  // Call after a part. Only what `kept` and `also_kept` say and what was allocated before the first part may be read
  // from now on.
  void release_all_but(RowProgram& program, std::initializer_list<Tensor> kept,
                       std::span<const Tensor> also_kept = {}) const;

 private:
  const Context& cx_;
  bool releases_;
};

}  // namespace dragoman

#include "tensor/row_program.h"

#include "tensor/ops/calls.h"

namespace dragoman {

Tensor RowProgram::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const LinearOptions& options) {
  if (!gathers_ || !weight.packed() || !options.transposed) return dragoman::linear(run(), x, weight, bias, options);
  if (!continues(x)) run();
  const ops::LinearCall call = ops::linear_call(cx_, x, weight, bias, options);
  add(call, call.y, true);
  return call.y;
}

Residual RowProgram::residual_norm(const Tensor& x, const Tensor& branch, double dropout, const NormParameters& norm) {
  if (!continues_after_layer(branch)) return dragoman::residual_norm(run(), x, branch, dropout, norm);
  const ops::NormCall call = ops::norm_call(cx_, "residual_norm", x, branch, dropout, norm);
  add(call, call.y, false);
  return {call.sum, call.y};
}

Attended RowProgram::attention(const Columns& q, const Columns& k, const Columns& v, const Segments& queries,
                               const Segments& keys, const AttentionOptions& options) {
  if (!continues_after_layer(q.of) || q.first != 0) return dragoman::attention(run(), q, k, v, queries, keys, options);
  const ops::AttentionCall call = ops::attention_call(cx_, q, k, v, queries, keys, options);
  add(call, call.out, false);
  return {call.out, call.weights};
}

Tensor RowProgram::dropout(const Tensor& x, double rate) {
  return gathers_ ? x : dragoman::dropout(cx_, x, rate);  // with dropout, nothing is gathered
}

Context& RowProgram::run() {
  if (!last_.defined()) return cx_;
  cx_.run(last_.dtype(), [&]<class T>(const kernels::Kernels<T>& k) {
    Parts<T>& parts = std::get<Parts<T>>(parts_);
    k.row_program({.count = std::ssize(parts), .parts = parts.data()});
    parts.clear();
  });
  last_ = Tensor();
  after_layer_ = false;
  return cx_;
}

template <class Call>
void RowProgram::add(const Call& call, const Tensor& result, bool is_layer) {
  cx_.run(result.dtype(), [&]<class T>(const kernels::Kernels<T>&) {
    std::get<Parts<T>>(parts_).push_back(call.template arguments<T>());
  });
  last_ = result;
  after_layer_ = is_layer;
}

LayerMemory::LayerMemory(const Context& cx) : cx_(cx), releases_(!cx.recording() && cx.device().on_host()) {
  if (releases_) cx.arena().begin_list();
}

LayerMemory::~LayerMemory() {
  if (releases_) cx_.arena().end_list();
}

void LayerMemory::release_all_but(RowProgram& program, std::initializer_list<Tensor> kept,
                                  std::span<const Tensor> also_kept) const {
  if (!releases_) return;
  program.run();
  std::vector<const void*> memory;
  for (const Tensor& tensor : kept) memory.push_back(tensor.raw());
  for (const Tensor& tensor : also_kept) memory.push_back(tensor.raw());
  cx_.arena().release_listed(memory);
}

}  // namespace dragoman

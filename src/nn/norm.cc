#include "nn/norm.h"

namespace dragoman::nn {

Norm::Norm(Parameters& list, const std::string& name, Size size, const NormConfig& config)
    : config_(config), gain_(list.add(name + ".weight", {size}, Init::ones())) {
  if (config.kind == NormKind::layer) {
    bias_ = list.add(name + ".bias", {size}, Init::zeros());
    return;
  }
  const auto filled = [&](double value) {
    return list.constant({1, 2 * size}, [size, value](Size, Size count) {
      return std::vector<double>(static_cast<std::size_t>(count * 2 * size), value);
    });
  };
  ones_ = filled(1);
  zeros_ = filled(0);
}

Tensor Norm::operator()(Context& cx, const Tensor& x) const {
  return config_.kind == NormKind::rms ? rms(cx, x) : layer_norm(cx, x, {gain_, bias_, config_.epsilon});
}

Residual Norm::add(RowProgram& program, const Tensor& x, const Tensor& branch, double dropout) const {
  if (config_.kind == NormKind::layer)
    return program.residual_norm(x, branch, dropout, {gain_, bias_, config_.epsilon});
  Context& cx = program.run();
  const Tensor sum = dragoman::add(cx, x, dragoman::dropout(cx, branch, dropout));
  return {sum, rms(cx, sum)};
}

// The row [x, -x] has mean 0 and, as its variance, the mean square of x. Its layer norm is therefore x over its root
// mean square, twice.
Tensor Norm::rms(Context& cx, const Tensor& x) const {
  const Size size = x.cols();
  const Tensor both[] = {x, scale(cx, x, -1)};
  const Tensor normalised = layer_norm(cx, concat_columns(cx, both), {ones_, zeros_, config_.epsilon});
  const Tensor gains = gather_rows(cx, gain_.tensor().reshaped({1, size}), cx.zeros(DType::i32, {x.rows()}));
  return multiply(cx, slice_columns(cx, normalised, 0, size), gains);
}

}  // namespace dragoman::nn

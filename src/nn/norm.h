#pragma once

#include <string>

#include "base/options.h"
#include "nn/parameters.h"
#include "tensor/row_program.h"

namespace dragoman::nn {

enum class NormKind {
  layer,  // (x - mean) / sqrt(variance + epsilon) * gain + bias (Ba et al. 2016)
  rms     // x / sqrt(mean of x^2 + epsilon) * gain (Zhang and Sennrich 2019)
};

struct NormConfig {
  NormKind kind = NormKind::layer;
  double epsilon = 1e-5;
};

// Normalises every row.
class Norm {
 public:
  Norm() = default;
  Norm(Parameters& list, const std::string& name, Size size, const NormConfig& config = {});

  Tensor operator()(Context& cx, const Tensor& x) const;
  // x + dropout(branch) and its norm.
  Residual add(RowProgram& program, const Tensor& x, const Tensor& branch, double dropout) const;

 private:
  Tensor rms(Context& cx, const Tensor& x) const;

  NormConfig config_;
  Parameter gain_, bias_;
  Parameter ones_, zeros_;  // rms only: gain and bias of the layer norm that computes it
};

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::NormKind> {
  static constexpr std::pair<nn::NormKind, const char*> list[] = {{nn::NormKind::layer, "layer"},
                                                                  {nn::NormKind::rms, "rms"}};
};
}  // namespace dragoman

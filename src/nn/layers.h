#pragma once

#include <cmath>
#include <string>

#include "nn/parameters.h"
#include "tensor/row_program.h"

// The smallest layer: a matrix and a vector.
namespace dragoman::nn {

// y = activation(x W^T + b), W [out, in].
class Linear {
 public:
  Linear() = default;
  Linear(Parameters& list, const std::string& name, Size in, Size out, bool bias = true, Init init = Init::glorot())
      : weight_(list.add(name + ".weight", {out, in}, init)),
        bias_(bias ? list.add(name + ".bias", {out}, Init::zeros()) : Parameter()) {
    weight_.mark_multiplied();
  }
  // Over existing parameters: tied weights, rows of a larger matrix.
  Linear(Parameter weight, Parameter bias) : weight_(weight), bias_(bias) { weight_.mark_multiplied(); }

  Tensor operator()(Context& cx, const Tensor& x, Activation activation = Activation::none) const {
    return linear(cx, x, weight_, bias(), {.activation = activation});
  }
  // Writes to `into` unless it is undefined.
  Tensor operator()(Context& cx, const Tensor& x, const Tensor& into) const {
    return linear(cx, x, weight_, bias(), {.into = into});
  }
  // The same as part of a row program.
  Tensor operator()(RowProgram& program, const Tensor& x, Activation activation = Activation::none) const {
    return program.linear(x, weight_, bias(), {.activation = activation});
  }
  Tensor operator()(RowProgram& program, const Tensor& x, const Tensor& into) const {
    return program.linear(x, weight_, bias(), {.into = into});
  }
  const Tensor& weight() const { return weight_; }
  Tensor bias() const { return bias_.defined() ? bias_.tensor() : Tensor(); }
  bool defined() const { return weight_.defined(); }

 private:
  Parameter weight_, bias_;
};

}  // namespace dragoman::nn

#include "kernels/cuda/cuda.h"

#include "kernels/cuda/filling.h"

namespace dragoman::kernels::cuda {
namespace {

template <class T>
Kernels<T> filled() {
  Kernels<T> kernels("cuda");
  fill_linear(kernels);
  fill_packed(kernels);
  fill_matmul(kernels);
  fill_project_length(kernels);
  fill_rows(kernels);
  fill_norm(kernels);
  fill_softmax(kernels);
  fill_attention(kernels);
  fill_lstm(kernels);
  fill_ssru(kernels);
  fill_steps(kernels);
  fill_row_program(kernels);
  fill_elementwise(kernels);
  fill_optimiser(kernels);
  return kernels;
}

}  // namespace

const Kernels<float>& f32() {
  static const Kernels<float> kernels = filled<float>();
  return kernels;
}

const Kernels<bf16>& half() {
  static const Kernels<bf16> kernels = filled<bf16>();
  return kernels;
}

const Kernels<double>& wide() {
  static const Kernels<double> kernels = [] {
    Kernels<double> made("cuda");
    fill_optimiser(made);
    return made;
  }();
  return kernels;
}

}  // namespace dragoman::kernels::cuda

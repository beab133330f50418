#include "kernels/reference/reference.h"

#include "kernels/fillings.h"

namespace dragoman::kernels {

template <class T>
const Kernels<T>& reference() {
  static const Kernels<T> filled = [] {
    Kernels<T> kernels("reference");
    reference_filling::fill_linear(kernels);
    reference_filling::fill_linear_packed(kernels);
    reference_filling::fill_top_scores(kernels);
    reference_filling::fill_project_length(kernels);
    reference_filling::fill_rows(kernels);
    reference_filling::fill_norm(kernels);
    reference_filling::fill_softmax(kernels);
    reference_filling::fill_attention(kernels);
    reference_filling::fill_lstm(kernels);
    reference_filling::fill_ssru(kernels);
    reference_filling::fill_steps(kernels);
    reference_filling::fill_elementwise(kernels);
    reference_filling::fill_optimiser(kernels);
    return kernels;
  }();
  return filled;
}

template const Kernels<float>& reference<float>();
template const Kernels<double>& reference<double>();

}  // namespace dragoman::kernels

#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void project_length(const ProjectLength<T>& a) {
  for (Size s = 0; s < a.sentences; ++s)
    for (Size i = 0; i < a.mixtures; ++i)
      for (Size c = 0; c < a.cols(); ++c) {
        const T* projection = a.projections[c / a.size] + i * a.length;
        T sum = 0;
        for (Size row = a.offsets[s]; row < a.offsets[s + 1]; ++row)
          sum += projection[row - a.offsets[s]] * a.x[row * a.x_stride + c];
        a.y[(s * a.mixtures + i) * a.cols() + c] = sum;
      }
}

// With P the first n columns of a projection, Y = P X of every sentence gives  dX = P^T dY  and  dP += dY X^T.
template <class T>
void project_length_backward(const ProjectLengthBackward<T>& b) {
  const ProjectLength<T>& a = b.forward;
  for (Size s = 0; s < a.sentences; ++s) {
    const T* dy = b.dy + s * a.mixtures * a.cols();
    for (Size row = a.offsets[s]; row < a.offsets[s + 1]; ++row) {
      const Size j = row - a.offsets[s];
      if (b.dx)
        for (Size c = 0; c < a.cols(); ++c) {
          T sum = 0;
          for (Size i = 0; i < a.mixtures; ++i)
            sum += a.projections[c / a.size][i * a.length + j] * dy[i * a.cols() + c];
          put(b.dx[row * b.dx_stride + c], sum, b.accumulate_dx);
        }
      for (Size p = 0; p < a.parts(); ++p)
        for (Size i = 0; b.dprojections[p] && i < a.mixtures; ++i) {
          Stat<T> sum = 0;
          for (Size c = p * a.size; c < (p + 1) * a.size; ++c) sum += dy[i * a.cols() + c] * a.x[row * a.x_stride + c];
          b.dprojections[p][i * a.length + j] += sum;
        }
    }
  }
}

}  // namespace

template <class T>
void fill_project_length(Kernels<T>& kernels) {
  kernels.project_length = project_length<T>;
  kernels.project_length_backward = project_length_backward<T>;
}

template void fill_project_length(Kernels<float>&);
template void fill_project_length(Kernels<double>&);

}  // namespace dragoman::kernels::reference_filling

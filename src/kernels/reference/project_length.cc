#include "kernels/reference/reference.h"

namespace dragoman::kernels::reference_filling {
namespace {

template <class T>
void project_length(const ProjectLength<T>& a) {
  for (Size p = 0; p < a.parts(); ++p)
    for (Size s = 0; s < a.sentences; ++s)
      for (Size i = 0; i < a.mixtures; ++i)
        for (Size c = 0; c < a.size; ++c) {
          const T* projection = a.projections[p] + i * a.length;
          T sum = 0;
          for (Size row = a.offsets[s]; row < a.offsets[s + 1]; ++row)
            sum += projection[row - a.offsets[s]] * a.x[row * a.x_stride + c];
          a.y[p][(s * a.mixtures + i) * a.size + c] = sum;
        }
}

// Gradient of row j of a sentence.
template <class T>
void row_backward(const ProjectLengthBackward<T>& b, Size sentence, Size j) {
  const ProjectLength<T>& a = b.forward;
  const Size row = a.offsets[sentence] + j, first = sentence * a.mixtures * a.size;
  for (Size c = 0; b.dx && c < a.size; ++c) {
    T sum = 0;
    for (Size p = 0; p < a.parts(); ++p)
      for (Size i = 0; b.dy[p] && i < a.mixtures; ++i)
        sum += a.projections[p][i * a.length + j] * b.dy[p][first + i * a.size + c];
    put(b.dx[row * b.dx_stride + c], sum, b.accumulate_dx);
  }
  for (Size p = 0; p < a.parts(); ++p)
    for (Size i = 0; b.dy[p] && b.dprojections[p] && i < a.mixtures; ++i) {
      Stat<T> sum = 0;
      for (Size c = 0; c < a.size; ++c) sum += b.dy[p][first + i * a.size + c] * a.x[row * a.x_stride + c];
      b.dprojections[p][i * a.length + j] += sum;
    }
}

// With P the first n columns of a projection and Y = P X for each sentence:  dP += dY X^T;  dX = P^T dY, summed over
// the projections.
template <class T>
void project_length_backward(const ProjectLengthBackward<T>& b) {
  const ProjectLength<T>& a = b.forward;
  for (Size s = 0; s < a.sentences; ++s)
    for (Size j = 0; j < a.offsets[s + 1] - a.offsets[s]; ++j) row_backward(b, s, j);
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

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/product.h"

// How the work is cut depends on sizes alone, so every number of threads gives the same bits.
namespace dragoman::kernels::cpu_filling {
namespace {

// A sentence's rows of some columns that share a projection.
struct Stretch {
  Size sentence, part, first_row, rows, col, cols;
};

// Calls f(stretch) for all sentences and columns, on all threads; long sentences are cut into narrow stretches.
template <class F>
void each_stretch(const ProjectLength<float>& a, F&& f) {
  constexpr Size kNarrow = 64;
  const Size most = std::max<Size>(1, a.size / kNarrow);
  const Size cuts = std::clamp<Size>(a.mixtures * a.longest * a.size / (4 * kProductGrain), 1, most);
  const Size each = (a.size + cuts - 1) / cuts, pieces = a.parts() * cuts;
  threads::each(a.sentences * pieces, [&](Size item) {
    const Size s = item / pieces, part = item % pieces / cuts, first = item % cuts * each;
    const Size cols = std::min(each, a.size - first);
    if (cols > 0) f(Stretch{s, part, a.offsets[s], a.offsets[s + 1] - a.offsets[s], part * a.size + first, cols});
  });
}

void project_length(const ProjectLength<float>& a) {
  each_stretch(a, [&](const Stretch& at) {
    MatrixProduct product{.m = a.mixtures, .n = at.cols, .k = at.rows};
    product.a = a.projections[at.part], product.a_stride = a.length;
    product.b = a.x + at.first_row * a.x_stride + at.col, product.b_stride = a.x_stride;
    product.c = a.y + at.sentence * a.mixtures * a.cols() + at.col, product.c_stride = a.cols();
    multiply(product);
  });
}

// Some columns of a projection's gradient: the sum over the sentences that reach them.
void add_projection_gradient(const ProjectLengthBackward<float>& b, Size part, Size begin, Size end) {
  const ProjectLength<float>& a = b.forward;
  for (Size s = 0; s < a.sentences; ++s) {
    const Size first = a.offsets[s] + begin, last = std::min<Size>(a.offsets[s + 1], a.offsets[s] + end);
    if (first >= last) continue;
    MatrixProduct product{.m = a.mixtures, .n = last - first, .k = a.size};
    product.a = b.dy + s * a.mixtures * a.cols() + part * a.size, product.a_stride = a.cols();
    product.b = a.x + first * a.x_stride + part * a.size, product.b_stride = a.x_stride;
    product.transposed_b = true;
    product.c = b.dprojections[part] + begin, product.c_stride = a.length, product.beta = 1;
    multiply(product);
  }
}

void project_length_backward(const ProjectLengthBackward<float>& b) {
  const ProjectLength<float>& a = b.forward;
  if (b.dx)
    each_stretch(a, [&](const Stretch& at) {
      MatrixProduct product{.m = at.rows, .n = at.cols, .k = a.mixtures};
      product.a = a.projections[at.part], product.a_stride = a.length, product.transposed_a = true;
      product.b = b.dy + at.sentence * a.mixtures * a.cols() + at.col, product.b_stride = a.cols();
      product.c = b.dx + at.first_row * b.dx_stride + at.col, product.c_stride = b.dx_stride;
      product.beta = b.accumulate_dx ? 1 : 0;
      multiply(product);
    });
  constexpr Size kColumns = 32;
  const Size blocks = (a.longest + kColumns - 1) / kColumns;
  threads::each(a.parts() * blocks, [&](Size item) {
    const Size part = item / blocks, begin = item % blocks * kColumns;
    if (b.dprojections[part]) add_projection_gradient(b, part, begin, std::min(a.longest, begin + kColumns));
  });
}

}  // namespace

void fill_project_length(Kernels<float>& kernels) {
  kernels.project_length = project_length;
  kernels.project_length_backward = project_length_backward;
}

}  // namespace dragoman::kernels::cpu_filling

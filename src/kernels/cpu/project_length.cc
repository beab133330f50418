#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/product.h"

// The products of a sentence depend only on its own length, so its bits are the same for any number of threads and
// among any other sentences.
namespace dragoman::kernels::cpu_filling {
namespace {

// A range of columns of one sentence's rows.
struct ColumnRange {
  Size sentence, first_row, rows, col, cols;
};

// Calls f(range) for all sentences and columns, in parallel; long sentences are split into narrow column ranges. Both
// projections of a range are multiplied while it is in the cache.
template <class F>
void each_range(const ProjectLength<float>& a, F&& f) {
  constexpr Size kNarrow = 64;
  const Size most = std::max<Size>(1, a.size / kNarrow);
  threads::each(a.sentences * most, [&](Size item) {
    const Size s = item / most, rows = a.offsets[s + 1] - a.offsets[s];
    const Size cuts = std::clamp<Size>(a.parts() * a.mixtures * rows * a.size / (4 * kProductGrain), 1, most);
    const Size each = (a.size + cuts - 1) / cuts, first = item % most * each, cols = std::min(each, a.size - first);
    if (cols > 0) f(ColumnRange{s, a.offsets[s], rows, first, cols});
  });
}

void project_length(const ProjectLength<float>& a) {
  each_range(a, [&](const ColumnRange& at) {
    for (Size part = 0; part < a.parts(); ++part) {
      MatrixProduct product{.m = a.mixtures, .n = at.cols, .k = at.rows};
      product.a = a.projections[part], product.a_stride = a.length;
      product.b = a.x + at.first_row * a.x_stride + at.col, product.b_stride = a.x_stride;
      product.c = a.y[part] + at.sentence * a.mixtures * a.size + at.col, product.c_stride = a.size;
      multiply(product);
    }
  });
}

// The gradient of some columns of a projection: the sum over the sentences that are long enough.
void add_projection_gradient(const ProjectLengthBackward<float>& b, Size part, Size begin, Size end) {
  const ProjectLength<float>& a = b.forward;
  for (Size s = 0; s < a.sentences; ++s) {
    const Size first = a.offsets[s] + begin, last = std::min<Size>(a.offsets[s + 1], a.offsets[s] + end);
    if (first >= last) continue;
    MatrixProduct product{.m = a.mixtures, .n = last - first, .k = a.size};
    product.a = b.dy[part] + s * a.mixtures * a.size, product.a_stride = a.size;
    product.b = a.x + first * a.x_stride, product.b_stride = a.x_stride;
    product.transposed_b = true;
    product.c = b.dprojections[part] + begin, product.c_stride = a.length, product.beta = 1;
    multiply(product);
  }
}

void project_length_backward(const ProjectLengthBackward<float>& b) {
  const ProjectLength<float>& a = b.forward;
  if (b.dx)
    each_range(a, [&](const ColumnRange& at) {
      for (Size part = 0; part < a.parts(); ++part) {
        MatrixProduct product{.m = at.rows, .n = at.cols, .k = b.dy[part] ? a.mixtures : 0};
        product.a = a.projections[part], product.a_stride = a.length, product.transposed_a = true;
        if (b.dy[part]) product.b = b.dy[part] + at.sentence * a.mixtures * a.size + at.col;
        product.b_stride = a.size;
        product.c = b.dx + at.first_row * b.dx_stride + at.col, product.c_stride = b.dx_stride;
        product.beta = part > 0 || b.accumulate_dx ? 1 : 0;
        multiply(product);
      }
    });
  constexpr Size kColumns = 32;
  const Size blocks = (a.longest + kColumns - 1) / kColumns;
  threads::each(a.parts() * blocks, [&](Size item) {
    const Size part = item / blocks, begin = item % blocks * kColumns;
    if (b.dy[part] && b.dprojections[part])
      add_projection_gradient(b, part, begin, std::min(a.longest, begin + kColumns));
  });
}

}  // namespace

void fill_project_length(Kernels<float>& kernels) {
  kernels.project_length = project_length;
  kernels.project_length_backward = project_length_backward;
}

}  // namespace dragoman::kernels::cpu_filling

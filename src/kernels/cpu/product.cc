#include "kernels/cpu/product.h"

#include "kernels/cpu/bf16_product.h"
#include "kernels/cpu/blas.h"
#include "kernels/cpu/split_product.h"

namespace dragoman::kernels::cpu_filling {
namespace {

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

// BLAS requires a stride of at least the row length, even for a matrix of one row.
blasint stride(Size given, Size cols) { return static_cast<blasint>(std::max<Size>({given, cols, 1})); }

// c = beta c: a product with k = 0.
void scale_result(const MatrixProduct& p) {
  for (Size i = 0; i < p.m; ++i)
    for (Size j = 0; j < p.n; ++j) {
      float& c = p.c[i * p.c_stride + j];
      c = p.beta == 0 ? 0 : p.beta * c;
    }
}

// One row of c: c = alpha op(b)^T a + beta c.
void multiply_row(const MatrixProduct& p) {
  const Size rows = p.transposed_b ? p.n : p.k, cols = p.transposed_b ? p.k : p.n;
  const auto step = static_cast<blasint>(p.transposed_a ? std::max<Size>(p.a_stride, 1) : 1);
  BlasCall()->sgemv(CblasRowMajor, order(!p.transposed_b), static_cast<blasint>(rows), static_cast<blasint>(cols),
                    p.alpha, p.b, stride(p.b_stride, cols), p.a, step, p.beta, p.c, 1);
}

// One column of c: c = alpha op(a) b + beta c.
void multiply_column(const MatrixProduct& p) {
  const Size rows = p.transposed_a ? p.k : p.m, cols = p.transposed_a ? p.m : p.k;
  const auto step = static_cast<blasint>(p.transposed_b ? 1 : std::max<Size>(p.b_stride, 1));
  BlasCall()->sgemv(CblasRowMajor, order(p.transposed_a), static_cast<blasint>(rows), static_cast<blasint>(cols),
                    p.alpha, p.a, stride(p.a_stride, cols), p.b, step, p.beta, p.c,
                    static_cast<blasint>(std::max<Size>(p.c_stride, 1)));
}

}  // namespace

MatrixProduct part_of(const MatrixProduct& whole, const Block& block) {
  MatrixProduct part = whole;
  part.m = block.rows;
  part.n = block.cols;
  part.a += whole.transposed_a ? block.row : block.row * whole.a_stride;
  part.b += whole.transposed_b ? block.col * whole.b_stride : block.col;
  part.c += block.row * whole.c_stride + block.col;
  return part;
}

void multiply(const MatrixProduct& p) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return scale_result(p);
  if (p.bf16) return multiply_bf16(p);
  if (const SplitKernel kernel = split_kernel_for(p)) return multiply_split(p, kernel);
  if (p.m == 1) return multiply_row(p);
  if (p.n == 1) return multiply_column(p);
  BlasCall()->sgemm(CblasRowMajor, order(p.transposed_a), order(p.transposed_b), static_cast<blasint>(p.m),
                    static_cast<blasint>(p.n), static_cast<blasint>(p.k), p.alpha, p.a,
                    stride(p.a_stride, p.transposed_a ? p.m : p.k), p.b, stride(p.b_stride, p.transposed_b ? p.k : p.n),
                    p.beta, p.c, stride(p.c_stride, p.n));
}

void multiply_in_parallel(const MatrixProduct& product) {
  each_block(product.m, product.n, product.k, [&](const Block& block) { multiply(part_of(product, block)); });
}

}  // namespace dragoman::kernels::cpu_filling

#include "tensor/ops.h"
#include "tensor/ops/door.h"

namespace dragoman {
namespace {

using kernels::Product;

// A group of products over two arrays, for forward and for backward.
struct Group {
  std::span<Product> products;
  bool transposed_a = false, transposed_b = false;
  double alpha = 1;
};

void run(const Context& cx, const Group& group, const Tensor& a, const Tensor& b, const Tensor& c, bool accumulate) {
  cx.run(a.dtype(), [&](const auto& k) {
    k.matmul({.count = std::ssize(group.products),
              .products = group.products.data(),
              .transposed_a = group.transposed_a,
              .transposed_b = group.transposed_b,
              .alpha = group.alpha,
              .a = a.ptr(),
              .b = b.ptr(),
              .c = c.ptr(),
              .accumulate = accumulate});
  });
}

// If c = op(a) op(b), then d op(a) = dc op(b)^T and d op(b) = op(a)^T dc. For a transposed operand, the transposed
// product gives da = op(b) dc^T and db = dc^T op(a).
Group gradient_of_a(const Context& cx, const Group& f) {
  Group g = f;
  g.products = cx.host_array<Product>(std::ssize(f.products));
  for (std::size_t i = 0; i < f.products.size(); ++i) {
    const Product& p = f.products[i];
    g.products[i] = f.transposed_a ? Product{p.k, p.m, p.n, p.b, p.c, p.a, p.b_stride, p.c_stride, p.a_stride}
                                   : Product{p.m, p.k, p.n, p.c, p.b, p.a, p.c_stride, p.b_stride, p.a_stride};
  }
  g.transposed_a = f.transposed_a && f.transposed_b;
  g.transposed_b = f.transposed_a || !f.transposed_b;
  return g;
}

Group gradient_of_b(const Context& cx, const Group& f) {
  Group g = f;
  g.products = cx.host_array<Product>(std::ssize(f.products));
  for (std::size_t i = 0; i < f.products.size(); ++i) {
    const Product& p = f.products[i];
    g.products[i] = f.transposed_b ? Product{p.n, p.k, p.m, p.c, p.a, p.b, p.c_stride, p.a_stride, p.b_stride}
                                   : Product{p.k, p.n, p.m, p.a, p.c, p.b, p.a_stride, p.c_stride, p.b_stride};
  }
  g.transposed_a = f.transposed_b || !f.transposed_a;
  g.transposed_b = f.transposed_b && f.transposed_a;
  return g;
}

Tensor grouped(Context& cx, const char* op, const Group& group, const Tensor& a, const Tensor& b, Shape shape) {
  const Tensor c = ops::result(cx, a.dtype(), shape, {a, b});
  run(cx, group, a, b, c, false);
  ops::leave(op, cx, {c});
  if (!c.tracked()) return c;
  cx.record(op, {c}, [group, a, b, c](Context& back) {
    const Tensor dc = back.gradient(c);
    if (const Sink da = back.sink(a)) {
      const bool swapped = group.transposed_a;
      run(back, gradient_of_a(back, group), swapped ? b : dc, swapped ? dc : b, da.tensor, da.accumulate);
    }
    if (const Sink db = back.sink(b)) {
      const bool swapped = group.transposed_b;
      run(back, gradient_of_b(back, group), swapped ? dc : a, swapped ? a : dc, db.tensor, db.accumulate);
    }
  });
  return c;
}

}  // namespace

Tensor batched_matmul(Context& cx, const Tensor& a, const Tensor& b, const MatmulOptions& options) {
  constexpr const char* op = "batched_matmul";
  ops::enter(op, cx, {a, b});
  const Shape &sa = a.shape(), &sb = b.shape();
  check(sa.rank() == 3 && sb.rank() == 3 && sa[0] == sb[0],
        "[{}] expected two tensors of three sizes with the same first but got {} and {}", op, sa, sb);
  const Size m = sa[options.transposed_a ? 2 : 1], k = sa[options.transposed_a ? 1 : 2];
  const Size n = sb[options.transposed_b ? 1 : 2], inner = sb[options.transposed_b ? 2 : 1];
  check(k == inner, "[{}] the inner sizes of {} and {} differ: {} and {}", op, sa, sb, k, inner);
  const Group group{cx.host_array<Product>(sa[0]), options.transposed_a, options.transposed_b, options.alpha};
  for (Size i = 0; i < sa[0]; ++i) group.products[i] = {m, n, k, i * m * k, i * k * n, i * m * n, sa[2], sb[2], n};
  return grouped(cx, op, group, a, b, {sa[0], m, n});
}

Tensor segment_scores(Context& cx, const Tensor& q, const Tensor& k, const PairLayout& pairs, double alpha) {
  constexpr const char* op = "segment_scores";
  ops::enter(op, cx, {q, k});
  check(q.cols() == k.cols() && q.rows() == pairs.queries.total() && k.rows() == pairs.keys.total(),
        "[{}] queries {} and keys {} do not fit: expected {} and {} rows of the same size", op, q.shape(), k.shape(),
        pairs.queries.total(), pairs.keys.total());
  const Size size = q.cols(), sentences = pairs.queries.count();
  const Group group{cx.host_array<Product>(sentences), false, true, alpha};
  Size at = 0;
  for (Size s = 0; s < sentences; ++s) {
    const Size nq = pairs.queries.length(s), nk = pairs.keys.length(s);
    group.products[s] = {nq, nk, size, pairs.queries.begin(s) * size, pairs.keys.begin(s) * size, at, size, size, nk};
    at += nq * nk;
  }
  return grouped(cx, op, group, q, k, {pairs.count});
}

Tensor segment_mix(Context& cx, const Tensor& weights, const Tensor& values, const PairLayout& pairs) {
  constexpr const char* op = "segment_mix";
  ops::enter(op, cx, {weights, values});
  check(weights.count() == pairs.count && values.rows() == pairs.keys.total(),
        "[{}] weights {} and values {} do not fit: expected {} pairs and {} rows", op, weights.shape(), values.shape(),
        pairs.count, pairs.keys.total());
  const Size size = values.cols(), sentences = pairs.queries.count();
  const Group group{cx.host_array<Product>(sentences)};
  Size at = 0;
  for (Size s = 0; s < sentences; ++s) {
    const Size nq = pairs.queries.length(s), nk = pairs.keys.length(s);
    group.products[s] = {nq, size, nk, at, pairs.keys.begin(s) * size, pairs.queries.begin(s) * size, nk, size, size};
    at += nq * nk;
  }
  return grouped(cx, op, group, weights, values, {pairs.queries.total(), size});
}

}  // namespace dragoman

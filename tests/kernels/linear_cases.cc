#include <numeric>

#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct LinearShape {
  Size rows, in, out;
};

std::string name_of(const LinearShape& s, bool transposed, Activation activation) {
  return fmt::format("{}x{}x{}{} activation {}", s.rows, s.in, s.out, transposed ? " transposed" : "",
                     static_cast<int>(activation));
}

const std::vector<LinearShape> kLinearShapes = {{0, 3, 4},    {3, 0, 4},     {3, 4, 0},     {1, 1, 1},
                                                {1, 7, 5},    {2, 3, 5},     {5, 16, 16},   {17, 33, 9},
                                                {64, 64, 64}, {3, 100, 999}, {600, 40, 31}, {257, 70, 130}};

template <class Add>
void each_combination(Add&& add) {
  const std::vector<Activation> kinds = {Activation::none, Activation::relu, Activation::gelu,
                                         Activation::silu, Activation::tanh, Activation::sigmoid};
  std::size_t turn = 0;
  for (const LinearShape& shape : kLinearShapes)
    for (const bool transposed : {true, false})
      for (const Activation kind : kinds) add(shape, transposed, kind, turn++);
}

// Sentences whose rows are projected; rows may be longer than the projected columns.
struct Projected {
  std::vector<Size> lengths;
  Size mixtures, size, length, gap;

  Size rows() const { return std::accumulate(lengths.begin(), lengths.end(), Size{0}); }
};

template <class T>
ProjectLength<T> forward_arguments(const Projected& p, Size parts, Arrays<T>& arrays) {
  ProjectLength<T> a{.sentences = std::ssize(p.lengths), .mixtures = p.mixtures, .size = p.size, .length = p.length};
  for (const Size length : p.lengths) a.longest = std::max(a.longest, length);
  for (Size i = 0; i < parts; ++i) a.projections[i] = arrays.input(p.mixtures * p.length);
  a.x_stride = p.size + p.gap;
  a.x = arrays.input(p.rows() * a.x_stride);
  return a;
}

void add_projections(Cases& cases) {
  // More sentences than a GPU runs thread blocks at once: the long one is not split.
  std::vector<Size> many(270, 1);
  many[5] = 330;
  const std::vector<Projected> all = {{{}, 3, 4, 5, 0},
                                      {{0, 0}, 3, 4, 5, 1},
                                      {{3, 0, 5}, 2, 3, 5, 2},
                                      {{1, 9, 4}, 5, 17, 9, 0},
                                      {{7, 40, 64, 1, 0, 65}, 32, 64, 72, 8},
                                      {{30, 130}, 33, 64, 136, 16},
                                      {{200, 17, 90}, 70, 192, 200, 0},
                                      {{700, 3, 300}, 32, 64, 704, 64},
                                      {{129, 5, 0}, 20, 320, 136, 8},
                                      {many, 8, 64, 336, 0}};
  for (std::size_t turn = 0; turn < all.size(); ++turn)
    for (const Size parts : {1, 2}) {
      const Projected p = all[turn];
      const auto name = fmt::format("{} sentences of {} rows, {} x {} mixtures of {}", p.lengths.size(), p.rows(),
                                    parts, p.mixtures, p.size);
      cases.add("project_length", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        ProjectLength<T> a = forward_arguments(p, parts, arrays);
        for (Size i = 0; i < parts; ++i) a.y[i] = arrays.output("y", a.sentences * a.mixtures * a.size);
        a.offsets = arrays.integers(offsets_of(p.lengths));
        kernels.project_length(a);
      });
      cases.add("project_length_backward", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        ProjectLengthBackward<T> b{.forward = forward_arguments(p, parts, arrays)};
        ProjectLength<T>& a = b.forward;
        // One of the two gradients is missing: the first or the second.
        const Size missing = parts == 1 ? -1 : turn % 4 == 1 ? 0 : turn % 4 == 3 ? 1 : -1;
        for (Size i = 0; i < parts; ++i) b.dy[i] = given(i != missing, arrays.input(a.sentences * a.mixtures * a.size));
        b.dx_stride = a.x_stride;
        b.accumulate_dx = turn % 2 == 0;
        b.dx = given(turn != 3, arrays.inout("dx", p.rows() * b.dx_stride));
        for (Size i = 0; i < parts; ++i)
          b.dprojections[i] = given(turn != 2 || i == 0, arrays.stat_inout("dprojection", p.mixtures * p.length));
        a.offsets = arrays.integers(offsets_of(p.lengths));
        kernels.project_length_backward(b);
      });
    }
}

}  // namespace

void add_linear_cases(Cases& cases) {
  each_combination([&](LinearShape s, bool transposed, Activation kind, std::size_t turn) {
    const bool bias = turn % 3 != 0, z = turn % 2 == 0;
    const std::string name = name_of(s, transposed, kind);
    cases.add("linear", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.linear({.rows = s.rows,
                      .in = s.in,
                      .out = s.out,
                      .transposed = transposed,
                      .activation = kind,
                      .x = arrays.input(s.rows * s.in),
                      .weight = arrays.input(s.in * s.out),
                      .bias = given(bias, arrays.input(s.out)),
                      .y = arrays.output("y", s.rows * s.out),
                      .z = given(z, arrays.output("z", s.rows * s.out))});
    });
    cases.add("linear_backward", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      const bool saved = kind != Activation::none;
      kernels.linear_backward({.rows = s.rows,
                               .in = s.in,
                               .out = s.out,
                               .transposed = transposed,
                               .activation = kind,
                               .x = arrays.input(s.rows * s.in),
                               .weight = arrays.input(s.in * s.out),
                               .saved = given(saved, arrays.input(s.rows * s.out)),
                               .dy = arrays.input(s.rows * s.out),
                               .dz = given(saved, arrays.output("dz", s.rows * s.out)),
                               .dx = given(turn % 4 != 1, arrays.inout("dx", s.rows * s.in)),
                               .accumulate_dx = turn % 2 == 0,
                               .dweight = given(turn % 5 != 1, arrays.stat_inout("dweight", s.in * s.out)),
                               .dbias = given(turn % 3 != 1, arrays.stat_inout("dbias", s.out))});
    });
  });

  struct Group {
    const char* name;
    std::vector<Product> products;  // with tight strides, matrices one after another; filled in below
    Size gap;                       // extra elements in every row
  };
  const std::vector<Group> groups = {
      {"none", {}, 0},
      {"one", {{.m = 3, .n = 4, .k = 5}}, 0},
      {"large", {{.m = 70, .n = 130, .k = 90}}, 3},
      {"empty ones", {{.m = 0, .n = 4, .k = 5}, {.m = 2, .n = 3, .k = 0}, {.m = 2, .n = 0, .k = 3}}, 1},
      {"vectors", {{.m = 1, .n = 40, .k = 9}, {.m = 33, .n = 1, .k = 8}, {.m = 1, .n = 1, .k = 20}}, 2},
      {"ragged", std::vector<Product>(40), 5}};
  for (const Group& group : groups)
    for (int flags = 0; flags < 8; ++flags) {
      const bool transposed_a = flags & 1, transposed_b = flags & 2, accumulate = flags & 4;
      std::vector<Product> products = group.products;
      Size a = 0, b = 0, c = 0;
      for (std::size_t p = 0; p < products.size(); ++p) {
        Product& one = products[p];
        if (std::string(group.name) == "ragged") {
          const auto n = static_cast<Size>(p);
          one = {.m = 1 + n * 7 % 30, .n = 1 + n * 11 % 50, .k = 1 + n * 5 % 64};
        }
        one.a_stride = (transposed_a ? one.m : one.k) + group.gap;
        one.b_stride = (transposed_b ? one.k : one.n) + group.gap;
        one.c_stride = one.n + group.gap;
        one.a = a, one.b = b, one.c = c;
        a += one.a_stride * (transposed_a ? one.k : one.m);
        b += one.b_stride * (transposed_b ? one.n : one.k);
        c += one.c_stride * one.m;
      }
      const auto name = fmt::format("{}{}{}{}", group.name, transposed_a ? " a^T" : "", transposed_b ? " b^T" : "",
                                    accumulate ? " added" : "");
      cases.add("matmul", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.matmul({.count = std::ssize(products),
                        .products = products.data(),
                        .transposed_a = transposed_a,
                        .transposed_b = transposed_b,
                        .alpha = 0.75,
                        .a = arrays.input(a),
                        .b = arrays.input(b),
                        .c = accumulate ? arrays.inout("c", c) : arrays.output("c", c),
                        .accumulate = accumulate});
      });
    }
  add_projections(cases);
}

}  // namespace dragoman::kernels::test

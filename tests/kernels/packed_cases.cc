#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct PackedShape {
  Size rows, in, out;
};

const std::vector<PackedShape> kPackedShapes = {{0, 3, 4},    {3, 0, 4},     {3, 4, 0},     {1, 1, 1},    {1, 700, 5},
                                                {2, 3, 5},    {5, 16, 16},   {17, 33, 9},   {64, 64, 64}, {3, 100, 999},
                                                {7, 520, 31}, {26, 70, 130}, {301, 40, 77}, {9, 1100, 50}};

template <class T>
const void* packed(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s, bool transposed,
                   WeightFormat format = WeightFormat::same) {
  return packed(arrays, kernels, {.in = s.in, .out = s.out, .format = format, .transposed = transposed},
                arrays.input(s.in * s.out));
}

// Rows of the identity matrix give the weight.
void add_pack_cases(Cases& cases) {
  for (const PackedShape& s : kPackedShapes)
    for (const bool transposed : {true, false})
      cases.add("pack_weight", fmt::format("{}x{}{}", s.in, s.out, transposed ? " transposed" : ""),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  std::vector<double> unit(static_cast<std::size_t>(s.in * s.in));
                  for (Size i = 0; i < s.in; ++i) unit[i * s.in + i] = 1;
                  kernels.linear_packed({.rows = s.in,
                                         .in = s.in,
                                         .out = s.out,
                                         .x = arrays.values(unit),
                                         .packed = packed(arrays, kernels, s, transposed),
                                         .y = arrays.output("weight", s.in * s.out)});
                });
}

void add_linear_cases_of(Cases& cases, const PackedShape& s) {
  for (const Activation kind : {Activation::none, Activation::relu, Activation::gelu, Activation::tanh})
    for (const bool bias : {true, false})
      cases.add(
          "linear_packed",
          fmt::format("{}x{}x{} activation {}{}", s.rows, s.in, s.out, static_cast<int>(kind), bias ? " bias" : ""),
          [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
            kernels.linear_packed({.rows = s.rows,
                                   .in = s.in,
                                   .out = s.out,
                                   .activation = kind,
                                   .x = arrays.input(s.rows * s.in),
                                   .packed = packed(arrays, kernels, s, true),
                                   .bias = given(bias, arrays.input(s.out)),
                                   .y = arrays.output("y", s.rows * s.out)});
          });
}

// A linear layer, a residual norm of its result, and the next linear layer: a device may fuse them.
template <class T>
void run_around_norm(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s, bool bias, Size next) {
  T* branch = arrays.output("branch", s.rows * s.out);
  T* y = arrays.output("y", s.rows * s.out);
  const PackedShape after{s.rows, s.out, next};
  const void* first = packed(arrays, kernels, s, true);
  const void* second = packed(arrays, kernels, after, true);
  kernels.linear_packed({.rows = s.rows,
                         .in = s.in,
                         .out = s.out,
                         .x = arrays.input(s.rows * s.in),
                         .packed = first,
                         .bias = given(bias, arrays.input(s.out)),
                         .y = branch});
  kernels.norm({.rows = s.rows,
                .cols = s.out,
                .x = arrays.input(s.rows * s.out),
                .branch = branch,
                .gain = arrays.input(s.out),
                .bias = arrays.input(s.out),
                .sum = arrays.output("sum", s.rows * s.out),
                .y = y,
                .mean = arrays.stat_output("mean", s.rows),
                .rstd = arrays.stat_output("rstd", s.rows)});
  kernels.linear_packed({.rows = s.rows,
                         .in = s.out,
                         .out = next,
                         .activation = bias ? Activation::relu : Activation::none,
                         .x = y,
                         .packed = second,
                         .bias = given(bias, arrays.input(next)),
                         .y = arrays.output("next", s.rows * next)});
}

void add_norm_cases(Cases& cases) {
  for (const PackedShape& s : {PackedShape{1, 64, 64}, PackedShape{70, 24, 192}, PackedShape{5, 520, 128},
                               PackedShape{33, 512, 512}, PackedShape{9, 40, 80}})
    for (const bool bias : {true, false})
      for (const Size next : {0, 24, 64, 832})
        cases.add("linear_packed", fmt::format("{}x{}x{}{}, norm, {}", s.rows, s.in, s.out, bias ? " bias" : "", next),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    run_around_norm(arrays, kernels, s, bias, next);
                  });
}

void add_top_cases_of(Cases& cases, const PackedShape& s) {
  for (const Size best : {0, 1, 4, 12})
    for (const bool bias : {false, true})
      cases.add("top_scores", fmt::format("{}x{}x{} best {} bias {}", s.rows, s.in, s.out, best, bias),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.top_scores({.rows = s.rows,
                                      .in = s.in,
                                      .out = s.out,
                                      .best = best,
                                      .x = arrays.input(s.rows * s.in),
                                      .packed = packed(arrays, kernels, s, true),
                                      .bias = given(bias, arrays.input(s.out)),
                                      .log_sum = arrays.stat_output("log_sum", s.rows),
                                      .scores = arrays.stat_output("scores", s.rows * best),
                                      .ids = arrays.integer_output("ids", s.rows * best)});
                });
}

// Narrow formats, which the host has.
void add_narrow_cases(Cases& cases, const PackedShape& s) {
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8})
    for (const bool bias : {true, false}) {
      const std::string name = fmt::format("{}x{}x{} {}{}", s.rows, s.in, s.out,
                                           format == WeightFormat::int8 ? "int8" : "bf16", bias ? " bias" : "");
      cases.add_for_host("linear_packed", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.linear_packed({.rows = s.rows,
                               .in = s.in,
                               .out = s.out,
                               .format = format,
                               .activation = bias ? Activation::gelu : Activation::none,
                               .x = arrays.input(s.rows * s.in),
                               .packed = packed(arrays, kernels, s, bias, format),
                               .bias = given(bias, arrays.input(s.out)),
                               .y = arrays.output("y", s.rows * s.out)});
      });
      cases.add_for_host("top_scores", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.top_scores({.rows = s.rows,
                            .in = s.in,
                            .out = s.out,
                            .best = 5,
                            .format = format,
                            .x = arrays.input(s.rows * s.in),
                            .packed = packed(arrays, kernels, s, true, format),
                            .bias = given(bias, arrays.input(s.out)),
                            .log_sum = arrays.stat_output("log_sum", s.rows),
                            .scores = arrays.stat_output("scores", s.rows * 5),
                            .ids = arrays.integer_output("ids", s.rows * 5)});
      });
    }
}

// A product with every third column, and with one of them twice.
template <class T>
void run_picked(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s, WeightFormat format) {
  std::vector<std::int32_t> columns;
  for (Size c = s.out - 1; c >= 0; c -= 3) columns.push_back(static_cast<std::int32_t>(c));
  if (!columns.empty()) columns.push_back(columns.front());
  const Size count = std::ssize(columns);
  const T* weight = arrays.input(s.in * s.out);
  const void* whole = packed(arrays, kernels, {.in = s.in, .out = s.out, .format = format}, weight);
  Size bytes = 0;
  kernels.pack_weight({.in = s.in, .out = count, .format = format, .bytes = &bytes});
  void* picked = arrays.workspace((bytes + Size{sizeof(T)} - 1) / Size{sizeof(T)});
  kernels.pick_columns({.in = s.in,
                        .out = s.out,
                        .count = count,
                        .format = format,
                        .weight = weight,
                        .packed = whole,
                        .columns = arrays.integers(columns),
                        .picked = picked});
  kernels.linear_packed({.rows = s.rows,
                         .in = s.in,
                         .out = count,
                         .format = format,
                         .x = arrays.input(s.rows * s.in),
                         .packed = picked,
                         .y = arrays.output("y", s.rows * count)});
}

void add_pick_cases(Cases& cases, const PackedShape& s) {
  const std::string name = fmt::format("{}x{}x{}", s.rows, s.in, s.out);
  cases.add("pick_columns", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
    run_picked(arrays, kernels, s, WeightFormat::same);
  });
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8})
    cases.add_for_host(
        "pick_columns", name + (format == WeightFormat::int8 ? " int8" : " bf16"),
        [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_picked(arrays, kernels, s, format); });
}

// The numbers of every other column, from the last one on.
template <class T>
void run_unpacked(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s, WeightFormat format) {
  std::vector<std::int32_t> columns;
  for (Size c = s.out - 1; c >= 0; c -= 2) columns.push_back(static_cast<std::int32_t>(c));
  kernels.unpack_columns({.in = s.in,
                          .out = s.out,
                          .count = std::ssize(columns),
                          .format = format,
                          .packed = packed(arrays, kernels, s, true, format),
                          .columns = arrays.integers(columns),
                          .y = arrays.output("y", std::ssize(columns) * s.in)});
}

// A product with a packed weight, and the values of that weight.
template <class T>
void run_stored_rows(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s, PackWeight<T> packing) {
  Size bytes = 0;
  kernels.pack_weight({.in = s.in, .out = s.out, .format = packing.format, .bytes = &bytes});
  packing.packed = arrays.workspace((bytes + Size{sizeof(T)} - 1) / Size{sizeof(T)});
  kernels.pack_weight(packing);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(s.out));
  std::iota(columns.begin(), columns.end(), 0);
  kernels.unpack_columns({.in = s.in,
                          .out = s.out,
                          .count = s.out,
                          .format = packing.format,
                          .packed = packing.packed,
                          .columns = arrays.integers(columns),
                          .y = arrays.output("numbers", s.out * s.in)});
  kernels.linear_packed({.rows = s.rows,
                         .in = s.in,
                         .out = s.out,
                         .format = packing.format,
                         .x = arrays.input(s.rows * s.in),
                         .packed = packing.packed,
                         .y = arrays.output("y", s.rows * s.out)});
}

// A weight that is int8 already. No column has a number of 127, so rounding it again would change it.
template <class T>
void run_int8_rows(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s) {
  std::vector<std::int8_t> numbers(static_cast<std::size_t>(s.in * s.out));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::int8_t>(static_cast<int>(i % 193) - 96);
  std::vector<float> scales(static_cast<std::size_t>(s.out));
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = 0.01f * static_cast<float>(i % 7 + 1);
  PackWeight<T> packing{.in = s.in, .out = s.out, .format = WeightFormat::int8};
  packing.numbers = numbers.data(), packing.scales = scales.data();
  run_stored_rows(arrays, kernels, s, packing);
}

template <class T>
void run_bf16_rows(Arrays<T>& arrays, const Kernels<T>& kernels, const PackedShape& s) {
  std::vector<bf16> halves(static_cast<std::size_t>(s.in * s.out));
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = bf16::from(0.013f * static_cast<float>(i % 193) - 1.2f);
  PackWeight<T> packing{.in = s.in, .out = s.out, .format = WeightFormat::bf16};
  packing.halves = halves.data();
  run_stored_rows(arrays, kernels, s, packing);
}

void add_unpack_cases(Cases& cases, const PackedShape& s) {
  const std::string name = fmt::format("{}x{}x{}", s.rows, s.in, s.out);
  cases.add("unpack_columns", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
    run_unpacked(arrays, kernels, s, WeightFormat::same);
  });
  for (const WeightFormat format : {WeightFormat::bf16, WeightFormat::int8})
    cases.add_for_host(
        "unpack_columns", name + (format == WeightFormat::int8 ? " int8" : " bf16"),
        [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_unpacked(arrays, kernels, s, format); });
  cases.add_for_host("pack_weight", name + " of int8 rows",
                     [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_int8_rows(arrays, kernels, s); });
  cases.add_for_host("pack_weight", name + " of bf16 rows",
                     [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) { run_bf16_rows(arrays, kernels, s); });
}

}  // namespace

void add_packed_cases(Cases& cases) {
  add_pack_cases(cases);
  for (const PackedShape& s : kPackedShapes) {
    add_pick_cases(cases, s);
    add_unpack_cases(cases, s);
    add_linear_cases_of(cases, s);
    add_top_cases_of(cases, s);
    add_narrow_cases(cases, s);
  }
  add_norm_cases(cases);
  // Many columns, and many equal ones.
  for (const PackedShape& s : {PackedShape{5, 24, 9004}, PackedShape{2, 8, 7001}, PackedShape{3, 0, 5000}})
    add_top_cases_of(cases, s);
}

}  // namespace dragoman::kernels::test

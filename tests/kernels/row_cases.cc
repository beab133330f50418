#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct RowShape {
  Size rows, cols;
};
const std::vector<RowShape> kRowShapes = {{0, 5},  {4, 0},   {1, 1},   {2, 3},    {7, 16},   {3, 37},
                                          {50, 8}, {33, 65}, {5, 999}, {700, 96}, {100, 512}};

void add_gather_and_scatter(Cases& cases) {
  for (const RowShape& s : kRowShapes)
    for (const Size table : {Size{1}, Size{3}, Size{5000}}) {
      const auto name = fmt::format("{}x{} of {}", s.rows, s.cols, table);
      cases.add("gather_rows", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        const bool positions = s.cols % 2 == 1;
        kernels.gather_rows({.rows = s.rows,
                             .cols = s.cols,
                             .index = arrays.integers(s.rows, table),
                             .table = arrays.input(table * s.cols),
                             .scale = table == 3 ? 1 : 1.75,
                             .position = given(positions, arrays.integers(s.rows, 9)),
                             .positions = given(positions, arrays.input(9 * s.cols)),
                             .y = arrays.output("y", s.rows * s.cols)});
      });
      cases.add("scatter_rows", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.scatter_rows({.rows = s.rows,
                              .cols = s.cols,
                              .table_rows = table,
                              .index = arrays.integers(s.rows, table),
                              .scale = 0.75,
                              .dy = arrays.input(s.rows * s.cols),
                              .dtable = arrays.stat_inout("dtable", table * s.cols),
                              .workspace = arrays.integer_workspace(2 * s.rows)});
      });
    }
}

void add_copy(Cases& cases) {
  for (const RowShape& s : kRowShapes)
    for (const Size gap : {0, 3})
      for (const bool accumulate : {false, true})
        cases.add("copy_block", fmt::format("{}x{} gap {}{}", s.rows, s.cols, gap, accumulate ? " added" : ""),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    const Size to_stride = s.cols + 2 * gap;
                    kernels.copy_block({.rows = s.rows,
                                        .cols = s.cols,
                                        .from = arrays.input(s.rows * (s.cols + gap)),
                                        .from_stride = s.cols + gap,
                                        .to = arrays.inout("to", s.rows * to_stride),
                                        .to_stride = to_stride,
                                        .accumulate = accumulate});
                  });
}

// Bits: what is given, needed and added to. Large shapes are slow in the reference and try only a few.
std::vector<int> flags_for(const RowShape& s) {
  if (s.rows * s.cols > 10000) return {0, 13};
  return {0, 1, 2, 5, 6, 11, 12, 31, 63, 64};
}

void add_norm(Cases& cases) {
  for (const RowShape& s : kRowShapes)
    for (const double rate : {-1.0, 0.0, 0.1, 0.5}) {
      if (s.cols == 0) continue;
      const bool branch = rate >= 0;
      const Dropout dropout{branch ? rate : 0, {17, 99}};
      const auto name = fmt::format("{}x{}{}", s.rows, s.cols, branch ? fmt::format(" branch dropped {}", rate) : "");
      cases.add("norm", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.norm({.rows = s.rows,
                      .cols = s.cols,
                      .epsilon = 1e-3,
                      .x = arrays.input(s.rows * s.cols, 0, 3),
                      .branch = given(branch, arrays.input(s.rows * s.cols)),
                      .dropout = dropout,
                      .gain = arrays.input(s.cols),
                      .bias = arrays.input(s.cols),
                      .sum = given(branch, arrays.output("sum", s.rows * s.cols)),
                      .y = arrays.output("y", s.rows * s.cols),
                      .mean = arrays.stat_output("mean", s.rows),
                      .rstd = arrays.stat_output("rstd", s.rows)});
      });
      for (const int flags : flags_for(s))
        cases.add("norm_backward", fmt::format("{} flags {}", name, flags),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    const Size count = s.rows * s.cols;
                    kernels.norm_backward({.rows = s.rows,
                                           .cols = s.cols,
                                           .sum = arrays.input(count),
                                           .gain = arrays.input(s.cols),
                                           .mean = arrays.stat_input(s.rows),
                                           .rstd = arrays.stat_input(s.rows, 0.5, 2),
                                           .dy = arrays.input(count),
                                           .dsum = given(flags & 1, arrays.input(count)),
                                           .dropout = dropout,
                                           .dx = given(!(flags & 2), arrays.inout("dx", count)),
                                           .accumulate_dx = (flags & 4) != 0,
                                           .dbranch = given(branch && !(flags & 64), arrays.inout("dbranch", count)),
                                           .accumulate_dbranch = (flags & 8) != 0,
                                           .dgain = given(!(flags & 16), arrays.stat_inout("dgain", s.cols)),
                                           .dbias = given(!(flags & 32), arrays.stat_inout("dbias", s.cols))});
                  });
    }
}

void add_rotate(Cases& cases) {
  for (const Size rows : {0, 1, 5, 700})
    for (const Size size : {2, 10, 64})
      for (const int flags : {0, 1, 2, 3}) {
        const bool inverse = flags & 1, accumulate = flags & 2;
        const Size heads = rows == 5 ? 1 : 3, gap = flags;
        cases.add("rotate", fmt::format("{} rows of {} heads of {} flags {}", rows, heads, size, flags),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    kernels.rotate({.rows = rows,
                                    .heads = heads,
                                    .size = size,
                                    .position = arrays.integers(rows, 300),
                                    .x = arrays.input(rows * (heads * size + gap)),
                                    .x_stride = heads * size + gap,
                                    .y = arrays.inout("y", rows * (heads * size + 2 * gap)),
                                    .y_stride = heads * size + 2 * gap,
                                    .inverse = inverse,
                                    .accumulate = accumulate});
                  });
      }
}

}  // namespace

void add_row_cases(Cases& cases) {
  add_rotate(cases);
  add_gather_and_scatter(cases);
  add_copy(cases);
  add_norm(cases);
}

}  // namespace dragoman::kernels::test

#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct Rows {
  Size rows, cols;
  std::vector<Size> lengths;  // of a ragged array, or empty

  std::string name() const {
    return lengths.empty() ? fmt::format("{}x{}", rows, cols) : fmt::format("{} ragged rows", lengths.size());
  }
  Size count() const {
    if (lengths.empty()) return rows * cols;
    return offsets_of(lengths).back();
  }
  template <class T>
  const std::int32_t* starts(Arrays<T>& arrays) const {
    return lengths.empty() ? nullptr : arrays.integers(offsets_of(lengths));
  }
};

std::vector<Rows> all_rows() {
  std::vector<Rows> all = {{0, 7, {}},  {3, 0, {}},    {1, 1, {}},    {2, 5, {}},       {40, 16, {}},
                           {9, 37, {}}, {3, 5001, {}}, {900, 61, {}}, {3, 0, {4, 0, 9}}};
  Rows many{.rows = 1500, .cols = 0, .lengths = {}};
  for (Size r = 0; r < many.rows; ++r) many.lengths.push_back(r * 7 % 61);
  all.push_back(many);
  return all;
}

}  // namespace

void add_softmax_cases(Cases& cases) {
  for (const Rows& r : all_rows()) {
    cases.add("softmax", r.name(), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.softmax({.rows = r.rows,
                       .cols = r.cols,
                       .starts = r.starts(arrays),
                       .x = arrays.input(r.count(), -20, 20),
                       .y = arrays.output("y", r.count())});
    });
    cases.add("softmax", r.name() + " in place", [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      T* x = arrays.inout("y", r.count(), -200, 200);
      kernels.softmax({.rows = r.rows, .cols = r.cols, .starts = r.starts(arrays), .x = x, .y = x});
    });
    for (const bool accumulate : {false, true})
      cases.add("softmax_backward", r.name() + (accumulate ? " added" : ""),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.softmax_backward({.rows = r.rows,
                                            .cols = r.cols,
                                            .starts = r.starts(arrays),
                                            .y = arrays.input(r.count(), 0, 1),
                                            .dy = arrays.input(r.count()),
                                            .dx = arrays.inout("dx", r.count()),
                                            .accumulate_dx = accumulate});
                });
  }
  // A score of minus infinity is masked.
  cases.add("softmax", "masked", []<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
    const double masked = -std::numeric_limits<double>::infinity();
    kernels.softmax({.rows = 1,
                     .cols = 7,
                     .starts = nullptr,
                     .x = arrays.values({1, masked, 2, 3, masked, masked, 0.5}),
                     .y = arrays.output("y", 7)});
  });
  for (const Size rows : {0, 1, 5, 70})
    for (const Size classes : {1, 2, 13, 1000, 5003})
      for (const double smoothing : {0.0, 0.1})
        for (const double scale : {0.0, 1.0, 0.01})
          cases.add("cross_entropy", fmt::format("{}x{} smoothing {} scale {}", rows, classes, smoothing, scale),
                    [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                      kernels.cross_entropy({.rows = rows,
                                             .classes = classes,
                                             .logits = arrays.inout("logits", rows * classes, -9, 9),
                                             .targets = arrays.integers(rows, classes),
                                             .smoothing = smoothing,
                                             .gradient_scale = scale,
                                             .loss = arrays.stat_output("loss", rows),
                                             .nll = arrays.stat_output("nll", rows)});
                    });
}

}  // namespace dragoman::kernels::test

#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

const std::vector<Size> kCounts = {0, 1, 3, 4, 15, 16, 17, 1000, 70001};

void add_activations(Cases& cases) {
  for (const Size count : kCounts)
    for (const Activation kind : {Activation::none, Activation::relu, Activation::gelu, Activation::silu,
                                  Activation::tanh, Activation::sigmoid}) {
      const auto name = fmt::format("{} of kind {}", count, static_cast<int>(kind));
      cases.add("activate", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.activate(
            {.count = count, .activation = kind, .x = arrays.input(count, -8, 8), .y = arrays.output("y", count)});
      });
      for (const bool accumulate : {false, true})
        cases.add("activate_backward", name + (accumulate ? " added" : ""),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    kernels.activate_backward({.count = count,
                                               .activation = kind,
                                               .saved = arrays.input(count),
                                               .dy = arrays.input(count),
                                               .dx = arrays.inout("dx", count),
                                               .accumulate_dx = accumulate});
                  });
    }
}

void add_arithmetic(Cases& cases) {
  for (const Size count : kCounts) {
    const auto name = std::to_string(count);
    for (const bool second : {false, true})
      cases.add("combine", name + (second ? " of two" : ""),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.combine({.count = count,
                                   .alpha = 1.5,
                                   .beta = -0.25,
                                   .a = arrays.input(count),
                                   .b = given(second, arrays.input(count)),
                                   .y = arrays.output("y", count)});
                });
    cases.add("combine", name + " in place", [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      T* y = arrays.inout("y", count);
      kernels.combine({.count = count, .alpha = 1, .beta = 2, .a = y, .b = arrays.input(count), .y = y});
      kernels.combine({.count = count, .alpha = 3, .beta = 0.5, .a = arrays.input(count), .b = y, .y = y});
    });
    for (const bool accumulate : {false, true})
      cases.add("multiply", name + (accumulate ? " added" : ""),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.multiply({.count = count,
                                    .a = arrays.input(count),
                                    .b = arrays.input(count),
                                    .y = arrays.inout("y", count),
                                    .accumulate = accumulate});
                });
    cases.add("fill", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.fill({.count = count, .y = arrays.output("y", count), .value = 2.5});
    });
  }
}

void add_dropout(Cases& cases) {
  for (const Size rows : {0, 1, 3, 400})
    for (const Size cols : {0, 1, 31, 32, 33, 64, 97})
      for (const double rate : {0.0, 0.1, 0.5})
        for (const bool accumulate : {false, true})
          cases.add("dropout", fmt::format("{}x{} rate {}{}", rows, cols, rate, accumulate ? " added" : ""),
                    [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                      kernels.dropout({.rows = rows,
                                       .cols = cols,
                                       .dropout = {rate, {0x123456789ABCDEF0u, 0xFEDCBA9876543210u}},
                                       .x = arrays.input(rows * cols),
                                       .y = arrays.inout("y", rows * cols),
                                       .accumulate = accumulate});
                    });
}

void add_conversions(Cases& cases) {
  for (const Size count : kCounts) {
    cases.add("to_bf16", std::to_string(count), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.to_bf16({.count = count, .x = arrays.input(count, -1e4, 1e4), .y = arrays.half_output("y", count)});
    });
    cases.add("from_bf16", std::to_string(count), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      const std::int32_t* bits = arrays.integers(count, 0x7F00);
      std::vector<bf16> x;
      for (Size i = 0; i < count; ++i) x.push_back({static_cast<std::uint16_t>(bits[i])});
      kernels.from_bf16({.count = count, .x = arrays.half_values(x), .y = arrays.output("y", count)});
    });
    for (const double last : {0.5, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
      cases.add("all_finite", fmt::format("{} and {}", count, last),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  bool finite = false;
                  T* x = arrays.inout("x", count, -1e38, 1e38);
                  if (count > 0) x[count * 2 / 3] = number<T>(last);
                  kernels.all_finite({.count = count, .x = x, .result = &finite});
                  arrays.result("finite", {finite ? 1.0 : 0.0});
                });
  }
  cases.add("to_bf16", "special values", []<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
    const double infinity = std::numeric_limits<double>::infinity();
    const T* x =
        arrays.values({0, -0.0, infinity, -infinity, 3.4e38, 1.00390625, 1.01171875, 1e-40, -1.5, 2, 7, 1, 0.1});
    kernels.to_bf16({.count = 13, .x = x, .y = arrays.half_output("y", 13)});
  });
}

void add_optimisers(Cases& cases) {
  for (const Size count : kCounts) {
    cases.add("sum_squares", std::to_string(count), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.sum_squares({.count = count, .x = arrays.stat_input(count), .result = arrays.double_inout("sum", -1)});
    });
    cases.add("add_sum", std::to_string(count), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.add_sum({.count = count, .x = arrays.input(count), .scale = 0.3, .to = arrays.double_inout("sum", 2.5)});
    });
    for (const bool decoupled : {false, true})
      for (const Size step : {1, 1000})
        cases.add("adam", fmt::format("{} step {}{}", count, step, decoupled ? " decoupled" : ""),
                  [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                    kernels.adam({.count = count,
                                  .weight = arrays.stat_inout("weight", count),
                                  .gradient = arrays.stat_input(count),
                                  .first = arrays.stat_inout("first", count),
                                  .second = arrays.stat_inout("second", count, 0, 1),
                                  .rate = 0.01,
                                  .epsilon = 1e-6,
                                  .weight_decay = 0.05,
                                  .decoupled = decoupled,
                                  .step = step,
                                  .clip = {arrays.double_inout("squares", 9), 0.9}});
                  });
    for (const bool velocity : {false, true})
      cases.add("sgd", fmt::format("{}{}", count, velocity ? " with momentum" : ""),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.sgd({.count = count,
                               .weight = arrays.stat_inout("weight", count),
                               .gradient = arrays.stat_input(count),
                               .velocity = given(velocity, arrays.stat_inout("velocity", count)),
                               .rate = 0.1,
                               .momentum = 0.9,
                               .weight_decay = 0.01,
                               .clip = {arrays.double_inout("squares", 9), 4}});
                });
  }
}

}  // namespace

void add_elementwise_cases(Cases& cases) {
  add_activations(cases);
  add_arithmetic(cases);
  add_dropout(cases);
  add_conversions(cases);
  add_optimisers(cases);
}

}  // namespace dragoman::kernels::test

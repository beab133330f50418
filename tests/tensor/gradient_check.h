#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tensor/ops.h"

namespace dragoman::testing {

// An input of the checked function, with respect to which gradients are computed.
struct Leaf {
  Shape shape;
  std::vector<double> values;

  // Normal values, repeatable.
  static Leaf random(Shape shape, std::uint64_t seed, double spread = 1);
};

using Build = std::function<std::vector<Tensor>(Context& cx, const std::vector<Tensor>& leaves)>;

// Values of all outputs of `build`, and gradients of all leaves for the loss sum_i r_i * output_i with fixed random r,
// computed by the tape in type T (float or double) on `device`.
struct Outcome {
  std::vector<std::vector<double>> outputs, gradients;
};
template <class T>
Outcome run_tape(const Device& device, const std::vector<Leaf>& leaves, const Build& build);

// Compares the gradients of the tape in double with central differences, then the CPU kernels in float with the values
// in double. Reports through GoogleTest.
void check_gradients(const std::vector<Leaf>& leaves, const Build& build);

void expect_near(const std::vector<double>& expected, const std::vector<double>& actual, double tolerance,
                 const std::string& what);

Tensor ids(const Context& cx, std::vector<std::int32_t> values);
Segments segments(const Context& cx, std::vector<std::int32_t> lengths);

// The message of the Error that `action` throws.
std::string error_of(const std::function<void()>& action);

}  // namespace dragoman::testing

#pragma once

#include "tests/kernels/contract.h"

// Runs a case and compares the results.
namespace dragoman::kernels::test {

using Results = std::vector<Result>;

inline Results run_float(const Case& one, const Kernels<float>& kernels) {
  Arrays<float> arrays(one.seed());
  one.in_float(arrays, kernels);
  arrays.expect_intact();
  return arrays.results();
}

// `coarse`: on numbers that are representable in bf16.
inline Results run_double(const Case& one, bool coarse = false) {
  Arrays<double> arrays(one.seed(), std::pmr::get_default_resource(), coarse);
  one.in_double(arrays, reference<double>());
  return arrays.results();
}

// Tolerance of single precision against double: a few units in the last place of the array's typical value, or, for
// long sums, a few times the error of the scalar sum.
struct Bounds {
  // The error where sums of terms of about one cancel.
  static constexpr double kLeast = 0.25;

  double typical = 0, scalar_error = 0;

  Bounds(const std::vector<double>& exact, const std::vector<double>& scalar) {
    double squares = 0;
    Size finite = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (std::isfinite(exact[i])) {
        squares += exact[i] * exact[i];
        ++finite;
        if (std::isfinite(scalar[i])) scalar_error = std::max(scalar_error, std::abs(exact[i] - scalar[i]));
      }
    if (finite > 0) typical = std::sqrt(squares / static_cast<double>(finite));
  }

  bool accept(double exact, double value) const {
    if (std::isnan(exact)) return std::isnan(value);
    if (std::isinf(exact)) return value == exact;
    return std::abs(exact - value) <= 4e-6 * (typical + std::abs(exact) + kLeast) + 4 * scalar_error;
  }
};

inline void expect_close(const Results& exact, const Results& scalar, const Results& actual) {
  ASSERT_EQ(exact.size(), actual.size());
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const Bounds bounds(exact[a].values, scalar[a].values);
    for (std::size_t i = 0; i < exact[a].values.size(); ++i)
      if (!bounds.accept(exact[a].values[i], actual[a].values[i])) {
        ADD_FAILURE() << exact[a].name << "[" << i << "] of " << exact[a].values.size() << ": expected "
                      << exact[a].values[i] << " but got " << actual[a].values[i];
        break;
      }
  }
}

inline void expect_same_bits(const Results& first, const Results& second) {
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t a = 0; a < first.size(); ++a) {
    ASSERT_EQ(first[a].values.size(), second[a].values.size());
    if (first[a].values.empty()) continue;
    EXPECT_EQ(std::memcmp(first[a].values.data(), second[a].values.data(), first[a].values.size() * sizeof(double)), 0)
        << first[a].name;
  }
}

}  // namespace dragoman::kernels::test

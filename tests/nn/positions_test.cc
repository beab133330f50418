#include "nn/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/threads.h"

namespace dragoman::nn {
namespace {

// The equations of the header, one number at a time.
double sinusoid(Sinusoids kind, Size position, Size column, Size size) {
  const bool alternates = kind == Sinusoids::alternating;
  const Size sines = (size + 1) / 2, i = alternates ? column / 2 : column % sines;
  const double exponent = kind == Sinusoids::tensor2tensor ? static_cast<double>(i) / static_cast<double>(size / 2 - 1)
                                                           : static_cast<double>(2 * i) / static_cast<double>(size);
  const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
  return (alternates ? column % 2 == 0 : column < sines) ? std::sin(angle) : std::cos(angle);
}

TEST(SinusoidalPositions, FollowTheirEquationsOnAnyNumberOfThreads) {
  constexpr Size kFirst = 3, kCount = 100;
  for (const Sinusoids kind : {Sinusoids::alternating, Sinusoids::halves, Sinusoids::tensor2tensor})
    for (const Size size : {6, 7}) {
      const std::vector<double> rows = sinusoidal_rows(kFirst, kCount, size, kind);
      for (Size p = 0; p < kCount; ++p)
        for (Size c = 0; c < size; ++c)
          ASSERT_NEAR(rows[p * size + c], sinusoid(kind, kFirst + p, c, size), 1e-12)
              << name_of(kind) << " " << p << " " << c;
      const threads::SerialScope alone;
      EXPECT_EQ(sinusoidal_rows(kFirst, kCount, size, kind), rows);
    }
}

}  // namespace
}  // namespace dragoman::nn

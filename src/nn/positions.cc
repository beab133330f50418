#include "nn/positions.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace dragoman::nn {

Tensor position_ids(const Context& cx, const Segments& rows, std::span<const std::int32_t> first) {
  const std::span<std::int32_t> ids = cx.host_array<std::int32_t>(rows.total());
  for (Size s = 0; s < rows.count(); ++s)
    for (Size i = 0; i < rows.length(s); ++i)
      ids[rows.begin(s) + i] = static_cast<std::int32_t>(i) + (first.empty() ? 0 : first[s]);
  return cx.from_host<std::int32_t>(ids, {rows.total()});
}

std::vector<double> sinusoidal_rows(Size first, Size count, Size size, Sinusoids sinusoids) {
  const bool alternate = sinusoids == Sinusoids::alternating;
  const Size sines = alternate ? (size + 1) / 2 : size - size / 2;
  const double spacing = sinusoids == Sinusoids::tensor2tensor
                             ? 1.0 / static_cast<double>(std::max<Size>(size / 2 - 1, 1))
                             : 2.0 / static_cast<double>(size);
  std::vector<double> periods(static_cast<std::size_t>(sines));  // of a sine and its cosine, divided by 2 pi
  for (Size i = 0; i < sines; ++i) periods[i] = std::pow(10000.0, static_cast<double>(i) * spacing);
  std::vector<double> rows(static_cast<std::size_t>(count * size));
  constexpr Size kGrain = 16;  // rows that are worth a thread
  threads::split(count, kGrain, [&](Size begin, Size end) {
    for (Size p = begin; p < end; ++p)
      for (Size c = 0; c < size; ++c) {
        const bool is_sine = alternate ? c % 2 == 0 : c < sines;
        const Size i = alternate ? c / 2 : is_sine ? c : c - sines;
        const double angle = static_cast<double>(first + p) / periods[i];
        rows[p * size + c] = is_sine ? std::sin(angle) : std::cos(angle);
      }
  });
  return rows;
}

}  // namespace dragoman::nn

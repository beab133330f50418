#pragma once

#include "base/options.h"
#include "nn/parameters.h"

namespace dragoman::nn {

enum class PositionKind { none, sinusoidal, learned, rotary };

// The position of each packed row in its sentence: first[s] + 0, 1, 2, ... for sentence s; i32 [N]. `first` is the
// number of past tokens of each sentence; empty means none.
Tensor position_ids(const Context& cx, const Segments& rows, std::span<const std::int32_t> first = {});

// [count, size], from position `first`: sin and cos of p / 10000^(2i/size) in alternating columns (Vaswani et al.
// 2017).
std::vector<double> sinusoidal_rows(Size first, Size count, Size size);

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::PositionKind> {
  static constexpr std::pair<nn::PositionKind, const char*> list[] = {{nn::PositionKind::none, "none"},
                                                                      {nn::PositionKind::sinusoidal, "sinusoidal"},
                                                                      {nn::PositionKind::learned, "learned"},
                                                                      {nn::PositionKind::rotary, "rotary"}};
};
}  // namespace dragoman

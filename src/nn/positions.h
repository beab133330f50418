#pragma once

#include "base/options.h"
#include "nn/parameters.h"

namespace dragoman::nn {

enum class PositionKind { none, sinusoidal, learned, rotary, relative };

// Where sines and cosines of position p are, and how their wavelengths are spaced, for i = 0 .. size/2 - 1:
enum class Sinusoids {
  alternating,    // in turn, of p / 10000^(2i/size) (Vaswani et al. 2017)
  halves,         // first all sines, then all cosines, of the same angles
  tensor2tensor,  // in halves, of p / 10000^(i/(size/2 - 1)), as in tensor2tensor, fairseq and Marian
};

// The position of each packed row in its sentence: first[s] + 0, 1, 2, ... for sentence s; i32 [N]. `first` is the
// number of past tokens of each sentence; empty means none.
Tensor position_ids(const Context& cx, const Segments& rows, std::span<const std::int32_t> first = {});

// [count, size], from position `first`.
std::vector<double> sinusoidal_rows(Size first, Size count, Size size, Sinusoids sinusoids = Sinusoids::alternating);

}  // namespace dragoman::nn

namespace dragoman {
template <>
struct EnumNames<nn::PositionKind> {
  static constexpr std::pair<nn::PositionKind, const char*> list[] = {{nn::PositionKind::none, "none"},
                                                                      {nn::PositionKind::sinusoidal, "sinusoidal"},
                                                                      {nn::PositionKind::learned, "learned"},
                                                                      {nn::PositionKind::rotary, "rotary"},
                                                                      {nn::PositionKind::relative, "relative"}};
};
template <>
struct EnumNames<nn::Sinusoids> {
  static constexpr std::pair<nn::Sinusoids, const char*> list[] = {{nn::Sinusoids::alternating, "alternating"},
                                                                   {nn::Sinusoids::halves, "halves"},
                                                                   {nn::Sinusoids::tensor2tensor, "tensor2tensor"}};
};
}  // namespace dragoman

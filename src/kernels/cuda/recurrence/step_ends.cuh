#pragma once

#include "kernels/cuda/products/sums.cuh"
#include "kernels/cuda/recurrence/lstm.cuh"

// Epilogues (End in sums.cuh) of the steps of recurrent decoders.
namespace dragoman::kernels::cuda::sums {

// Dropout of x after rounding to bf16. The random number of an element depends on its index, row by row.
__device__ inline Four dropped(const Drop& drop, Size row, Size col, Size cols, const Four& x) {
  const auto element = static_cast<std::uint64_t>(row * Dropout::stride(cols) + col);
  Four y;
#pragma unroll
  for (int i = 0; i < 4; ++i) y[i] = to_float(rounded<bf16>(x[i])) * drop.factor(element + i);
  return y;
}

struct Cell {
  static constexpr int kGroups = 4;
  static constexpr bool kBack = false, kIndependentWeights = true, kSeparate = false;
  LstmCell<bf16> a;
  const bf16* bias;
  bf16* dropped_h;
  Drop drop;

  struct Operands {
    Raw4 gates[4], c_before;
  };
  __device__ Operands load_operands(Size row, Size unit) const {
    const Size n = a.hidden;
    Operands operands;
#pragma unroll
    for (int gate = 0; gate < 4; ++gate)
      operands.gates[gate] = load4(bias != nullptr ? bias + gate * n + unit : a.gates + (4 * row + gate) * n + unit);
    operands.c_before = load4(a.c_before + row * n + unit);
    return operands;
  }
  __device__ void finish(Size row, Size unit, const Operands& operands, Sums<kGroups, kSeparate>& sums) const {
    const Size n = a.hidden, at = row * n + unit;
    auto& [i, f, g, o] = sums[0];
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) sums[0][gate] += operands.gates[gate];
    const Four before = operands.c_before;
    Four c, h;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const LstmUnit u = lstm_unit<FastMath>(i[e], f[e], g[e], o[e], before[e]);
      i[e] = u.i, f[e] = u.f, g[e] = u.g, o[e] = u.o, c[e] = u.c, h[e] = u.h;
    }
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) store4(a.gates + (4 * row + gate) * n + unit, sums[0][gate]);
    store4(a.c + at, c);
    store4(a.h + at, h);
    if (dropped_h != nullptr) store4(dropped_h + at, dropped(drop, row, unit, n, h));
  }
};

template <bool kDrops>
struct CellBackward {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = true, kIndependentWeights = true, kSeparate = kDrops;
  LstmCellBackward<bf16> a;
  Drop drop;

  struct Operands {
    Raw4 gates[4], c_before, c, dh, dc;
  };
  __device__ Operands load_operands(Size row, Size unit) const {
    const Size n = a.hidden, at = row * n + unit;
    Operands operands;
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) operands.gates[gate] = load4(a.gates + (4 * row + gate) * n + unit);
    operands.c_before = load4(a.c_before + at);
    operands.c = load4(a.c + at);
    operands.dh = load4(a.dh != nullptr ? a.dh + at : nullptr);
    operands.dc = load4(a.dc != nullptr ? a.dc + at : nullptr);
    return operands;
  }
  __device__ void finish(Size row, Size unit, const Operands& operands, Sums<kGroups, kSeparate>& sums) const {
    const Size n = a.hidden, at = row * n + unit;
    Four dh = operands.dh;
    if constexpr (kSeparate) {
      dh += dropped(drop, row, unit, n, sums[0][0]);
      dh += sums[1][0];
    } else {
      dh += sums[0][0];
    }
    Four gates[4] = {operands.gates[0], operands.gates[1], operands.gates[2], operands.gates[3]}, dc_before;
    const Four c_before = operands.c_before, c = operands.c, dc = operands.dc;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const LstmUnitGradient d = lstm_unit_backward<FastMath>(gates[0][e], gates[1][e], gates[2][e], gates[3][e],
                                                              c_before[e], c[e], dh[e], dc[e]);
      gates[0][e] = d.i, gates[1][e] = d.f, gates[2][e] = d.g, gates[3][e] = d.o, dc_before[e] = d.c_before;
    }
#pragma unroll
    for (int gate = 0; gate < 4; ++gate) store4(a.dgates + (4 * row + gate) * n + unit, gates[gate]);
    if (a.dc_before == nullptr) return;
    if (a.accumulate_dc_before) dc_before += load4(a.dc_before + at);
    store4(a.dc_before + at, dc_before);
  }
};

struct Tanh {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = false, kIndependentWeights = true, kSeparate = false;
  Size cols;
  const bf16* bias;
  bf16 *y, *dropped_y;
  Drop drop;

  using Operands = Raw4;
  __device__ Operands load_operands(Size, Size col) const { return load4(bias + col); }
  __device__ void finish(Size row, Size col, const Operands& operands, Sums<kGroups, kSeparate>& sums) const {
    const Size at = row * cols + col;
    Four value = sums[0][0];
    value += operands;
#pragma unroll
    for (int e = 0; e < 4; ++e) value[e] = FastMath::tanh(value[e]);
    store4(y + at, value);
    if (dropped_y != nullptr) store4(dropped_y + at, dropped(drop, row, col, cols, value));
  }
};

struct TanhBackward {
  static constexpr int kGroups = 1;
  static constexpr bool kBack = true, kIndependentWeights = true, kSeparate = false;
  Size cols;
  const bf16 *y, *dy;
  bf16* dz;
  Drop drop;

  struct Operands {
    Raw4 y, dy;
  };
  __device__ Operands load_operands(Size row, Size col) const {
    return {load4(y + row * cols + col), load4(dy + row * cols + col)};
  }
  __device__ void finish(Size row, Size col, const Operands& operands, Sums<kGroups, kSeparate>& sums) const {
    const Four result = operands.y;
    Four value = sums[0][0];
    value += operands.dy;
    if (drop.drops) value = dropped(drop, row, col, cols, value);
#pragma unroll
    for (int e = 0; e < 4; ++e) value[e] *= 1 - result[e] * result[e];
    store4(dz + row * cols + col, value);
  }
};

}  // namespace dragoman::kernels::cuda::sums

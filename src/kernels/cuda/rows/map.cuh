#pragma once

#include "kernels/cuda/runtime/dependent_launch.cuh"

// Elementwise functions of arrays: y[e] = f(x0[e], x1[e], ...), or y[e] += f(...).
namespace dragoman::kernels::cuda {

template <class T, int kInputs>
struct MapArguments {
  Size count = 0;
  const T* inputs[kInputs > 0 ? kInputs : 1] = {};
  T* y = nullptr;
  bool accumulate = false;
};

// Each thread handles eight adjacent elements where the arrays are aligned, otherwise one.
template <bool kWide, class T, int kInputs, class F>
__global__ void map_elements(MapArguments<T, kInputs> a, F f) {
  constexpr int kMost = kInputs > 0 ? kInputs : 1;
  wait_for_previous_kernel();
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size first = kWide ? 8 * thread : thread;
  if (kWide && first + 8 <= a.count) {
    float x[kMost][8], y[8];
    for (int i = 0; i < kInputs; ++i) load8(a.inputs[i] + first, x[i]);
    if (a.accumulate) load8(a.y + first, y);
    for (int e = 0; e < 8; ++e) {
      float values[kMost];
      for (int i = 0; i < kInputs; ++i) values[i] = x[i][e];
      y[e] = (a.accumulate ? y[e] : 0.0f) + f(values);
    }
    store8(a.y + first, y);
    return;
  }
  for (Size e = first; e < a.count && e < first + (kWide ? 8 : 1); ++e) {
    float values[kMost];
    for (int i = 0; i < kInputs; ++i) values[i] = to_float(a.inputs[i][e]);
    put(a.y[e], f(values), a.accumulate);
  }
}

template <class T, int kInputs, class F>
void map(const char* name, const MapArguments<T, kInputs>& a, F f) {
  if (a.count == 0) return;
  constexpr int kThreads = 256;
  bool wide = aligned16(a.y);
  for (int i = 0; i < kInputs; ++i) wide = wide && aligned16(a.inputs[i]);
  if (wide)
    launch_dependent(name, map_elements<true, T, kInputs, F>, blocks_for(a.count, 8 * kThreads), kThreads, a, f);
  else
    launch_dependent(name, map_elements<false, T, kInputs, F>, blocks_for(a.count, kThreads), kThreads, a, f);
}

}  // namespace dragoman::kernels::cuda

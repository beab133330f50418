#include "kernels/cuda/filling.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

// A thread takes one column through the rows of one sentence; neighbouring threads have neighbouring columns, so their
// loads coalesce. Only the state depends on the previous row: the operands of kAhead rows are loaded together.
namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 128, kAhead = 8;

// The sentence and column of a thread.
template <class T>
struct Place {
  Size sentence, column, begin, end;
  bool valid;

  __device__ explicit Place(const Ssru<T>& a) {
    const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
    sentence = thread / a.hidden, column = thread % a.hidden;
    valid = sentence < a.sentences;
    begin = valid ? a.offsets[sentence] : 0;
    end = valid ? a.offsets[sentence + 1] : 0;
  }
  __device__ Size state(const Ssru<T>& a) const { return sentence * a.hidden + column; }
  __device__ float first(const Ssru<T>& a) const { return a.c_first != nullptr ? a.c_first[state(a)] : 0.0f; }
};

template <class T>
__global__ void __launch_bounds__(kThreads) forward(Ssru<T> a) {
  wait_for_previous_kernel();
  const Place<T> place(a);
  if (!place.valid) return;
  float c = place.first(a);
  for (Size row = place.begin; row < place.end; row += kAhead) {
    float g[kAhead], x[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (row + i >= place.end) continue;
      const T* gates = a.gates + (row + i) * 2 * a.hidden + place.column;
      g[i] = to_float(gates[0]), x[i] = to_float(gates[a.hidden]);
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (row + i >= place.end) continue;
      const Size at = (row + i) * a.hidden + place.column;
      c = x[i] + sigmoid(g[i]) * (c - x[i]);
      a.h[at] = rounded<T>(c > 0 ? c : 0.0f);
      if (a.c != nullptr) a.c[at] = c;
    }
  }
  a.c_last[place.state(a)] = c;
}

template <class T>
void ssru(const Ssru<T>& a) {
  if (a.sentences * a.hidden == 0) return;
  launch_dependent("ssru", forward<T>, blocks_for(a.sentences * a.hidden, kThreads), kThreads, a);
}

template <class T>
__global__ void __launch_bounds__(kThreads) backward(SsruBackward<T> b) {
  wait_for_previous_kernel();
  const Ssru<T>& a = b.forward;
  const Place<T> place(a);
  if (!place.valid) return;
  float dc = b.dc_last != nullptr ? b.dc_last[place.state(a)] : 0.0f;
  for (Size row = place.end - 1; row >= place.begin; row -= kAhead) {
    float g[kAhead], x[kAhead], dh[kAhead], before[kAhead];
    bool positive[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const Size now = row - i;
      if (now < place.begin) continue;
      const Size at = now * a.hidden + place.column;
      const T* gates = a.gates + now * 2 * a.hidden + place.column;
      g[i] = to_float(gates[0]), x[i] = to_float(gates[a.hidden]);
      dh[i] = b.dh != nullptr ? to_float(b.dh[at]) : 0.0f;
      positive[i] = a.c[at] > 0;
      before[i] = now > place.begin ? a.c[at - a.hidden] : place.first(a);
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      const Size now = row - i;
      if (now < place.begin) continue;
      const float f = sigmoid(g[i]);
      if (positive[i]) dc += dh[i];
      if (b.dgates != nullptr) {
        T* dgates = b.dgates + now * 2 * a.hidden + place.column;
        put(dgates[0], dc * (before[i] - x[i]) * f * (1 - f), b.accumulate_dgates);
        put(dgates[a.hidden], dc * (1 - f), b.accumulate_dgates);
      }
      dc *= f;
    }
  }
  if (b.dc_first != nullptr) put(b.dc_first[place.state(a)], dc, b.accumulate_dc_first);
}

template <class T>
void ssru_backward(const SsruBackward<T>& b) {
  const Ssru<T>& a = b.forward;
  if (a.sentences * a.hidden == 0) return;
  launch_dependent("ssru_backward", backward<T>, blocks_for(a.sentences * a.hidden, kThreads), kThreads, b);
}

}  // namespace

template <class T>
void fill_ssru(Kernels<T>& kernels) {
  kernels.ssru = ssru<T>;
  kernels.ssru_backward = ssru_backward<T>;
}

template void fill_ssru(Kernels<float>&);
template void fill_ssru(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda

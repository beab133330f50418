#include <cfloat>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/runtime/dependent_launch.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWarps = 4;

// The number of threads of a block that processes one row.
unsigned threads_for(Size cols) { return cols > 4096 ? 512 : 128; }

template <class A>
__device__ Size row_begin(const A& a, Size row) {
  return a.starts != nullptr ? a.starts[row] : row * a.cols;
}

// One warp per row.
template <class T>
__global__ void softmax_rows(Softmax<T> a) {
  wait_for_previous_kernel();
  const Size row = static_cast<Size>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= a.rows) return;
  const Size begin = row_begin(a, row), end = row_begin(a, row + 1);
  float largest = -INFINITY, sum = 0;
  for (Size e = begin + lane; e < end; e += kWarp) largest = fmaxf(largest, to_float(a.x[e]));
  largest = warp_max(largest);
  for (Size e = begin + lane; e < end; e += kWarp) sum += expf(to_float(a.x[e]) - largest);
  const float share = 1 / warp_sum(sum);
  for (Size e = begin + lane; e < end; e += kWarp) a.y[e] = rounded<T>(expf(to_float(a.x[e]) - largest) * share);
}

template <class T>
void softmax(const Softmax<T>& a) {
  if (a.rows == 0) return;
  launch_dependent("softmax", softmax_rows<T>, blocks_for(a.rows, kWarps), kWarps * kWarp, a);
}

template <class T>
__global__ void softmax_rows_backward(SoftmaxBackward<T> a) {
  wait_for_previous_kernel();
  const Size row = static_cast<Size>(blockIdx.x) * kWarps + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= a.rows) return;
  const Size begin = row_begin(a, row), end = row_begin(a, row + 1);
  float dot = 0;
  for (Size e = begin + lane; e < end; e += kWarp) dot += to_float(a.y[e]) * to_float(a.dy[e]);
  dot = warp_sum(dot);
  for (Size e = begin + lane; e < end; e += kWarp)
    put(a.dx[e], to_float(a.y[e]) * (to_float(a.dy[e]) - dot), a.accumulate_dx);
}

template <class T>
void softmax_backward(const SoftmaxBackward<T>& a) {
  if (a.rows == 0) return;
  launch_dependent("softmax_backward", softmax_rows_backward<T>, blocks_for(a.rows, kWarps), kWarps * kWarp, a);
}

// exp(x - from), where `shift` is from * log2(e).
__device__ float exp_from(float x, float shift) { return power_of_two(x * kLog2E - shift); }

// Online softmax statistics of a row: the largest value so far, the sum of exp(x - largest), and the sum of x.
struct RowState {
  float largest = -FLT_MAX / 2, sum = 0, total = 0;  // so that largest * log2(e) is finite

  __device__ void add(float x) {
    // NaN propagates to both sums.
    const float most = fmaxf(largest, x);
    sum = sum * __expf(largest - most) + __expf(x - most);
    largest = most;
    total += x;
  }
  __device__ void add(const float (&x)[8]) {
    const float before = largest;
    for (const float value : x) largest = fmaxf(largest, value);
    const float shift = largest * kLog2E;
    sum *= exp_from(before, shift);
    for (const float value : x) {
      sum += exp_from(value, shift);
      total += value;
    }
  }
};

struct EntropyNumbers {
  float smoothing, scale;
};

// Calls f(c, the eight numbers from c on) for the columns of a thread, with two loads in flight.
template <class T, class F>
__device__ void each_eight(Size cols, const T* row, const F& f) {
  const Size step = 8 * blockDim.x;
  for (Size c = 8 * threadIdx.x; c < cols; c += 2 * step) {
    const bool both = c + step < cols;
    Eight<T> one, other;
    one.load(row + c);
    if (both) other.load(row + c + step);
    float x[8];
    one.unpack(x);
    f(c, x);
    if (!both) return;
    other.unpack(x);
    f(c + step, x);
  }
}

// One block per row. With kWide, the number of classes is a multiple of eight and rows are read in vectors.
template <bool kWide, class T>
__global__ void entropy_rows(CrossEntropy<T> a, EntropyNumbers n) {
  __shared__ float room[32];
  const Size row = blockIdx.x;
  T* logits = a.logits + row * a.classes;
  const float target_logit = to_float(logits[a.targets[row]]);
  RowState state;
  if constexpr (kWide) {
    each_eight(a.classes, logits, [&](Size, const float(&x)[8]) { state.add(x); });
  } else {
    for (Size c = threadIdx.x; c < a.classes; c += blockDim.x) state.add(to_float(logits[c]));
  }
  const float largest = block_max(state.largest, room);
  const float sum = block_sum(state.sum * __expf(state.largest - largest), room);
  const float total = block_sum(state.total, room);
  const float log_sum = largest + logf(sum);
  const auto classes = static_cast<float>(a.classes);
  if (threadIdx.x == 0) {
    const float nll = log_sum - target_logit, uniform = log_sum - total / classes;
    a.nll[row] = nll;
    a.loss[row] = (1 - n.smoothing) * nll + n.smoothing * uniform;
  }
  if (n.scale == 0) return;
  const float others = n.smoothing / classes, target = others + 1 - n.smoothing;
  const Size correct = a.targets[row];
  const float shift = log_sum * kLog2E;
  const auto gradient = [&](float x, bool is_correct) {
    return n.scale * (exp_from(x, shift) - (is_correct ? target : others));
  };
  if constexpr (kWide) {
    each_eight(a.classes, logits, [&](Size c, float(&x)[8]) {
      const auto at = static_cast<int>(correct - c);
      for (int e = 0; e < 8; ++e) x[e] = gradient(x[e], e == at);
      store8(logits + c, x);
    });
  } else {
    for (Size c = threadIdx.x; c < a.classes; c += blockDim.x)
      logits[c] = rounded<T>(gradient(to_float(logits[c]), c == correct));
  }
}

template <class T>
void cross_entropy(const CrossEntropy<T>& a) {
  if (a.rows == 0) return;
  const EntropyNumbers n{static_cast<float>(a.smoothing), static_cast<float>(a.gradient_scale)};
  const auto blocks = static_cast<unsigned>(a.rows);
  if (a.classes % 8 == 0 && aligned16(a.logits))
    entropy_rows<true><<<blocks, threads_for(a.classes), 0, stream()>>>(a, n);
  else
    entropy_rows<false><<<blocks, 256, 0, stream()>>>(a, n);
  check_launch("cross_entropy");
}

}  // namespace

template <class T>
void fill_softmax(Kernels<T>& kernels) {
  kernels.softmax = softmax<T>;
  kernels.softmax_backward = softmax_backward<T>;
  kernels.cross_entropy = cross_entropy<T>;
}

template void fill_softmax(Kernels<float>&);
template void fill_softmax(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda

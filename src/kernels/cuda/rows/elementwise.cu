#include <algorithm>

#include "kernels/cuda/filling.h"
#include "kernels/cuda/rows/activation.cuh"
#include "kernels/cuda/rows/map.cuh"

namespace dragoman::kernels::cuda {
namespace {

template <class T>
void activate(const Activate<T>& a) {
  const Activation kind = a.activation;
  map<T, 1>("activate", {a.count, {a.x}, a.y}, [kind] __device__(const float(&x)[1]) { return activated(kind, x[0]); });
}

template <class T>
void activate_backward(const ActivateBackward<T>& a) {
  const Activation kind = a.activation;
  if (kind == Activation::none)  // `saved` may be null then
    return map<T, 1>("activate_backward", {a.count, {a.dy}, a.dx, a.accumulate_dx},
                     [] __device__(const float(&x)[1]) { return x[0]; });
  map<T, 2>("activate_backward", {a.count, {a.saved, a.dy}, a.dx, a.accumulate_dx},
            [kind] __device__(const float(&x)[2]) { return x[1] * activation_slope(kind, x[0]); });
}

template <class T>
void combine(const Combine<T>& a) {
  const auto alpha = static_cast<float>(a.alpha), beta = static_cast<float>(a.beta);
  if (a.b == nullptr)
    return map<T, 1>("combine", {a.count, {a.a}, a.y}, [alpha] __device__(const float(&x)[1]) { return alpha * x[0]; });
  map<T, 2>("combine", {a.count, {a.a, a.b}, a.y},
            [alpha, beta] __device__(const float(&x)[2]) { return alpha * x[0] + beta * x[1]; });
}

template <class T>
void multiply(const Multiply<T>& a) {
  map<T, 2>("multiply", {a.count, {a.a, a.b}, a.y, a.accumulate},
            [] __device__(const float(&x)[2]) { return x[0] * x[1]; });
}

template <class T>
void fill(const Fill<T>& a) {
  const auto value = static_cast<float>(a.value);
  map<T, 0>("fill", {a.count, {}, a.y}, [value] __device__(const float(&)[1]) { return value; });
}

// Each thread takes eight elements of a row; a row is a multiple of 32 elements.
template <class T>
__global__ void drop_elements(DropElements<T> a, Drop drop, bool wide) {
  wait_for_previous_kernel();
  const Size eights = Dropout::stride(a.cols) / 8;
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size row = thread / eights, col = thread % eights * 8;
  const unsigned kept = drop.drops ? drop.keeps8(static_cast<std::uint64_t>(thread) * 8) : 0xFFu;
  if (row >= a.rows || col >= a.cols) return;
  const Size at = row * a.cols + col;
  if (wide) {
    float x[8], y[8];
    load8(a.x + at, x);
    if (a.accumulate) load8(a.y + at, y);
    for (int e = 0; e < 8; ++e) y[e] = (a.accumulate ? y[e] : 0.0f) + (kept >> e & 1 ? drop.scale * x[e] : 0.0f);
    return store8(a.y + at, y);
  }
  for (int e = 0; e < 8 && col + e < a.cols; ++e)
    put(a.y[at + e], kept >> e & 1 ? drop.scale * to_float(a.x[at + e]) : 0.0f, a.accumulate);
}

template <class T>
void dropout(const DropElements<T>& a) {
  if (a.rows * a.cols == 0) return;
  constexpr int kThreads = 256;
  const Size threads = a.rows * Dropout::stride(a.cols) / 8;
  const bool wide = a.cols % 8 == 0 && aligned16(a.x, a.y);
  launch_dependent("dropout", drop_elements<T>, blocks_for(threads, kThreads), kThreads, a, Drop(a.dropout), wide);
}

template <class From, class To>
__global__ void convert(Size count, const From* x, To* y) {
  const Size first = 8 * (static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x);
  for (Size e = first; e < count && e < first + 8; ++e) y[e] = rounded<To>(to_float(x[e]));
}

template <class From, class To>
__global__ void convert_wide(Size count, const From* x, To* y) {
  const Size first = 8 * (static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x);
  float values[8];
  if (first + 8 <= count) {
    load8(x + first, values);
    return store8(y + first, values);
  }
  for (Size e = first; e < count; ++e) y[e] = rounded<To>(to_float(x[e]));
}

template <class From, class To>
void convert_all(const char* name, Size count, const From* x, To* y) {
  if (count == 0) return;
  constexpr int kThreads = 256;
  const unsigned blocks = blocks_for(count, 8 * kThreads);
  if (aligned16(x, y))
    convert_wide<<<blocks, kThreads, 0, stream()>>>(count, x, y);
  else
    convert<<<blocks, kThreads, 0, stream()>>>(count, x, y);
  check_launch(name);
}

template <class T>
void to_bf16(const ToBf16<T>& a) {
  convert_all("to_bf16", a.count, a.x, a.y);
}

template <class T>
void from_bf16(const FromBf16<T>& a) {
  convert_all("from_bf16", a.count, a.x, a.y);
}

// A benign race: all threads that find a NaN or infinity write the same value.
template <class T>
__global__ void find_bad(Size count, const T* x, int* bad) {
  for (Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x; e < count;
       e += static_cast<Size>(gridDim.x) * blockDim.x)
    if (!isfinite(to_float(x[e]))) *bad = 1;
}

template <class T>
void all_finite(const AllFinite<T>& a) {
  int* bad = scratch<int>(Scratch::partial_sums, 1);
  clear(bad, sizeof(int));
  if (a.count > 0) {
    find_bad<<<multiprocessors() * 4, 256, 0, stream()>>>(a.count, a.x, bad);
    check_launch("all_finite");
  }
  int answer = 0;
  copy_to_host(&answer, bad, sizeof(int));
  *a.result = answer == 0;
}

template <class T>
__global__ void turn(Rotate<T> a) {
  const Size half = a.size / 2;
  const Size thread = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Size i = thread % half, head = thread / half % a.heads, row = thread / half / a.heads;
  if (row >= a.rows) return;
  const double turns = exp(-2.0 * static_cast<double>(i) / static_cast<double>(a.size) * 9.210340371976184);
  double s = 0, c = 0;
  sincos((a.inverse ? -1 : 1) * a.position[row] * turns, &s, &c);
  const T* x = a.x + row * a.x_stride + head * a.size;
  T* y = a.y + row * a.y_stride + head * a.size;
  const float first = to_float(x[i]), second = to_float(x[half + i]);
  const auto sine = static_cast<float>(s), cosine = static_cast<float>(c);
  put(y[i], first * cosine - second * sine, a.accumulate);
  put(y[half + i], first * sine + second * cosine, a.accumulate);
}

template <class T>
void rotate(const Rotate<T>& a) {
  const Size threads = a.rows * a.heads * (a.size / 2);
  if (threads == 0) return;
  turn<<<blocks_for(threads, 256), 256, 0, stream()>>>(a);
  check_launch("rotate");
}

template <class T>
__global__ void clear_all(Size count, T* y) {
  wait_for_previous_kernel();
  const Size stride = static_cast<Size>(gridDim.x) * blockDim.x;
  for (Size e = static_cast<Size>(blockIdx.x) * blockDim.x + threadIdx.x; e < count; e += stride) y[e] = {};
}

template <class T>
void clear_with(Size count, void* memory) {
  const unsigned blocks = std::min(blocks_for(count, 256), static_cast<unsigned>(16 * multiprocessors()));
  launch_dependent("clear", clear_all<T>, blocks, 256, count, static_cast<T*>(memory));
}

}  // namespace

// Uses a kernel, because unlike cudaMemsetAsync it can be recorded together with others (collector.h).
void clear(void* memory, std::size_t bytes) {
  const auto count = static_cast<Size>(bytes), each = static_cast<Size>(sizeof(uint4));
  if (count == 0) return;
  if (aligned16(memory) && count % each == 0)
    clear_with<uint4>(count / each, memory);
  else
    clear_with<unsigned char>(count, memory);
}

template <class T>
void fill_elementwise(Kernels<T>& kernels) {
  kernels.rotate = rotate<T>;
  kernels.activate = activate<T>;
  kernels.activate_backward = activate_backward<T>;
  kernels.combine = combine<T>;
  kernels.multiply = multiply<T>;
  kernels.dropout = dropout<T>;
  kernels.fill = fill<T>;
  kernels.to_bf16 = to_bf16<T>;
  kernels.from_bf16 = from_bf16<T>;
  kernels.all_finite = all_finite<T>;
}

template void fill_elementwise(Kernels<float>&);
template void fill_elementwise(Kernels<bf16>&);

}  // namespace dragoman::kernels::cuda

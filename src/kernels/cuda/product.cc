#include "kernels/cuda/product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <type_traits>

#include "kernels/cuda/blas.h"
#include "kernels/cuda/columns.h"
#include "kernels/cuda/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;

bool tf32 = false;

template <class T>
constexpr cudaDataType_t kType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16BF;

// Everything that the choice of an algorithm may depend on.
using Key = std::array<std::int64_t, 8>;

int alignment_of(const void* pointer) {
  return static_cast<int>(std::min<std::uintptr_t>(
      16, std::uintptr_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(pointer) | 16)));
}

// Sizes above 128 go up to one of four steps between powers of two: batches of about the same size share a choice,
// whichever came first.
Size coarse(Size size) {
  if (size <= 128) return size;
  const int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 3;
  const Size step = Size{1} << shift;
  return (size + step - 1) / step * step;
}

// One product as cuBLASLt sees it. The library thinks in columns, so c^T = op(b)^T op(a)^T is what it is asked for.
class Call {
 public:
  Call(const ProductShape& s, const ProductEnd& end, cudaDataType_t in, cudaDataType_t out) {
    const cublasComputeType_t compute = in == CUDA_R_32F && tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check_blas(blas().create_operation(&operation_, compute, CUDA_R_32F), "product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.transposed_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (end.bias != nullptr || end.relu) {
      const cublasLtEpilogue_t epilogue = end.bias == nullptr ? CUBLASLT_EPILOGUE_RELU
                                          : end.relu          ? CUBLASLT_EPILOGUE_RELU_BIAS
                                                              : CUBLASLT_EPILOGUE_BIAS;
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
      if (end.bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, end.bias);
    }
    layout(b_, in, s.transposed_b ? s.k : s.n, s.transposed_b ? s.n : s.k, s.b_stride);
    layout(a_, in, s.transposed_a ? s.m : s.k, s.transposed_a ? s.k : s.m, s.a_stride);
    layout(c_, out, s.n, s.m, s.c_stride);
  }
  ~Call() {
    for (cublasLtMatrixLayout_t one : {a_, b_, c_})
      if (one != nullptr) blas().destroy_layout(one);
    if (operation_ != nullptr) blas().destroy_operation(operation_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // What the library would take first for matrices that are aligned so.
  bool choose(const void* a, const void* b, const void* c, const void* bias, cublasLtMatmulAlgo_t& algorithm) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check_blas(blas().create_preference(&preference), "product");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      check_blas(blas().set_preference(preference, what, &value, sizeof(value)), "product");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspace);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<std::uint32_t>(alignment_of(b)));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<std::uint32_t>(alignment_of(a)));
    const auto end_alignment = static_cast<std::uint32_t>(std::min(alignment_of(c), alignment_of(bias)));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, end_alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, end_alignment);
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status =
        blas().choose(blas().handle, operation_, b_, a_, c_, c_, preference, 1, &best, &found);
    blas().destroy_preference(preference);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) return false;
    algorithm = best.algo;
    return true;
  }

  cublasStatus_t run(const ProductShape& s, const void* a, const void* b, void* c,
                     const cublasLtMatmulAlgo_t& algorithm) const {
    const auto alpha = static_cast<float>(s.alpha), beta = s.accumulate ? 1.0f : 0.0f;
    return blas().matmul(blas().handle, operation_, &alpha, b, b_, a, a_, &beta, c, c_, c, c_, &algorithm,
                         scratch_bytes(Scratch::products, kWorkspace), kWorkspace, stream());
  }

 private:
  template <class V>
  void set(cublasLtMatmulDescAttributes_t what, V value) {
    check_blas(blas().set_operation(operation_, what, &value, sizeof(value)), "product");
  }
  // `rows` values lie side by side; `stride` 0 means that nothing is between the columns.
  void layout(cublasLtMatrixLayout_t& to, cudaDataType_t type, Size rows, Size cols, Size stride) {
    check_blas(blas().create_layout(&to, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols),
                                    stride > 0 ? stride : rows),
               "product");
  }

  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

class Choices {
 public:
  const cublasLtMatmulAlgo_t* find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = map_.find(key);
    return found == map_.end() ? nullptr : &found->second;
  }
  void keep(const Key& key, const cublasLtMatmulAlgo_t& algorithm) {
    const std::lock_guard lock(mutex_);
    map_.insert_or_assign(key, algorithm);
  }

 private:
  std::mutex mutex_;
  std::map<Key, cublasLtMatmulAlgo_t> map_;
};

Choices& choices() {
  static Choices all;
  return all;
}

// The choice for a coarse shape serves all shapes that round to it; one that it does not fit gets its own.
void run(const ProductShape& s, const void* a, const void* b, void* c, const ProductEnd& end, cudaDataType_t in,
         cudaDataType_t out) {
  const auto key_of = [&](const ProductShape& shape) {
    const int alignments =
        alignment_of(a) << 15 | alignment_of(b) << 10 | alignment_of(c) << 5 | alignment_of(end.bias);
    const int flags = s.transposed_a | s.transposed_b << 1 | s.accumulate << 2 | (end.bias != nullptr) << 3 |
                      end.relu << 4 | (in == CUDA_R_32F) << 5 | (out == CUDA_R_32F) << 6 | tf32 << 7;
    return Key{shape.m, shape.n, shape.k, alignments, flags, s.a_stride, s.b_stride, s.c_stride};
  };
  const Call call(s, end, in, out);
  const auto attempt = [&](const ProductShape& shape) {
    const Key key = key_of(shape);
    cublasLtMatmulAlgo_t algorithm{};
    if (const cublasLtMatmulAlgo_t* known = choices().find(key)) {
      algorithm = *known;
    } else {
      if (!Call(shape, end, in, out).choose(a, b, c, end.bias, algorithm)) return CUBLAS_STATUS_NOT_SUPPORTED;
      choices().keep(key, algorithm);
    }
    return call.run(s, a, b, c, algorithm);
  };
  // Only a number of rows may change: it decides on no alignment.
  ProductShape rounded_up = s;
  if (!s.transposed_a) rounded_up.m = coarse(s.m);
  if (s.transposed_a && !s.transposed_b) rounded_up.k = coarse(s.k);
  cublasStatus_t status = attempt(rounded_up);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) status = attempt(s);
  check_blas(status, "product");
}

}  // namespace

void set_tf32(bool on) { tf32 = on; }

template <class In, class Out>
void multiply_matrices(const ProductShape& shape, const In* a, const In* b, Out* c, const ProductEnd& end) {
  if (shape.m == 0 || shape.n == 0) return;
  if (shape.k == 0) {  // a sum of nothing
    if (shape.accumulate) return;
    return repeat_row(shape.m, shape.n, static_cast<const Out*>(end.bias), end.relu, c);
  }
  run(shape, a, b, c, end, kType<In>, kType<Out>);
}

template void multiply_matrices(const ProductShape&, const float*, const float*, float*, const ProductEnd&);
template void multiply_matrices(const ProductShape&, const bf16*, const bf16*, bf16*, const ProductEnd&);
template void multiply_matrices(const ProductShape&, const bf16*, const bf16*, float*, const ProductEnd&);

}  // namespace dragoman::kernels::cuda

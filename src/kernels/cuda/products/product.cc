#include "kernels/cuda/products/product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "kernels/cuda/products/blas.h"
#include "kernels/cuda/rows/columns.h"
#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;

// For compute-sanitizer, which does not see the writes of cuBLASLt and would report every read of a result as
// uninitialised.
#ifdef DRAGOMAN_CLEAR_PRODUCTS
constexpr bool kClearsResults = true;
#else
constexpr bool kClearsResults = false;
#endif

thread_local bool tf32 = false;

template <class T>
constexpr cudaDataType_t kType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16BF;

// A product with everything that the choice of an algorithm depends on.
struct Problem {
  ProductShape shape;
  cudaDataType_t in = CUDA_R_32F, out = CUDA_R_32F;
  cublasLtEpilogue_t end = CUBLASLT_EPILOGUE_DEFAULT;
  int align_a = 16, align_b = 16, align_c = 16;

  using Key = std::array<std::int64_t, 9>;
  Key key() const {
    const ProductShape& s = shape;
    const int flags = s.transposed_a | s.transposed_b << 1 | s.accumulate << 2 | (in == CUDA_R_32F) << 3 |
                      (out == CUDA_R_32F) << 4 | tf32 << 5 | current_gpu() << 6;
    return {s.m,
            s.n,
            s.k,
            flags,
            static_cast<std::int64_t>(end),
            align_a << 16 | align_b << 8 | align_c,
            s.a_stride,
            s.b_stride,
            s.c_stride};
  }
};

int alignment_of(const void* pointer) { return 1 << std::countr_zero(reinterpret_cast<std::uintptr_t>(pointer) | 16); }

// Rounds sizes above 128 up to one of four steps per power of two, so that batches of similar size share an algorithm.
Size coarse(Size size) {
  if (size <= 128) return size;
  const int shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size))) - 3;
  const Size step = Size{1} << shift;
  return (size + step - 1) / step * step;
}

// Only the number of rows is rounded: no alignment depends on it. Beyond several full waves of blocks it is irrelevant.
Problem coarse(Problem problem) {
  constexpr Size kMany = 16384;
  ProductShape& s = problem.shape;
  if (!s.transposed_a) s.m = coarse(std::min(s.m, kMany));
  if (s.transposed_a && !s.transposed_b) s.k = coarse(s.k);
  return problem;
}

// How an algorithm divides the work: the size of its tiles, and the number of slices along k (split-K).
struct Division {
  std::uint32_t tile = 0;
  std::int32_t parts = 0;

  explicit Division(const cublasLtMatmulAlgo_t& algorithm) {
    read(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, tile);
    read(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, parts);
  }

 private:
  template <class V>
  static void read(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t what, V& value) {
    std::size_t written = 0;
    check_blas(blas().read_algorithm(&algorithm, what, &value, sizeof(value), &written), "product");
  }
};

// Chooses one of the library's suggestions, which are sorted best first. For many rows on an H200, its first suggestion
// is up to a fifth slower than 128 x 128 tiles, which are often among the others. Without split-K all suggestions give
// the same bits (docs/performance.md).
const cublasLtMatmulHeuristicResult_t& preferred(std::span<const cublasLtMatmulHeuristicResult_t> suggestions,
                                                 const ProductShape& shape) {
  constexpr Size kMany = 16384;  // from this many columns or terms per sum on, the first suggestion is best
  const Size tiles = Size{blocks_for(shape.m, 128)} * blocks_for(shape.n, 128);
  if (shape.n <= kMany && shape.k < kMany && tiles >= multiprocessors())
    for (const cublasLtMatmulHeuristicResult_t& one : suggestions) {
      const Division division(one.algo);
      if (division.tile == CUBLASLT_MATMUL_TILE_128x128 && division.parts == 1) return one;
    }
  return suggestions[0];
}

// An algorithm, and whether to give it a workspace. Many algorithms ask for four bytes only: a counter from which
// blocks take their next tile. Without a workspace they assign tiles statically instead, which saves clearing the
// counter before each product: at least 2 us.
struct Choice {
  cublasLtMatmulAlgo_t algorithm{};
  bool has_space = true;

  Choice() = default;
  explicit Choice(const cublasLtMatmulHeuristicResult_t& suggestion)
      : algorithm(suggestion.algo), has_space(suggestion.workspaceSize > sizeof(std::uint32_t)) {}
};

// The cuBLASLt descriptors of a product. The library is column-major, so it computes c^T = op(b)^T op(a)^T.
class Call {
 public:
  explicit Call(const Problem& problem) {
    const ProductShape& s = problem.shape;
    const bool fast = problem.in == CUDA_R_32F && tf32;
    check_blas(
        blas().create_operation(&operation_, fast ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "product");
    set(CUBLASLT_MATMUL_DESC_TRANSA, s.transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, s.transposed_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, problem.end);
    layout(b_, problem.in, s.transposed_b ? s.k : s.n, s.transposed_b ? s.n : s.k, s.b_stride);
    layout(a_, problem.in, s.transposed_a ? s.m : s.k, s.transposed_a ? s.k : s.m, s.a_stride);
    layout(c_, problem.out, s.n, s.m, s.c_stride);
  }
  ~Call() {
    for (cublasLtMatrixLayout_t one : {a_, b_, c_})
      if (one != nullptr) blas().destroy_layout(one);
    if (operation_ != nullptr) blas().destroy_operation(operation_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Asks the library for algorithms and picks one; false when it has none.
  bool choose(const Problem& problem, Choice& choice) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check_blas(blas().create_preference(&preference), "product");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
      check_blas(blas().set_preference(preference, what, &value, sizeof(value)), "product");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspace);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<std::uint32_t>(problem.align_b));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<std::uint32_t>(problem.align_a));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<std::uint32_t>(problem.align_c));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<std::uint32_t>(problem.align_c));
    std::array<cublasLtMatmulHeuristicResult_t, 8> all{};
    int found = 0;
    const cublasStatus_t status = blas().choose(blas_handle(), operation_, b_, a_, c_, c_, preference,
                                                static_cast<int>(all.size()), all.data(), &found);
    blas().destroy_preference(preference);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) return false;
    choice = Choice(preferred({all.data(), static_cast<std::size_t>(found)}, problem.shape));
    return true;
  }

  cublasStatus_t run(const ProductShape& s, const void* a, const void* b, void* c, const void* bias,
                     const Choice& choice) {
    if (bias != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const auto alpha = static_cast<float>(s.alpha), beta = s.accumulate ? 1.0f : 0.0f;
    void* space = choice.has_space ? scratch_bytes(Scratch::products, kWorkspace) : nullptr;
    return blas().matmul(blas_handle(), operation_, &alpha, b, b_, a, a_, &beta, c, c_, c, c_, &choice.algorithm, space,
                         space != nullptr ? kWorkspace : 0, stream());
  }

 private:
  template <class V>
  void set(cublasLtMatmulDescAttributes_t what, V value) {
    check_blas(blas().set_operation(operation_, what, &value, sizeof(value)), "product");
  }
  // A column-major layout; a `stride` of 0 means that columns are contiguous.
  void layout(cublasLtMatrixLayout_t& to, cudaDataType_t type, Size rows, Size cols, Size stride) {
    check_blas(blas().create_layout(&to, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols),
                                    stride > 0 ? stride : rows),
               "product");
  }

  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

// This thread's cache of descriptors and algorithms.
class Plans {
 public:
  // Returns false when the library does not support the product. All shapes that round to the same shape share its
  // algorithm; where the library rejects it for the exact shape, that shape gets its own.
  bool run(const Problem& problem, const void* a, const void* b, void* c, const void* bias) {
    const Problem::Key key = problem.key();
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      if (plans_.size() >= kMost) plans_.clear();
      found = plans_.emplace(key, Plan{std::make_unique<Call>(problem), {}}).first;
      if (!choose(coarse(problem), found->second.choice) && !choose(problem, found->second.choice))
        found->second.call.reset();
    }
    Plan& plan = found->second;
    if (!plan.call) return false;
    const auto ask = [&] { return plan.call->run(problem.shape, a, b, c, bias, plan.choice); };
    cublasStatus_t status = ask();
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) {
      if (!choose(problem, plan.choice)) return false;  // rejected: the shape, or the missing workspace
      plan.choice.has_space = true;
      status = ask();
      if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
        plan.call.reset();
        return false;
      }
    }
    check_blas(status, "product");
    return true;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  struct Plan {
    std::unique_ptr<Call> call;  // null: not supported by the library
    Choice choice;
  };

  bool choose(const Problem& problem, Choice& choice) {
    const Problem::Key key = problem.key();
    const auto known = choices_.find(key);
    if (known != choices_.end()) {
      choice = known->second;
      return true;
    }
    if (!Call(problem).choose(problem, choice)) return false;
    choices_.emplace(key, choice);
    return true;
  }

  std::map<Problem::Key, Plan> plans_;
  std::map<Problem::Key, Choice> choices_;
};

Plans& plans() {
  thread_local Plans mine;
  return mine;
}

// The library has epilogues for bias and relu; other activations take a separate pass.
cublasLtEpilogue_t epilogue_of(const ProductEnd& end) {
  const bool relu = end.activation == Activation::relu;
  if (end.bias == nullptr) return relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
  return relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
}

template <class In, class Out>
Problem problem_of(const ProductShape& shape, const In* a, const In* b, const Out* c, const void* bias) {
  return {.shape = shape,
          .in = kType<In>,
          .out = kType<Out>,
          .align_a = alignment_of(a),
          .align_b = alignment_of(b),
          .align_c = std::min(alignment_of(c), alignment_of(bias))};
}

}  // namespace

bool set_tf32(bool on) { return std::exchange(tf32, on); }

template <class In, class Out>
void multiply_matrices(const ProductShape& shape, const In* a, const In* b, Out* c, const ProductEnd& end) {
  if (shape.m == 0 || shape.n == 0) return;
  const auto* bias = static_cast<const Out*>(end.bias);
  if (shape.k == 0) {  // an empty sum
    if (!shape.accumulate) repeat_row(shape.m, shape.n, bias, end.activation, c);
    return;
  }
  if constexpr (std::is_same_v<Out, bf16>)
    if (multiply_small(shape, a, b, c, end)) return;
  if (kClearsResults && !shape.accumulate && shape.c_stride <= shape.n)
    clear(c, static_cast<std::size_t>(shape.m * shape.n) * sizeof(Out));
  Problem problem = problem_of(shape, a, b, c, end.bias);
  problem.end = epilogue_of(end);
  if (plans().run(problem, a, b, c, end.bias)) {
    if (end.activation != Activation::none && end.activation != Activation::relu)
      finish_rows<Out>(shape.m, shape.n, nullptr, end.activation, c);
    return;
  }
  // For some alignments the library has no algorithm with this epilogue.
  problem = problem_of(shape, a, b, c, nullptr);
  check(plans().run(problem, a, b, c, nullptr), "[cuda] cuBLASLt has no product of [{}, {}] and [{}, {}]", shape.m,
        shape.k, shape.k, shape.n);
  if (bias != nullptr || end.activation != Activation::none) finish_rows(shape.m, shape.n, bias, end.activation, c);
}

template void multiply_matrices(const ProductShape&, const float*, const float*, float*, const ProductEnd&);
template void multiply_matrices(const ProductShape&, const bf16*, const bf16*, bf16*, const ProductEnd&);
template void multiply_matrices(const ProductShape&, const bf16*, const bf16*, float*, const ProductEnd&);

}  // namespace dragoman::kernels::cuda

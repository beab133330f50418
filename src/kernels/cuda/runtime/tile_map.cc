#include "kernels/cuda/runtime/tile_map.h"

#include "base/error.h"
#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

}  // namespace

CUtensorMap tile_map(const bf16* x, Size rows, Size cols, Size stride, unsigned groups) {
  static const auto encode = reinterpret_cast<Encode>(driver_function("cuTensorMapEncodeTiled", 12000));
  constexpr cuuint32_t kSteps[] = {1, 1, 1};
  const auto rows_of_group = static_cast<cuuint64_t>(rows) / groups,
             bytes = static_cast<cuuint64_t>(stride) * sizeof(bf16);
  const cuuint32_t tile[] = {64, 64 / groups, groups};
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(cols), rows_of_group, groups};
  const cuuint64_t strides[] = {bytes, rows_of_group * bytes};
  CUtensorMap map{};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, groups > 1 ? 3 : 2, const_cast<bf16*>(x), sizes, strides, tile,
             kSteps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check(status == CUDA_SUCCESS, "[cuda] TMA descriptor of {} rows of {} numbers, {} apart: driver error {}", rows, cols,
        stride, static_cast<int>(status));
  return map;
}

}  // namespace dragoman::kernels::cuda

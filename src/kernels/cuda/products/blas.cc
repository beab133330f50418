#include "kernels/cuda/products/blas.h"

#include <dlfcn.h>

#include <mutex>
#include <string>

#include "base/error.h"
#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  check(function != nullptr, "[cuda] the cuBLASLt library has no {}", name);
}

Blas load() {
  const std::string version = std::to_string(CUBLAS_VER_MAJOR);
  void* library = nullptr;
  std::string reason;
  for (const std::string& path : {"libcublasLt.so." + version, "/usr/local/cuda/lib64/libcublasLt.so." + version,
                                  std::string("libcublasLt.so")}) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (reason.empty()) reason = dlerror();
  }
  check(library != nullptr, "[cuda] the library cuBLASLt of CUDA {} is needed for products on the GPU: {}", version,
        reason);
  Blas all{};
  find(library, "cublasLtMatmul", all.matmul);
  find(library, "cublasLtMatmulAlgoGetHeuristic", all.choose);
  find(library, "cublasLtMatmulAlgoConfigGetAttribute", all.read_algorithm);
  find(library, "cublasLtMatmulDescCreate", all.create_operation);
  find(library, "cublasLtMatmulDescSetAttribute", all.set_operation);
  find(library, "cublasLtMatmulDescDestroy", all.destroy_operation);
  find(library, "cublasLtMatrixLayoutCreate", all.create_layout);
  find(library, "cublasLtMatrixLayoutDestroy", all.destroy_layout);
  find(library, "cublasLtMatmulPreferenceCreate", all.create_preference);
  find(library, "cublasLtMatmulPreferenceSetAttribute", all.set_preference);
  find(library, "cublasLtMatmulPreferenceDestroy", all.destroy_preference);
  find(library, "cublasLtGetStatusString", all.describe);
  find(library, "cublasLtCreate", all.create);
  return all;
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = load();
  return loaded;
}

cublasLtHandle_t blas_handle() {
  struct Handle {
    std::once_flag once;
    cublasLtHandle_t handle = nullptr;
  };
  static PerGpu<Handle> handles;
  Handle& mine = handles.here();
  std::call_once(mine.once, [&mine] {
    direct_stream();
    check_blas(blas().create(&mine.handle), "start of cuBLASLt");
  });
  return mine.handle;
}

void check_blas(cublasStatus_t status, const char* what) {
  check(status == CUBLAS_STATUS_SUCCESS, "[cuda] {}: {}", what, blas().describe(status));
}

}  // namespace dragoman::kernels::cuda

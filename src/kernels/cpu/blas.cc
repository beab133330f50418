#include "kernels/cpu/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";
constexpr const char* kCoreVariable = "OPENBLAS_CORETYPE";

void* open_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail("OpenBLAS cannot be loaded: {}; install the package libopenblas0", std::string(dlerror()));
  return library;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  check(function != nullptr, "{} has no function {}: expected OpenBLAS 0.3", kLibrary, name);
}

Blas functions(void* library) {
  Blas blas;
  find(library, "cblas_sgemm", blas.sgemm);
  find(library, "cblas_sgemv", blas.sgemv);
  find(library, "openblas_set_num_threads", blas.set_num_threads);
  find(library, "openblas_get_config", blas.get_config);
  find(library, "openblas_get_corename", blas.get_corename);
  return blas;
}

// The library reads the name of a core when it is loaded, and only then.
Blas load() {
  void* library = open_library();
  Blas blas = functions(library);
  const std::string core = std::getenv(kCoreVariable) ? "" : better_core(blas.get_corename());
  if (!core.empty()) {
    dlclose(library);
    setenv(kCoreVariable, core.c_str(), 1);
    blas = functions(open_library());
    unsetenv(kCoreVariable);
  }
  blas.set_num_threads(1);  // all threads belong to our pool
  return blas;
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = load();
  return loaded;
}

std::string better_core([[maybe_unused]] const std::string& core) {
#if defined(__x86_64__)
  constexpr std::array<std::string_view, 3> kAvx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::array<std::string_view, 3> kAvx2 = {"Haswell", "Zen", "Excavator"};
  const auto is_one_of = [&](const auto& cores) { return std::find(cores.begin(), cores.end(), core) != cores.end(); };
  if (is_one_of(kAvx512)) return "";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (is_one_of(kAvx2)) return "";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return "";
}

}  // namespace dragoman::kernels::cpu_filling

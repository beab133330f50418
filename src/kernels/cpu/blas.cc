#include "kernels/cpu/blas.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";
constexpr const char* kCoreVariable = "OPENBLAS_CORETYPE";
constexpr const char* kThreadsVariable = "OPENBLAS_NUM_THREADS";
// Of the buffer that OpenBLAS keeps for each call that runs at the same time as others, and a little for others.
constexpr std::size_t kBufferBytes = (128 + 16) << 20;

void* open_library() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const std::string reason = dlerror();
  const bool is_missing = reason.find("No such file") != std::string::npos;
  fail("OpenBLAS cannot be loaded: {}{}", reason, is_missing ? "; install the package libopenblas0" : "");
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

// Whether the system would give memory for so many buffers more.
bool has_room_for(int buffers) {
  std::vector<void*> probes;
  const auto probe = [] {
    return mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  while (static_cast<int>(probes.size()) < buffers && (probes.empty() || probes.back() != MAP_FAILED))
    probes.push_back(probe());
  const bool has_room = probes.back() != MAP_FAILED;
  for (void* const one : probes)
    if (one != MAP_FAILED) munmap(one, kBufferBytes);
  return has_room;
}

// The library reads these variables when it is loaded, and only then.
Blas load() {
  // All threads belong to our pool.
  const bool says_threads = std::getenv(kThreadsVariable) != nullptr;
  if (!says_threads) setenv(kThreadsVariable, "1", 1);
  void* library = open_library();
  Blas blas = functions(library);
  const std::string core = std::getenv(kCoreVariable) ? "" : better_core(blas.get_corename());
  if (!core.empty()) {
    dlclose(library);
    setenv(kCoreVariable, core.c_str(), 1);
    blas = functions(open_library());
    unsetenv(kCoreVariable);
  }
  if (!says_threads) unsetenv(kThreadsVariable);
  blas.set_num_threads(1);
  return blas;
}

}  // namespace

const Blas& blas() {
  static const Blas loaded = load();
  return loaded;
}

BlasCall::BlasCall() : blas_(blas()) {
  static std::mutex mutex;
  static std::atomic<int> most = 0;
  const int needed = ++running_;
  if (needed <= most) return;
  const std::lock_guard lock(mutex);
  if (needed <= most) return;
  if (!has_room_for(needed)) {
    --running_;
    fail("memory ran out: OpenBLAS needs {} MB for each of {} threads", kBufferBytes >> 20, needed);
  }
  most = needed;
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

// Measures the CPU kernels against the limits of the machine.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/threads.h"
#include "bench/kernels/timing.h"

// The threads of OpenBLAS spin for seconds after a product and would disturb the next measurement. It reads this
// timeout from the environment when it is loaded.
static void let_library_threads_sleep(char** argv) {
  constexpr const char* kTimeout = "OPENBLAS_THREAD_TIMEOUT";
  if (getenv(kTimeout)) return;
  setenv(kTimeout, "4", 1);
  execv("/proc/self/exe", argv);
}

int main(int argc, char** argv) {
  using namespace dragoman;
  let_library_threads_sleep(argv);
  bench::Settings settings;
  int threads = 0;
  CLI::App app("Rates of the CPU kernels against ceilings measured in the same run");
  app.add_flag("--quick", settings.quick, "small arrays and few repetitions: a smoke test");
  app.add_option("--filter", settings.filter, "measure only kernels with this in their name");
  app.add_option("--threads", threads, "threads to use (0: one per core)");
  bool cpu_time = false;
  app.add_flag("--cpu-time", cpu_time, "measure CPU time on one thread: for a busy machine");
  CLI11_PARSE(app, argc, argv);
  if (cpu_time) bench::measured_clock = CLOCK_PROCESS_CPUTIME_ID;
  threads::set_count(cpu_time ? 1 : threads);
  kernels::cpu();
  const kernels::BlasInfo blas = kernels::blas_info();
  fmt::print("{} threads, {}, {} ({})\n\n", threads::count(), kernels::cpu_instruction_set(), blas.configuration,
             blas.core);
  bench::measure_memory(settings);
  bench::measure_products(settings);
  bench::measure_attention(settings);
}

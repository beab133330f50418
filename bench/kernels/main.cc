#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/threads.h"
#include "bench/kernels/timing.h"

// How close the CPU kernels come to what the machine can do.
int main(int argc, char** argv) {
  using namespace dragoman;
  bench::Settings settings;
  int threads = 0;
  CLI::App app("Rates of the CPU kernels against ceilings measured in the same run");
  app.add_flag("--quick", settings.quick, "small arrays and few turns: to see that it runs");
  app.add_option("--filter", settings.filter, "measure only what has this in its name");
  app.add_option("--threads", threads, "threads to use (0: one per core)");
  bool cpu_time = false;
  app.add_flag("--cpu-time", cpu_time, "one thread, and its CPU time: on a machine that others keep busy");
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

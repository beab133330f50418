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
  CLI11_PARSE(app, argc, argv);
  threads::set_count(threads);
  kernels::cpu();
  const kernels::BlasInfo blas = kernels::blas_info();
  fmt::print("{} threads, {}, {} ({})\n\n", threads::count(), kernels::cpu_instruction_set(), blas.configuration,
             blas.core);
  bench::measure_memory(settings);
  bench::measure_products(settings);
  bench::measure_attention(settings);
}

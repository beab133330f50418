#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/join.h"
#include "base/machine.h"
#include "base/version.h"
#include "cli/command.h"
#include "comm/mpi.h"
#include "comm/nccl.h"
#include "kernels/cuda/cuda.h"
#include "kernels/fillings.h"
#include "run/json_text.h"

namespace dragoman::cli {
namespace {

struct DoctorOptions {
  bool json = false;

  template <class V>
  void visit(V& v) {
    v("json", json, "print JSON");
  }
};

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

nlohmann::json as_json(const Machine& machine) {
  const kernels::BlasInfo blas = kernels::blas_info();
  nlohmann::json gpus = nlohmann::json::array();
  for (const Gpu& gpu : machine.cuda.gpus)
    gpus.push_back({{"name", gpu.name}, {"memory", gpu.memory}, {"capability", gpu.capability}});
  return {{"version", DRAGOMAN_VERSION},
          {"compiler", kCompiler},
          {"system", machine.system},
          {"cpu",
           {{"name", machine.cpu},
            {"architecture", machine.architecture},
            {"cores", machine.cores},
            {"instruction_set", kernels::cpu_instruction_set()},
            {"int8", kernels::cpu_product_kernel(kernels::WeightFormat::int8)},
            {"bf16", kernels::cpu_product_kernel(kernels::WeightFormat::bf16)},
            {"bf16_emulated", kernels::cpu_emulates_bf16()},
            {"training_in_f32", kernels::cpu_product_kernel(kernels::WeightFormat::same)}}},
          {"threads", threads::count()},
          {"blas", {{"configuration", blas.configuration}, {"core", blas.core}, {"problem", blas.problem}}},
          {"memory", {{"total", machine.memory}, {"available", machine.memory_available}}},
          {"cuda",
           {{"usable", kernels::cuda::problem().empty()},
            {"driver", machine.cuda.driver},
            {"gpus", gpus},
            {"problem", machine.cuda.problem},
            {"libraries", machine.cuda.libraries}}},
          {"nccl", comm::NcclCommunicator::version()},
          {"mpi", comm::MpiLibrary::version()}};
}

void print(const Machine& machine) {
  const kernels::BlasInfo blas = kernels::blas_info();
  const auto line = [](const char* what, const std::string& value) { fmt::print("{:<12} {}\n", what, value); };
  line("dragoman", fmt::format("{}, compiled by {}", DRAGOMAN_VERSION, kCompiler));
  line("system", machine.system);
  line("cpu", fmt::format("{} ({}), {}", machine.cpu, machine.architecture, counted(machine.cores, "core")));
  line("kernels", fmt::format("{} instructions, chosen at run time", kernels::cpu_instruction_set()));
  line("products", fmt::format("int8 by {}, bf16 by {}{}, training in f32 by {}",
                               kernels::cpu_product_kernel(kernels::WeightFormat::int8),
                               kernels::cpu_product_kernel(kernels::WeightFormat::bf16),
                               kernels::cpu_emulates_bf16() ? " (slower than f32)" : "",
                               kernels::cpu_product_kernel(kernels::WeightFormat::same)));
  line("threads", fmt::format("{}", threads::count()));
  line("blas", blas.problem.empty() ? fmt::format("{}; tuned for {}", blas.configuration, blas.core) : blas.problem);
  line("memory", fmt::format("{:.1f} GiB, {:.1f} GiB available", gib(machine.memory), gib(machine.memory_available)));
  for (const Gpu& gpu : machine.cuda.gpus)
    line("gpu", fmt::format("{}, {:.1f} GiB, compute capability {}.{}", gpu.name, gib(gpu.memory), gpu.capability / 10,
                            gpu.capability % 10));
  if (!machine.cuda.problem.empty()) line("gpu", "none: " + machine.cuda.problem);
  if (machine.cuda.driver > 0) line("driver", "CUDA " + cuda_version(machine.cuda.driver));
  const std::string& problem = kernels::cuda::problem();
  line("device", problem.empty() ? "cuda, unless --device selects another" : "cpu: " + problem);
  line("cuda", machine.cuda.libraries.empty() ? "no libraries found" : join(machine.cuda.libraries, ", "));
  const auto found = [](const std::string& version) { return version.empty() ? "not installed" : version; };
  line("nccl", found(comm::NcclCommunicator::version()));
  line("mpi", found(comm::MpiLibrary::version()));
}

int run_doctor(const Command& self, const Words& arguments) {
  return run_with<DoctorOptions>(self, arguments, [](const DoctorOptions& options, const Words& words) {
    expect_words(words, 0, "doctor takes flags only");
    const Machine machine = inspect_machine();
    if (options.json)
      fmt::print("{}\n", run::to_text(as_json(machine), 2));
    else
      print(machine);
    return 0;
  });
}

}  // namespace

extern const Command doctor{"doctor",
                            "",
                            "shows what this machine offers and what dragoman will use",
                            run_doctor,
                            describe_options<DoctorOptions>,
                            "dragoman doctor\n"
                            "dragoman doctor --json"};

}  // namespace dragoman::cli

#include "run/run_record.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "base/counted.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/shell_word.h"
#include "base/threads.h"
#include "base/version.h"
#include "run/training_settings.h"

namespace dragoman::run {
namespace {

// Settings that apply to one invocation only.
const std::set<std::string> kInvocation = {"resume", "overwrite", "dry-run", "verify-resume", "devices"};

// Paths are absolute, as in config.yaml: a run that is resumed has the settings that it began with.
train::RunRecord::Pairs list_settings(TrainingOptions options) {
  make_paths_absolute(options);
  train::RunRecord::Pairs pairs;
  const Settings settings(options);
  for (const Setting& setting : settings.all())
    if (!kInvocation.contains(setting.key))
      pairs.emplace_back(setting.key, setting.text ? setting.text() : setting.get());
  return pairs;
}

std::string folder_name(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// The name of the GPU cuda:N; the first GPU is called cuda.
std::string gpu_name(const std::string& device, const CudaState& cuda) {
  const std::size_t colon = device.find(':');
  const std::size_t number = colon == std::string::npos ? 0 : std::stoul(device.substr(colon + 1));
  return number < cuda.gpus.size() ? cuda.gpus[number].name : device;
}

}  // namespace

train::RunRecord run_record(const TrainingOptions& options, const std::string& device, train::RunRecord::Pairs facts) {
  const Machine machine = inspect_machine();
  const std::string cpu = fmt::format("{}, {} of {}", machine.cpu, threads::count(), counted(machine.cores, "core"));
  return {.name = folder_name(options.train.output),
          .command = process_command(),
          .preset = options.preset,
          .version = DRAGOMAN_VERSION,
          .device = device,
          .hardware = device.starts_with("cuda") ? gpu_name(device, machine.cuda) : cpu,
          .machine = cpu + ", " + machine.system,
          .seed = options.train.seed,
          .settings = list_settings(options),
          .facts = std::move(facts)};
}

std::string process_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command;
  for (std::string word; std::getline(file, word, '\0');) {
    if (command.empty()) word = std::filesystem::path(word).filename().string();
    command += (command.empty() ? "" : " ") + shell_word(word);
  }
  return command;
}

}  // namespace dragoman::run

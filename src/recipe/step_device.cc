#include "recipe/step_device.h"

#include <algorithm>
#include <filesystem>

#include "base/machine.h"
#include "base/text_value.h"
#include "kernels/cuda/cuda.h"
#include "run/model_description.h"

namespace dragoman::recipe {
namespace {

constexpr std::string_view kNumbered = "cuda:";

// The models that a step has read, or made.
std::vector<std::string> models_of(const Step& step) {
  std::vector<std::string> models = flag_values(step.command, "--model");
  if (!step.run.empty()) models.push_back(step.run + "/model.safetensors");
  return models;
}

}  // namespace

bool computes(const std::string& command) {
  for (const char* name : {"train", "translate", "score", "classify", "bench"})
    if (command == name) return true;
  return false;
}

std::vector<std::string> usable_gpus() {
  std::vector<std::string> names;
  if (kernels::cuda::problem().empty())
    for (const Gpu& gpu : inspect_machine().cuda.gpus) names.push_back(gpu.name);
  return names;
}

std::string gpu_used(const Step& step, const std::vector<std::string>& gpus) {
  if (gpus.empty() || !computes(step.command.words[0])) return "";
  for (const std::string& model : models_of(step))
    if (std::filesystem::exists(model) && run::is_statistical(model)) return "";
  const std::vector<std::string> devices = flag_values(step.command, "--device");
  const std::string device = devices.empty() ? "auto" : devices.back();
  if (device == "cpu") return "";
  const std::int64_t number =
      device.starts_with(kNumbered) ? text_value::parse_integer(device.substr(kNumbered.size())) : 0;
  return gpus[std::min(static_cast<std::size_t>(number), gpus.size() - 1)];
}

}  // namespace dragoman::recipe

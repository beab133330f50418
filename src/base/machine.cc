#include "base/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/shared_library.h"
#include "base/threads.h"

namespace dragoman {
namespace {

// The value after `key` in a file of "key: value" or "key=value" lines.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t from = line.find_first_not_of(" \t:=\"", key.size());
    const std::size_t to = line.find_last_not_of(" \t\"");
    if (from != std::string::npos) return line.substr(from, to + 1 - from);
  }
  return "";
}

// Arm processors report a part number instead of a name.
std::string cpu_name() {
  if (const std::string name = value_in("/proc/cpuinfo", "model name"); !name.empty()) return name;
  static const std::map<std::string, const char*> parts = {
      {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},  {"0xd0b", "Cortex-A76"},  {"0xd0c", "Neoverse-N1"},
      {"0xd40", "Neoverse-V1"}, {"0xd49", "Neoverse-N2"}, {"0xd4f", "Neoverse-V2"}, {"0xd84", "Neoverse-V3"}};
  const std::string part = value_in("/proc/cpuinfo", "CPU part");
  const auto known = parts.find(part);
  if (known != parts.end()) return known->second;
  return part.empty() ? "unknown" : "Arm part " + part;
}

std::int64_t meminfo(const std::string& key) {
  std::int64_t kibibytes = 0;
  std::istringstream(value_in("/proc/meminfo", key)) >> kibibytes;
  return kibibytes * 1024;
}

constexpr const char* kDriver = "libcuda.so.1";

CudaState cuda_state() {
  CudaState state;
  for (const char* library : {"libcudart.so.13", "libcudart.so.12", "libcublasLt.so.13", "libcublasLt.so.12",
                              "libcudnn.so.9", "libnccl.so.2"})
    if (SharedLibrary(library).is_loaded()) state.libraries.push_back(library);
  const SharedLibrary driver(kDriver);
  if (!driver.is_loaded()) {
    state.problem = "no NVIDIA driver is installed";
    return state;
  }
  state.driver = cuda_driver();
  int count = 0;
  if (!driver.call("cuInit", 0u) || !driver.call("cuDeviceGetCount", &count) || count == 0) {
    state.problem = "the NVIDIA driver finds no GPU";
    return state;
  }
  for (int index = 0; index < count; ++index) {
    int device = 0, major = 0, minor = 0;
    std::size_t memory = 0;
    std::array<char, 128> name{};
    constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
    driver.call("cuDeviceGet", &device, index);
    driver.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device);
    driver.call("cuDeviceTotalMem_v2", &memory, device);
    driver.call("cuDeviceGetAttribute", &major, kMajor, device);
    driver.call("cuDeviceGetAttribute", &minor, kMinor, device);
    state.gpus.push_back({name.data(), static_cast<std::int64_t>(memory), 10 * major + minor});
  }
  return state;
}

}  // namespace

Machine inspect_machine() {
  Machine machine;
  machine.cpu = cpu_name();
  utsname names{};
  if (uname(&names) == 0) machine.architecture = names.machine;
  machine.system = value_in("/etc/os-release", "PRETTY_NAME");
  machine.cores = threads::available();
  machine.memory = meminfo("MemTotal");
  machine.memory_available = meminfo("MemAvailable");
  machine.cuda = cuda_state();
  return machine;
}

int cuda_driver() {
  int version = 0;
  SharedLibrary(kDriver).call("cuDriverGetVersion", &version);
  return version;
}

bool has_nvidia_gpu(const std::string& devices) {
  constexpr std::uint32_t kNvidia = 0x10de, kDisplay = 0x03;
  const auto number_in = [](const std::filesystem::path& path) {
    std::uint32_t number = 0;
    std::ifstream(path) >> std::hex >> number;
    return number;
  };
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator(devices, none))
    if (number_in(device.path() / "vendor") == kNvidia && number_in(device.path() / "class") >> 16 == kDisplay)
      return true;
  return false;
}

FreeMemory free_memory() {
  FreeMemory memory{static_cast<std::size_t>(meminfo("MemAvailable")), static_cast<std::size_t>(meminfo("MemTotal"))};
  // A container (cgroup) may be limited to less. Its page cache does not count as used: it can be reclaimed.
  std::size_t most = 0, used = 0, cached = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> most;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  std::istringstream(value_in("/sys/fs/cgroup/memory.stat", "inactive_file")) >> cached;
  if (most == 0) return memory;
  used -= std::min(used, cached);
  memory.total = std::min(memory.total, most);
  memory.free = std::min(memory.free, most - std::min(most, used));
  return memory;
}

}  // namespace dragoman

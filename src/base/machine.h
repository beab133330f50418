#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

struct Gpu {
  std::string name;
  std::int64_t memory = 0;  // bytes
  int capability = 0;       // 90 for 9.0
};

// CUDA on this machine, as the driver reports it at run time. Needs no CUDA to build.
struct CudaState {
  std::vector<Gpu> gpus;
  int driver = 0;                      // CUDA version the driver supports, 13000 for 13.0; 0 without a driver
  std::string problem;                 // why no GPU can be used; empty if one can
  std::vector<std::string> libraries;  // CUDA libraries that can be loaded
};

// Hardware and operating system of this machine.
struct Machine {
  std::string cpu;                                // "Neoverse-N1", "Intel(R) Xeon(R) ..."
  std::string architecture;                       // "aarch64", "x86_64"
  std::string system;                             // "Debian GNU/Linux 12 (bookworm)"
  int cores = 0;                                  // cores this process may use
  std::int64_t memory = 0, memory_available = 0;  // bytes
  CudaState cuda;
};

Machine inspect_machine();

// The CUDA version that the driver supports; 0 without a driver.
int cuda_driver();

// Whether the machine has an NVIDIA GPU, with or without a driver: searches the list of PCI devices in this folder.
bool has_nvidia_gpu(const std::string& devices = "/sys/bus/pci/devices");

// Bytes of memory that this process can still allocate, and its maximum (a container may limit both).
struct FreeMemory {
  std::size_t free = 0, total = 0;
};
FreeMemory free_memory();

}  // namespace dragoman

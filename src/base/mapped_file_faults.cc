#include "base/mapped_file_faults.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace dragoman {
namespace {

// A handler may neither lock nor allocate, so mappings are kept in a fixed array of plain values. An entry is valid
// while `begin` is not 0; the other members are written before it and read after it.
struct Mapping {
  std::atomic<std::uintptr_t> begin = 0;
  std::size_t size = 0;
  std::array<char, 512> path{};
};

std::array<Mapping, 256> mappings;
std::mutex changing_faults;

void print(const char* text) {
  const ssize_t ignored = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

void handle(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Mapping& mapping : mappings) {
    const std::uintptr_t begin = mapping.begin.load(std::memory_order_acquire);
    if (begin == 0 || address < begin || address - begin >= mapping.size) continue;
    print("error: ");
    print(mapping.path.data());
    print(": has become shorter while it was read, or its disk failed; another program is writing to it\n");
    _exit(1);
  }
  std::signal(signal, SIG_DFL);  // the instruction runs again and faults again
}

}  // namespace

void report_mapped_file_faults() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

void remember_mapping(const char* begin, std::size_t size, const std::string& path) {
  const std::lock_guard lock(changing_faults);
  for (Mapping& mapping : mappings) {
    if (mapping.begin.load(std::memory_order_relaxed) != 0) continue;
    mapping.size = size;
    const std::size_t length = std::min(path.size(), mapping.path.size() - 1);
    std::memcpy(mapping.path.data(), path.data(), length);
    mapping.path[length] = '\0';
    mapping.begin.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_release);
    return;
  }
}

void forget_mapping(const char* begin) {
  const std::lock_guard lock(changing_faults);
  for (Mapping& mapping : mappings)
    if (mapping.begin.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(begin))
      mapping.begin.store(0, std::memory_order_release);
}

}  // namespace dragoman

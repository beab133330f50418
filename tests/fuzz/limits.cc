#include "tests/fuzz/limits.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#ifdef DRAGOMAN_SANITIZED

namespace dragoman::fuzz {
void count_memory() {}
}  // namespace dragoman::fuzz

extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  static_assert(dragoman::fuzz::kMostMegabytes == 128);
  return "max_allocation_size_mb=128";
}

#else

namespace {

std::atomic<long long> allocated = 0, most = -1;

void add(void* address) {
  const auto size = static_cast<long long>(malloc_usable_size(address));
  const long long limit = most;
  if (allocated.fetch_add(size) + size <= limit || limit < 0) return;
  most = -1;  // what follows may allocate
  constexpr char kMessage[] = "One input takes more memory than kMostMegabytes (tests/fuzz/limits.h).\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  std::abort();
}

void remove(void* address) { allocated -= static_cast<long long>(malloc_usable_size(address)); }

}  // namespace

namespace dragoman::fuzz {
void count_memory() { most = allocated + static_cast<long long>(kMostMegabytes << 20); }
}  // namespace dragoman::fuzz

void* operator new(std::size_t size) {
  void* const address = std::malloc(size == 0 ? 1 : size);
  if (address == nullptr) throw std::bad_alloc();
  add(address);
  return address;
}

void operator delete(void* address) noexcept {
  if (address == nullptr) return;
  remove(address);
  std::free(address);
}

void operator delete(void* address, std::size_t /*size*/) noexcept { operator delete(address); }

#endif

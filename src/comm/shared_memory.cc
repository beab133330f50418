#include "comm/shared_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "base/random_id.h"
#include "base/system_reason.h"

namespace dragoman::comm {
namespace {

constexpr std::size_t kHeader = 4096;

// A shared memory object that is open in this process.
class Object {
 public:
  Object(const std::string& name, int flags) : descriptor_(shm_open(name.c_str(), flags | O_RDWR | O_CLOEXEC, 0600)) {
    check(descriptor_ >= 0, "shared memory {} cannot be opened: {}", name, system_reason);
  }
  ~Object() { close(descriptor_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // Reserves the memory, so that writing to it cannot fail later.
  void reserve(std::size_t bytes) const {
    const int problem = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
    check(problem == 0,
          "{} MiB of shared memory for the exchange between ranks are not available: {}. Give /dev/shm more room "
          "(in containers: --shm-size)",
          bytes >> 20, std::strerror(problem));
  }
  void* map(std::size_t bytes) const {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    check(memory != MAP_FAILED, "shared memory cannot be mapped: {}", system_reason);
    return memory;
  }

 private:
  int descriptor_;
};

}  // namespace

struct SharedMemory::Header {
  std::atomic<std::uint32_t> arrived, generation;
};

SharedMemory::SharedMemory(const Place& place, std::unique_ptr<Hub> hub) : HostCommunicator(place, std::move(hub)) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(Header) <= kHeader);
  check(local_size() == size(),
        "the ranks are on several machines, so they cannot share memory: start them with mpirun (Open MPI) or srun "
        "--mpi=pmix, or train on GPUs with NCCL");
  bytes_ = kHeader + 2 * kOutbox * static_cast<std::size_t>(size());
  const std::string own = "/dragoman-" + random_id();
  std::string problem;
  std::optional<Object> object;
  if (leads()) try {
      object.emplace(own, O_CREAT | O_EXCL);
      object->reserve(bytes_);
      memory_ = object->map(bytes_);
    } catch (const Error& error) {
      problem = error.what();
    }
  const std::string name = from_leader(problem.empty() ? own : "");
  check(!name.empty(), "{}", leads() ? problem : "rank 0 has no shared memory");
  try {
    if (!leads()) memory_ = Object(name, 0).map(bytes_);
    barrier();
  } catch (const std::exception&) {
    if (leads()) shm_unlink(name.c_str());
    throw;
  }
  if (leads()) shm_unlink(name.c_str());
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

char* SharedMemory::box(int rank, std::uint64_t round) const {
  return static_cast<char*>(memory_) + kHeader + (2 * static_cast<std::size_t>(rank) + round % 2) * kOutbox;
}

void SharedMemory::deliver(std::size_t count) {
  meet();
  offset_ = static_cast<std::size_t>(rank()) * count;
}

void SharedMemory::share(std::size_t) {
  meet();
  offset_ = 0;
}

void SharedMemory::meet() {
  auto& [arrived, generation] = *static_cast<Header*>(memory_);
  const std::uint32_t before = generation.load();
  if (arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(size())) {
    arrived = 0;
    generation.fetch_add(1);
    syscall(SYS_futex, &generation, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  const timespec slice{0, 50'000'000};
  while (generation.load() == before) {
    syscall(SYS_futex, &generation, FUTEX_WAIT, before, &slice, nullptr, 0);
    hub().check_peers();
  }
  ++round_;
}

}  // namespace dragoman::comm

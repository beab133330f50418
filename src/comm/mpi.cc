#include "comm/mpi.h"

#include <array>
#include <thread>

#include "base/counted.h"
#include "base/shared_library.h"

namespace dragoman::comm {
namespace {

constexpr const char* kMpiLibrary = "libmpi.so.40";
constexpr std::size_t kOutbox = std::size_t{1} << 21;
constexpr int kSerialized = 2;  // MPI_THREAD_SERIALIZED: several threads call MPI, but never at the same time
constexpr int kMostVersion = 256;

using Handle = void*;  // MPI_Comm, MPI_Datatype and MPI_Request are pointers in Open MPI

void succeed(int status, const char* what) { check(status == 0, "MPI: {} failed with error {}", what, status); }

}  // namespace

struct MpiLibrary::Functions {
  int (*init)(int*, char***, int required, int* provided);
  int (*size)(Handle, int*);
  int (*finalize)();
  int (*broadcast)(void*, int, Handle, int root, Handle);
  int (*all_to_all)(const void*, int, Handle, void*, int, Handle, Handle, Request*);
  int (*all_gather)(const void*, int, Handle, void*, int, Handle, Handle, Request*);
  int (*test)(Request*, int*, void* status);
  Handle world, byte;

  explicit Functions(const SharedLibrary& library) {
    const auto find = [&](const char* name, auto& found) { library.find(name, found, "the library of Open MPI"); };
    find("MPI_Init_thread", init);
    find("MPI_Comm_size", size);
    find("MPI_Finalize", finalize);
    find("MPI_Bcast", broadcast);
    find("MPI_Ialltoall", all_to_all);
    find("MPI_Iallgather", all_gather);
    find("MPI_Test", test);
    find("ompi_mpi_comm_world", world);
    find("ompi_mpi_byte", byte);
  }
};

// The library's own plugins look for its symbols, so they must be global.
MpiLibrary::MpiLibrary(int size) {
  const SharedLibrary library(kMpiLibrary, RTLD_NOW | RTLD_GLOBAL);
  check(
      library.is_loaded(),
      "the ranks are to communicate by MPI, but Open MPI's {} cannot be loaded: {}. Install it (Debian: libopenmpi3), "
      "or start all ranks on one machine with --devices",
      kMpiLibrary, dlerror());
  mpi_ = std::make_shared<const Functions>(library);
  int provided = 0, joined = 0;
  succeed(mpi_->init(nullptr, nullptr, kSerialized, &provided), "MPI_Init_thread");
  check(provided >= kSerialized,
        "this MPI library may be called by one thread only; gradients are sent by a thread of their own, which needs "
        "MPI_THREAD_SERIALIZED");
  succeed(mpi_->size(mpi_->world, &joined), "MPI_Comm_size");
  check(joined == size,
        "MPI sees {}, but the launcher says {}; start them with the mpirun of Open MPI, or with srun --mpi=pmix",
        counted(joined, "process", "processes"), size);
}

const MpiLibrary& MpiLibrary::initialised(int size) {
  static const MpiLibrary& library = *new MpiLibrary(size);
  return library;
}

std::string MpiLibrary::version() {
  const SharedLibrary library(kMpiLibrary);
  if (!library.is_loaded()) return "";
  std::array<char, 8192> text{};
  int length = 0;
  if (!library.call("MPI_Get_library_version", text.data(), &length)) return kMpiLibrary;
  const std::string words = text.data();
  return words.substr(0, std::min<std::size_t>(words.find(','), kMostVersion));
}

MpiLibrary::Request MpiLibrary::all_to_all(const char* from, char* to, std::size_t count) const {
  Request request = nullptr;
  const int bytes = static_cast<int>(count);
  succeed(mpi_->all_to_all(from, bytes, mpi_->byte, to, bytes, mpi_->byte, mpi_->world, &request), "MPI_Ialltoall");
  return request;
}

MpiLibrary::Request MpiLibrary::all_gather(const char* from, char* to, std::size_t count) const {
  Request request = nullptr;
  const int bytes = static_cast<int>(count);
  succeed(mpi_->all_gather(from, bytes, mpi_->byte, to, bytes, mpi_->byte, mpi_->world, &request), "MPI_Iallgather");
  return request;
}

bool MpiLibrary::is_done(Request& request) const {
  int done = 0;
  succeed(mpi_->test(&request, &done, nullptr), "MPI_Test");
  return done != 0;
}

void MpiLibrary::broadcast(char* bytes, std::size_t count) const {
  succeed(mpi_->broadcast(bytes, static_cast<int>(count), mpi_->byte, 0, mpi_->world), "MPI_Bcast");
}

void MpiLibrary::finalize() const { succeed(mpi_->finalize(), "MPI_Finalize"); }

MpiCommunicator::MpiCommunicator(const Place& place, std::unique_ptr<Hub> hub, const MpiLibrary& mpi)
    : HostCommunicator(place, std::move(hub)),
      mpi_(mpi),
      outbox_(kOutbox),
      inbox_(kOutbox * static_cast<std::size_t>(place.size)) {}

void MpiCommunicator::deliver(std::size_t count) {
  received_ = count;
  wait(mpi_.all_to_all(outbox_.data(), inbox_.data(), count));
}

void MpiCommunicator::share(std::size_t count) {
  received_ = count;
  wait(mpi_.all_gather(outbox_.data(), inbox_.data(), count));
}

// Yields to other ranks on the same cores; looks for lost ranks now and then.
void MpiCommunicator::wait(MpiLibrary::Request request) const {
  for (int tries = 1; !mpi_.is_done(request); ++tries) {
    if (tries % 64 == 0) hub().check_peers();
    if (tries > 1024)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else
      std::this_thread::yield();
  }
}

}  // namespace dragoman::comm

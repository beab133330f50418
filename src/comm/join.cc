#include "comm/join.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include "base/quote.h"
#include "comm/mpi.h"
#include "comm/nccl.h"
#include "comm/shared_memory.h"
#include "kernels/cuda/cuda.h"

namespace dragoman::comm {
namespace {

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

// Where rank 0 listens, sent by MPI: a host name, a space and the port.
struct Meeting {
  std::array<char, 300> text{};

  Meeting() = default;
  explicit Meeting(int port) {
    const char* const local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
    std::array<char, 256> host{};
    if (local != nullptr && all != nullptr && std::string(local) == all)
      std::copy_n("127.0.0.1", 10, host.data());
    else
      gethostname(host.data(), host.size() - 1);
    const std::string words = fmt::format("{} {}", host.data(), port);
    *std::copy_n(words.data(), std::min(words.size(), text.size() - 1), text.data()) = '\0';
  }
  void tell(Place& place) const {
    const std::string words = text.data();
    const std::size_t space = words.rfind(' ');
    check(space != std::string::npos, "MPI: rank 0 did not say where it listens");
    place.address = words.substr(0, space);
    place.port = std::atoi(words.c_str() + space + 1);
  }
};

// With MPI, rank 0 listens on any free port and tells the others.
void meet_by_mpi(Place& place, const MpiLibrary& mpi, std::unique_ptr<Listener>& listener) {
  Meeting meeting;
  if (place.rank == 0) {
    listener = std::make_unique<Listener>(0, false);
    meeting = Meeting(listener->port());
  }
  mpi.broadcast(meeting.text.data(), meeting.text.size());
  meeting.tell(place);
}

// Names the GPU of a rank for all others; empty on the CPU.
std::string gpu_of(const Device& device) {
  if (device.on_host()) return "";
  device.kernels<float>();  // makes the GPU current
  return kernels::cuda::address();
}

// Whether every rank has a GPU that no other rank uses.
bool all_have_gpus(Hub& hub, const Place& place, const Device& device) {
  const std::vector<std::string> addresses = hub.exchange(gpu_of(device));
  std::set<std::string> gpus;
  for (int r = 0; r < place.size; ++r) {
    const std::string& address = addresses[static_cast<std::size_t>(r)];
    if (address.empty() || !gpus.insert(hub.machine(r) + " " + address).second) return false;
  }
  return true;
}

Transport choose(Hub& hub, const Place& place, const Device& device) {
  const bool gpus = all_have_gpus(hub, place, device);
  bool has_nccl = true;
  for (const std::string& version : hub.exchange(gpus ? NcclCommunicator::version() : "")) has_nccl &= !version.empty();
  if (has_nccl) return Transport::nccl;
  if (place.launcher == Launcher::mpi) return Transport::mpi;
  return hub.local_size() == place.size || place.launcher != Launcher::slurm ? Transport::memory : Transport::mpi;
}

// Whether srun has told this process how MPI finds the others. Without it, Open MPI ends the program with a page of
// text.
bool has_pmi() { return std::getenv("PMIX_NAMESPACE") != nullptr || std::getenv("PMI_RANK") != nullptr; }

void check_same_transport(Hub& hub, Transport transport) {
  const std::vector<std::string> names = hub.exchange(name_of(transport));
  for (std::size_t rank = 1; rank < names.size(); ++rank)
    check(names[rank] == names[0], "{} has --transport {}, but {} has {}", hub.describe(static_cast<int>(rank)),
          escaped(names[rank]), hub.describe(0), escaped(names[0]));
}

}  // namespace

std::unique_ptr<Communicator> join(const Place& asked, Transport transport, const Device& device,
                                   std::unique_ptr<Listener> listener, const HubTimes& times,
                                   const Connection::Idle& idle) {
  if (asked.size == 1) return std::make_unique<Alone>();
  Place place = asked;
  if (place.launcher == Launcher::mpi)
    meet_by_mpi(place, MpiLibrary::initialised(place.size), listener);
  else if (place.rank == 0 && !listener)
    listener = std::make_unique<Listener>(place.port, is_loopback(place.address));
  auto hub = std::make_unique<Hub>(place, std::move(listener), times, idle);
  if (place.launcher == Launcher::mpi) hub->at_end([size = place.size] { MpiLibrary::initialised(size).finalize(); });
  check_same_transport(*hub, transport);
  if (transport == Transport::automatic) transport = choose(*hub, place, device);
  check(transport != Transport::nccl || all_have_gpus(*hub, place, device),
        "--transport nccl: expected a GPU for every process that no other one uses; --transport memory connects "
        "processes on one machine, mpi those that mpirun or srun --mpi=pmix started");
  check(transport != Transport::mpi || place.launcher != Launcher::slurm || has_pmi(),
        "the ranks are to communicate by MPI, but srun started them without PMIx; start them with srun --mpi=pmix or "
        "with mpirun, or train on GPUs with NCCL");
  switch (transport) {
    case Transport::nccl: return std::make_unique<NcclCommunicator>(place, std::move(hub), device);
    case Transport::mpi:
      return std::make_unique<MpiCommunicator>(place, std::move(hub), MpiLibrary::initialised(place.size));
    default: return std::make_unique<SharedMemory>(place, std::move(hub));
  }
}

}  // namespace dragoman::comm

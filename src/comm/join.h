#pragma once

#include <memory>

#include "base/options.h"
#include "comm/communicator.h"
#include "comm/hub.h"

namespace dragoman::comm {

enum class Transport { automatic, nccl, mpi, memory };

// Joins the other ranks of a run. Automatic is NCCL where every rank has a GPU of its own, otherwise MPI for ranks that
// mpirun started and for several machines, otherwise shared memory. `listener` is that of rank 0 if it is open already.
// Throws Error, without waiting longer than `times.join`, if ranks are missing or do not fit together. Rank 0 calls
// `idle` while it waits for them.
std::unique_ptr<Communicator> join(const Place& place, Transport transport, const Device& device,
                                   std::unique_ptr<Listener> listener = nullptr, const HubTimes& times = {},
                                   const Connection::Idle& idle = {});

}  // namespace dragoman::comm

template <>
struct dragoman::EnumNames<dragoman::comm::Transport> {
  using Transport = dragoman::comm::Transport;
  static constexpr std::pair<Transport, const char*> list[] = {{Transport::automatic, "automatic"},
                                                               {Transport::nccl, "nccl"},
                                                               {Transport::mpi, "mpi"},
                                                               {Transport::memory, "memory"}};
};

#pragma once

#include "comm/host_communicator.h"

namespace dragoman::comm {

// Open MPI's library, loaded when it is asked for, so that the program runs where it is not installed. Its functions
// are declared here by their binary interface, that of libmpi.so.40 (Open MPI 3, 4 and 5).
class MpiLibrary {
 public:
  using Request = void*;

  // Loads the library and joins the processes that mpirun or srun started. Throws Error with the reason if it cannot.
  // `size` is the number of processes that the launcher promised.
  static const MpiLibrary& initialised(int size);
  // The library's version, for display; empty if it is not installed.
  static std::string version();

  // Bytes [r * count, (r + 1) * count) of `from` go to rank r.
  Request all_to_all(const char* from, char* to, std::size_t count) const;
  // Bytes [0, count) of `from` go to every rank.
  Request all_gather(const char* from, char* to, std::size_t count) const;
  bool is_done(Request& request) const;
  // The bytes of rank 0; waits without end.
  void broadcast(char* bytes, std::size_t count) const;
  // Called by all ranks at the end of a run without faults; mpirun ends the others if a rank ends without it.
  void finalize() const;

 private:
  explicit MpiLibrary(int size);

  struct Functions;
  std::shared_ptr<const Functions> mpi_;
};

// Ranks that mpirun or srun started, on one or several machines.
class MpiCommunicator final : public HostCommunicator {
 public:
  MpiCommunicator(const Place& place, std::unique_ptr<Hub> hub, const MpiLibrary& mpi);

  const char* name() const override { return "mpi"; }

 private:
  std::span<char> outbox() override { return outbox_; }
  void deliver(std::size_t count) override;
  void share(std::size_t count) override;
  const char* inbox(int from) override { return inbox_.data() + static_cast<std::size_t>(from) * received_; }
  void wait(MpiLibrary::Request request) const;

  const MpiLibrary& mpi_;
  std::vector<char> outbox_, inbox_;
  std::size_t received_ = 0;  // bytes from each rank
};

}  // namespace dragoman::comm

#pragma once

#include "comm/host_communicator.h"

namespace dragoman::comm {

// Ranks of one machine that share memory. Every rank has two outboxes, used in turn, so that one barrier per round
// suffices: a rank that enters round k + 1 has read everything of round k - 1.
class SharedMemory final : public HostCommunicator {
 public:
  static constexpr std::size_t kOutbox = std::size_t{1} << 21;

  // Throws Error if the ranks are on several machines or there is too little shared memory.
  SharedMemory(const Place& place, std::unique_ptr<Hub> hub);
  ~SharedMemory() override;

  const char* name() const override { return "memory"; }

 private:
  // At the start of the memory.
  struct Header;

  std::span<char> outbox() override { return {box(rank(), round_ + 1), kOutbox}; }
  void deliver(std::size_t count) override;
  void share(std::size_t count) override;
  const char* inbox(int from) override { return box(from, round_) + offset_; }

  char* box(int rank, std::uint64_t round) const;
  // Ends the round: all ranks have filled their outboxes.
  void meet();

  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t offset_ = 0;  // of this rank's bytes in the outboxes of the others
};

}  // namespace dragoman::comm

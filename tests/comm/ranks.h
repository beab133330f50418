#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/threads.h"
#include "comm/shared_memory.h"

// Ranks as threads of the test, connected as processes are.
namespace dragoman::comm {

// A busy machine may not run a thread for seconds; only tests of silence are less patient.
inline HubTimes quick_times(std::chrono::milliseconds silence = std::chrono::seconds(30)) {
  using std::chrono::milliseconds;
  return {.join = milliseconds(5000), .hello = milliseconds(1000), .beat = milliseconds(20), .silence = silence};
}

// The places of the ranks of a run, and the port of rank 0.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size), listener_(std::make_unique<Listener>(0, true)), port_(listener_->port()) {}

  Place place(int rank) const {
    return {.launcher = Launcher::torchrun,
            .rank = rank,
            .size = size_,
            .local_rank = rank,
            .address = "127.0.0.1",
            .port = port_,
            .token = "secret"};
  }
  std::unique_ptr<Hub> join(const Place& place, const HubTimes& times = quick_times()) {
    return std::make_unique<Hub>(place, place.rank == 0 ? std::move(listener_) : nullptr, times);
  }
  std::unique_ptr<Hub> join(int rank) { return join(place(rank)); }
  int port() const { return port_; }

 private:
  int size_;
  std::unique_ptr<Listener> listener_;
  int port_;
};

// Calls body(rank) in a thread per rank and returns what each threw, or an empty string.
inline std::vector<std::string> errors_of_ranks(int size, const std::function<void(int)>& body) {
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      const threads::SerialScope serial;
      try {
        body(rank);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  for (std::thread& rank : ranks) rank.join();
  return errors;
}

// Calls body(communicator) for every rank of a run; throws the first error.
inline void with_ranks(int size, const std::function<void(Communicator&)>& body) {
  Meeting meeting(size);
  const auto errors = errors_of_ranks(size, [&](int rank) {
    if (size == 1) return body(alone());
    SharedMemory memory(meeting.place(rank), meeting.join(rank));
    try {
      body(memory);
    } catch (const std::exception& error) {
      memory.report_failure(error.what());
      throw;
    }
  });
  for (const std::string& error : errors)
    if (!error.empty()) fail("{}", error);
}

}  // namespace dragoman::comm

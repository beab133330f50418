#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "comm/connection.h"
#include "comm/place.h"

namespace dragoman::comm {

struct HubTimes {
  std::chrono::milliseconds join{120'000};    // for all ranks to join
  std::chrono::milliseconds hello{2'000};     // for a new connection to say who it is
  std::chrono::milliseconds beat{1'000};      // between two signs of life
  std::chrono::milliseconds silence{15'000};  // after which a rank counts as lost
};

// Connects all ranks with rank 0, for messages of a few bytes and to find out which rank is lost. Each rank has two
// connections: one for exchange(), one on which a thread sends a sign of life every second. A rank whose connection
// closes without a farewell, or that is silent for too long, is lost; rank 0 tells all others its name.
class Hub {
 public:
  // Waits until all ranks have joined. Throws Error with the names of those that are missing, that have another version
  // of the program, or that contradict the others. `listener` is that of rank 0; others pass null. Rank 0 calls `idle`
  // now and then while it waits; it may throw to end the wait.
  Hub(const Place& place, std::unique_ptr<Listener> listener, const HubTimes& times, const Connection::Idle& idle = {});
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  // The bytes of all ranks, by rank.
  std::vector<std::string> exchange(const std::string& bytes);
  // Throws PeerFailure once another rank is lost or has failed.
  void check_peers() const;
  bool has_fault() const { return faulty_; }
  // "rank 2 on HOST".
  std::string describe(int rank) const;
  // Names the machine of a rank; no two machines have the same name.
  const std::string& machine(int rank) const { return machines_[static_cast<std::size_t>(rank)]; }
  // Ranks on the machine of this one, which is one of them.
  int local_size() const;
  void report_failure(const std::string& words);
  // `action` is called once when a fault becomes known, by the thread that learns of it.
  void on_fault(std::function<void()> action);
  // `action` is called by the destructor if there was no fault.
  void at_end(std::function<void()> action) { at_end_ = std::move(action); }

 private:
  // The two connections with one other rank.
  struct Peer {
    Connection main, watch;
    Clock::time_point heard{};
    bool has_left = false;
  };

  void lead(const Listener& listener, const HubTimes& times, const Connection::Idle& idle);
  void follow(const HubTimes& times);
  // Takes a connection of a rank; closes one that belongs to no rank.
  void admit(Connection connection, const HubTimes& times);
  // Ends the meeting: tells those that have joined, and the newcomer if there is one.
  [[noreturn]] void refuse(const std::string& words, const Connection* newcomer = nullptr) const;
  std::string missing_ranks() const;
  void watch(const HubTimes& times);
  void stop_watching();
  // Reads what a peer has sent on its second connection.
  void hear(int rank);
  void note_fault(const std::string& words);
  void tell_all(const std::string& message);
  void lose(int rank, const std::string& what);

  Place place_;
  std::vector<Peer> peers_;  // of rank 0: by rank, its own is unused; of others: peers_[0] is rank 0
  std::vector<std::string> hosts_, machines_;
  std::atomic<bool> faulty_{false}, leaving_{false};
  mutable std::mutex mutex_;  // guards hosts_, fault_ and on_fault_
  std::string fault_;
  std::function<void()> on_fault_, at_end_;
  std::mutex sending_;  // held while a message is sent on the second connections
  std::thread watcher_;
};

}  // namespace dragoman::comm

#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/connection.h"
#include "comm/place.h"

namespace dragoman::comm {

// The other ranks of a run on this machine: processes of this program with the same arguments, started by rank 0. They
// get SIGTERM when the thread that started them ends before they have joined, and none of them outlives this object.
class LocalWorkers {
 public:
  // Starts ranks 1 to size - 1.
  LocalWorkers(int size, const std::vector<std::string>& arguments);
  ~LocalWorkers();
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  // That of this process, rank 0.
  const Place& place() const { return place_; }
  // The port that the others connect to.
  std::unique_ptr<Listener> take_listener() { return std::move(listener_); }
  // Throws Error if one of the processes has ended.
  void check_running();
  // Called by a worker that has joined. Its hub notices the death of rank 0 from now on; a signal from the system would
  // end the worker before it could report that.
  static void rely_on_hub();

 private:
  void start(int rank, const std::vector<std::string>& arguments);
  bool have_ended();

  std::unique_ptr<Listener> listener_;
  Place place_;
  std::vector<pid_t> children_;  // that still run
};

}  // namespace dragoman::comm

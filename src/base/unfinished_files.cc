#include "base/unfinished_files.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

namespace dragoman {
namespace {

// A handler may neither lock nor allocate, so names are kept in a fixed array. The handler takes the valid ones, and
// what it has taken is never written again: a name does not change while the handler reads it.
enum class State { empty, valid, taken };

struct Name {
  std::atomic<State> state = State::empty;
  pid_t process = 0;  // a child between fork and exec has the handler and the names of its parent
  std::array<char, 4096> path{};
};

std::array<Name, 64> names;
std::mutex changing_files;

bool change(Name& name, State from, State to) { return name.state.compare_exchange_strong(from, to); }

void handle(int signal) {
  for (Name& name : names)
    if (change(name, State::valid, State::taken) && name.process == getpid()) unlink(name.path.data());
  std::signal(signal, SIG_DFL);
  raise(signal);  // delivered when the handler returns
}

}  // namespace

void remove_unfinished_files_on_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;  // ignored: nohup, &
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

void remember_unfinished(const std::string& path) {
  const std::lock_guard lock(changing_files);
  if (path.size() >= names[0].path.size()) return;
  for (Name& name : names) {
    if (name.state != State::empty) continue;
    name.process = getpid();
    std::memcpy(name.path.data(), path.c_str(), path.size() + 1);
    name.state = State::valid;
    return;
  }
}

void forget_unfinished(const std::string& path) {
  const std::lock_guard lock(changing_files);
  for (Name& name : names)
    if (name.state == State::valid && path == name.path.data()) change(name, State::valid, State::empty);
}

}  // namespace dragoman

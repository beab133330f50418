#include "comm/local_workers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/random_id.h"
#include "base/system_reason.h"

extern char** environ;

namespace dragoman::comm {
namespace {

constexpr int kCannotStart = 127;
// The time that workers have to end by themselves, and after SIGTERM.
constexpr auto kPatience = std::chrono::seconds(2);

// Pointers to the words, as exec takes them.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// The environment of this process, with `set` instead of its own values.
std::vector<std::string> environment_with(const std::vector<std::string>& set) {
  std::vector<std::string> all = set;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const std::string name = variable.substr(0, variable.find('=') + 1);
    if (std::none_of(set.begin(), set.end(), [&](const std::string& own) { return own.starts_with(name); }))
      all.push_back(variable);
  }
  return all;
}

// Runs in the child, where only async-signal-safe functions may be called.
[[noreturn]] void become(char* const* words, char* const* variables, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotStart);  // the parent died before it could be watched
  execve("/proc/self/exe", words, variables);
  _exit(kCannotStart);
}

}  // namespace

LocalWorkers::LocalWorkers(int size, const std::vector<std::string>& arguments)
    : listener_(std::make_unique<Listener>(0, true)) {
  place_ = {.launcher = Launcher::torchrun,
            .rank = 0,
            .size = size,
            .local_rank = 0,
            .address = "127.0.0.1",
            .port = listener_->port(),
            .token = random_id()};
  for (int rank = 1; rank < size; ++rank) start(rank, arguments);
}

void LocalWorkers::start(int rank, const std::vector<std::string>& arguments) {
  Place place = place_;
  place.rank = place.local_rank = rank;
  std::vector<std::string> words = {"dragoman"}, set = environment_with(variables(place));
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> word_list = pointers(words), variable_list = pointers(set);
  const pid_t parent = getpid(), child = fork();
  check(child >= 0, "cannot start a process: {}", system_reason);
  if (child == 0) become(word_list.data(), variable_list.data(), parent);
  children_.push_back(child);
}

void LocalWorkers::rely_on_hub() { prctl(PR_SET_PDEATHSIG, 0); }

bool LocalWorkers::have_ended() {
  std::erase_if(children_, [](pid_t child) { return waitpid(child, nullptr, WNOHANG) != 0; });
  return children_.empty();
}

void LocalWorkers::check_running() {
  const std::size_t before = children_.size();
  have_ended();
  check(children_.size() == before, "one of the {} processes that --devices started ended before it joined the others",
        before);
}

LocalWorkers::~LocalWorkers() {
  for (const int signal : {0, SIGTERM, SIGKILL}) {
    for (const pid_t child : children_)
      if (signal != 0) kill(child, signal);
    for (const auto end = Clock::now() + kPatience; !have_ended() && Clock::now() < end;)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace dragoman::comm

#include "recipe/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/program_files.h"
#include "base/system_reason.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

constexpr int kCannotStart = 127;

std::string partial(const std::string& path) { return path + ".partial"; }

int open_file(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0666);
  check(descriptor >= 0, "{}: cannot be opened: {}", path, system_reason);
  return descriptor;
}

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : value_(open_file(path, flags)) {}
  ~Descriptor() { close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

// Runs in the child, where only async-signal-safe functions may be called: other threads of the parent may have held
// locks when it was forked.
[[noreturn]] void become(const char* program, char* const* words, const int (&streams)[3], pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotStart);  // the parent died before it could be watched
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  for (int i = 0; i < 3; ++i) dup2(streams[i], i);
  close_range(3, ~0U, 0);
  execv(program, words);
  _exit(kCannotStart);
}

}  // namespace

Process::Process(const CommandLine& command, const std::string& log) : command_(command) {
  const Descriptor input("/dev/null", O_RDONLY), errors(log, O_WRONLY | O_CREAT | O_APPEND);
  const Descriptor output(command.output.empty() ? log : partial(command.output),
                          O_WRONLY | O_CREAT | (command.output.empty() ? O_APPEND : O_TRUNC));
  const std::string program = this_program();
  std::vector<char*> words = {const_cast<char*>("dragoman")};
  for (std::string& word : command_.words) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  child_ = fork();
  check(child_ >= 0, "cannot start a process: {}", system_reason);
  if (child_ == 0) become(program.c_str(), words.data(), {input.value(), output.value(), errors.value()}, parent);
}

Process::~Process() {
  if (child_ < 0) return;
  terminate();
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> Process::ended() {
  if (child_ < 0) return status_;
  int status = 0;
  const pid_t changed = waitpid(child_, &status, WNOHANG);
  if (changed == 0 || (changed < 0 && errno == EINTR)) return std::nullopt;
  check(changed == child_, "cannot wait for a process: {}", system_reason);
  return finish(status);
}

int Process::wait() {
  if (child_ < 0) return status_;
  int status = 0;
  while (waitpid(child_, &status, 0) < 0) check(errno == EINTR, "cannot wait for a process: {}", system_reason);
  return finish(status);
}

int Process::finish(int status) {
  child_ = -1;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!command_.output.empty() && status_ == 0) fs::rename(partial(command_.output), command_.output);
  return status_;
}

void Process::terminate() {
  if (child_ < 0 || terminated_) return;
  terminated_ = true;
  kill(child_, SIGTERM);
}

}  // namespace dragoman::recipe

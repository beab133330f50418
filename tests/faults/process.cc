#include "tests/faults/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/error.h"

namespace dragoman::faults {
namespace {

std::string program_path = DRAGOMAN_PROGRAM;

// Replaces this (child) process by the program.
[[noreturn]] void become(const Launch& launch, const std::string& out, const std::string& err) {
  const auto redirect = [](const std::string& path, int flags, int to) {
    const int file = open(path.c_str(), flags, 0666);
    if (file < 0 || dup2(file, to) < 0) _exit(126);
    close(file);
  };
  redirect(launch.output.empty() ? out : launch.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (launch.input_descriptor >= 0)
    dup2(launch.input_descriptor, STDIN_FILENO);
  else
    redirect(launch.input.empty() ? "/dev/null" : launch.input, O_RDONLY, STDIN_FILENO);
  std::vector<char*> words{program_path.data()};
  std::vector<std::string> copies = launch.words;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  // Signals do what they do in a shell, whatever the parent has set.
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(one, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const auto& [resource, most] : launch.limits) {
    const rlimit limit{most, most};
    if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) _exit(126);
  }
  if (chdir(launch.folder.c_str()) == 0) execv(program_path.c_str(), words.data());
  _exit(126);
}

}  // namespace

std::string Outcome::describe() const {
  const std::string message = err.size() > 400 ? "..." + err.substr(err.size() - 400) : err;
  switch (end) {
    case End::exited: return fmt::format("status {}: {}", number, message);
    case End::killed: return fmt::format("signal {} ({}): {}", number, strsignal(number), message);
    case End::hung: break;
  }
  return "hung: " + message;
}

Process::Process(const Launch& launch) {
  static std::atomic<int> count = 0;
  stdout_ = launch.folder / fmt::format("stdout.{}", count.load());
  stderr_ = launch.folder / fmt::format("stderr.{}", count++);
  process_ = fork();
  check(process_ >= 0, "cannot start a process: {}", std::strerror(errno));
  if (process_ == 0) become(launch, stdout_, stderr_);
}

Process::~Process() {
  if (is_running()) {
    send(SIGKILL);
    waitpid(process_, &status_, 0);
  }
  std::error_code ignored;
  std::filesystem::remove(stdout_, ignored);
  std::filesystem::remove(stderr_, ignored);
}

bool Process::is_running() {
  if (process_ < 0) return false;
  if (waitpid(process_, &status_, WNOHANG) == 0) return true;
  process_ = -1;
  return false;
}

void Process::send(int signal) const {
  if (process_ > 0) kill(process_, signal);
}

Outcome Process::wait(std::chrono::seconds limit) {
  Outcome outcome;
  const auto end = std::chrono::steady_clock::now() + limit;
  while (is_running() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (is_running()) {
    send(SIGKILL);
    waitpid(process_, &status_, 0);
    process_ = -1;
  } else if (WIFEXITED(status_)) {
    outcome.end = Outcome::End::exited;
    outcome.number = WEXITSTATUS(status_);
  } else {
    outcome.end = Outcome::End::killed;
    outcome.number = WTERMSIG(status_);
  }
  outcome.out = output();
  outcome.err = error_output();
  return outcome;
}

std::string Process::error_output() const { return read_file(stderr_); }
std::string Process::output() const { return read_file(stdout_); }

void set_program(const std::string& path) { program_path = path; }

Outcome run(const Launch& launch) { return Process(launch).wait(); }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  check(file.flush().good(), "{}: cannot be written", path.string());
}

}  // namespace dragoman::faults

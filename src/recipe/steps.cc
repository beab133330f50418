#include "recipe/steps.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/program_files.h"
#include "base/system_reason.h"
#include "base/utc_time.h"
#include "base/version.h"
#include "data/line_reader.h"
#include "kernels/cuda/cuda.h"
#include "report/json_file.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using report::Json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{20};
constexpr int kCannotStart = 127;

std::string step_file(const Job& job, std::size_t step, const char* ending) {
  return fmt::format("{}/steps/{}.{}", job.folder, step + 1, ending);
}

// Runs in the child, where only async-signal-safe functions may be called: other threads of the parent may have held
// locks when it was forked. The child gets SIGTERM when the thread that started it ends, and is in a process group of
// its own, so that an interrupt from the keyboard reaches only the parent, which decides.
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

// Runs a command as a child process and returns its exit status, 128 + N after signal N. Standard error goes to the end
// of `log`, and so does standard output unless the command names a file for it, which appears as a whole when the
// command has succeeded. If `stops` returns true, the child is asked to end (SIGTERM); `train` saves a checkpoint
// first.
int run_process(const CommandLine& command, const std::string& log, const std::function<bool()>& stops) {
  const std::string program = this_program(), partial = command.output + ".partial";
  std::vector<std::string> own = command.words;
  std::vector<char*> words = {const_cast<char*>("dragoman")};
  for (std::string& word : own) words.push_back(word.data());
  words.push_back(nullptr);
  const int streams[3] = {open("/dev/null", O_RDONLY | O_CLOEXEC),
                          command.output.empty()
                              ? open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                              : open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
                          open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
  const pid_t parent = getpid(), child = streams[1] < 0 || streams[2] < 0 ? -1 : fork();
  if (child == 0) become(program.c_str(), words.data(), streams, parent);
  const std::string problem = child < 0 ? fmt::format("{}", system_reason) : "";
  for (const int stream : streams)
    if (stream >= 0) close(stream);
  check(child >= 0, "cannot run `{}` with its log in {}: {}", show(command), log, problem);
  int status = 0;
  for (bool asked = false; waitpid(child, &status, WNOHANG) != child; std::this_thread::sleep_for(kPoll))
    if (!asked && stops()) {
      asked = true;
      kill(child, SIGTERM);
    }
  status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!command.output.empty() && status == 0) fs::rename(partial, command.output);
  return status;
}

void write_record(const Job& job, std::size_t step, const StepRecord& record) {
  const Json json = {{"recorded", record.recorded},
                     {"command", record.command},
                     {"seconds", record.seconds},
                     {"finished", record.finished},
                     {"measured", record.measured}};
  write_text(step_file(job, step, "json"), json.dump(2) + "\n");
}

// "2026-11-16: dragoman 1.0 on NVIDIA H200, Xeon (16 cores), Debian".
std::string day_and_machine() {
  static const Machine machine = inspect_machine();
  const bool has_gpu = kernels::cuda::problem().empty() && !machine.cuda.gpus.empty();
  return fmt::format("{}: dragoman {} on {}{} ({} cores), {}",
                     utc_time().substr(0, std::string_view("2026-01-01").size()), DRAGOMAN_VERSION,
                     has_gpu ? machine.cuda.gpus[0].name + ", " : "", machine.cpu, machine.cores, machine.system);
}

void copy_lines(const Excerpt& excerpt) {
  if (excerpt.lines == 0) return;
  data::LineReader reader(data::open_bytes(excerpt.source));
  std::string text;
  data::Line line;
  for (int number = 1; number - excerpt.first < excerpt.lines && reader.next(line); ++number)
    if (number >= excerpt.first) text.append(line.text).append("\n");
  check(!text.empty(), "{} has no line {}", excerpt.source, excerpt.first);
  write_text(excerpt.target, text);
}

// Moves away what is left of a training run that cannot be continued: one of another command is renamed, one without a
// checkpoint is removed. Waits for a trainer that a killed runner has left behind, which saves its last checkpoint.
void clear_leftovers(const Job& job, const Step& step, StepRecord& before) {
  const bool is_same = before.recorded == step.recorded;
  if (!is_same || step.run.empty() || !fs::exists(step.run)) before.seconds = 0;
  if (step.run.empty() || !fs::exists(step.run)) return;
  { const FileLock trainer(step.run + "/lock"); }
  if (!fs::exists(step.run + "/checkpoints")) {
    fs::remove_all(step.run);
  } else if (!is_same) {
    std::string old = step.run + ".old";
    for (int i = 2; fs::exists(old); ++i) old = fmt::format("{}.old.{}", step.run, i);
    fs::rename(step.run, old);
    log::info("{}: training starts again; the run of the command before is kept in {}", job.name, old);
  }
}

std::string last_lines(const std::string& path) {
  constexpr std::size_t kShown = 8;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of(" \r") != std::string::npos) lines.push_back(line.substr(line.rfind('\r') + 1));
  std::string text;
  for (std::size_t i = lines.size() - std::min(lines.size(), kShown); i < lines.size(); ++i)
    text += "\n    " + lines[i];
  return text;
}

End run_step(const Job& job, std::size_t number, const std::function<bool()>& stops) {
  const Step& step = job.steps[number];
  const std::string log = step_file(job, number, "log");
  StepRecord record = read_record(job, number);
  if (!record.recorded.empty() && record.recorded != step.recorded)
    log::info("{}: the command of step {}, {}, has changed; running again from there", job.name, number + 1,
              step.title);
  clear_leftovers(job, step, record);
  record = {step.recorded, show(step.command), record.seconds, false, day_and_machine()};
  write_record(job, number, record);
  copy_lines(step.excerpt);
  if (step.run.empty()) fs::remove(log);
  log::info("{}: step {} of {}, {} ({})", job.name, number + 1, job.steps.size(), step.title, log);
  const Clock::time_point start = Clock::now();
  const int status = run_process(step.command, log, stops);
  record.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  record.finished = status == 0;
  write_record(job, number, record);
  if (record.finished) return End::finished;
  if (stops()) return End::stopped;
  log::error("{}: step {} of {}, {}, failed with status {}:\n  {}{}\n  whole log: {}", job.name, number + 1,
             job.steps.size(), step.title, status, record.command, last_lines(log), log);
  return End::failed;
}

}  // namespace

StepRecord read_record(const Job& job, std::size_t step) {
  try {
    const Json json = report::parse_file(step_file(job, step, "json")).value_or(Json::object());
    return {json.value("recorded", ""), json.value("command", ""), json.value("seconds", 0.0),
            json.value("finished", false), json.value("measured", "")};
  } catch (const std::exception&) {
    return {};  // a damaged record: the step is not finished
  }
}

std::size_t finished_steps(const Job& job) {
  std::size_t done = 0;
  for (; done < job.steps.size(); ++done) {
    const StepRecord record = read_record(job, done);
    if (!record.finished || record.recorded != job.steps[done].recorded) break;
  }
  return done;
}

bool is_finished(const Job& job) { return finished_steps(job) == job.steps.size(); }

std::vector<std::string> finished_systems(const Plan& plan) {
  std::vector<std::string> names;
  for (const Job& job : plan.systems)
    if (is_finished(job)) names.push_back(job.name);
  return names;
}

void forget_older(const Job& job, const Job& other) {
  std::error_code missing;
  const auto time = [&](const Job& of) {
    return fs::last_write_time(step_file(of, of.steps.size() - 1, "json"), missing);
  };
  if (!other.steps.empty() && time(job) < time(other)) fs::remove_all(job.folder + "/steps");
}

void write_text(const std::string& path, const std::string& text) {
  fs::create_directories(fs::absolute(path).parent_path());
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

End run_steps(const Job& job, const std::function<bool()>& stops) {
  fs::create_directories(job.folder + "/steps");
  if (!job.model.empty()) fs::create_directories(job.folder + "/tests");
  const std::size_t begin = finished_steps(job);
  // Results of later steps depend on what now runs again.
  for (std::size_t i = begin + 1; i < job.steps.size(); ++i) fs::remove(step_file(job, i, "json"));
  for (std::size_t i = begin; i < job.steps.size(); ++i) {
    if (stops()) return End::stopped;
    if (const End end = run_step(job, i, stops); end != End::finished) return end;
  }
  return End::finished;
}

void check_steps(const std::vector<const Job*>& jobs, const std::string& log) {
  std::set<std::string> checked;  // commands without their paths
  for (const Job* job : jobs)
    for (std::size_t i = finished_steps(*job); i < job->steps.size(); ++i) {
      CommandLine command{.words = job->steps[i].command.words, .output = {}};
      std::string own;
      for (const std::string& word : command.words)
        if (word.find('/') == std::string::npos) own += word + "\n";
      if (!checked.insert(own).second) continue;
      command.words.emplace_back("--dump-config");
      fs::remove(log);
      if (run_process(command, log, [] { return false; }) != 0)
        fail("{}: step {}, {}, is not a valid command:\n  {}{}", job->name, i + 1, job->steps[i].title,
             show(job->steps[i].command), last_lines(log));
    }
  fs::remove(log);
}

}  // namespace dragoman::recipe

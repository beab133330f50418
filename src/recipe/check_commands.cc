#include "recipe/check_commands.h"

#include <sys/mman.h>
#include <unistd.h>

#include <set>

#include "base/system_reason.h"
#include "data/byte_source.h"
#include "recipe/job_runner.h"
#include "recipe/process.h"
#include "recipe/runner.h"

namespace dragoman::recipe {
namespace {

// A file in memory, which a process can write to by its path.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("messages", MFD_CLOEXEC)) {
    check(descriptor_ >= 0, "cannot make a file in memory: {}", system_reason);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
  void clear() const { check(ftruncate(descriptor_, 0) == 0, "cannot empty a file in memory"); }

 private:
  int descriptor_;
};

// The words that are not paths. Commands with the same ones are checked once.
std::string without_paths(const CommandLine& command) {
  std::string text;
  for (const std::string& word : command.words)
    if (word.find('/') == std::string::npos) text += word + "\n";
  return text;
}

void check_job(const Job& job, const MemoryFile& messages, std::set<std::string>& checked) {
  if (is_finished(job)) return;
  for (std::size_t i = finished_steps(job); i < job.steps.size(); ++i) {
    CommandLine command = job.steps[i].command;
    if (!checked.insert(without_paths(command)).second) continue;
    command.words.emplace_back("--dump-config");
    command.output.clear();  // the settings go where the messages go
    messages.clear();
    if (Process(command, messages.path()).wait() != 0)
      fail("{}: step {}, {}, is not a valid command:\n  {}\n{}", job.name, i + 1, job.steps[i].title,
           show(job.steps[i].command), data::read_whole(messages.path()));
  }
}

}  // namespace

void check_commands(const Plan& plan) {
  const MemoryFile messages;
  std::set<std::string> checked;
  check_job(plan.preparation, messages, checked);
  for (const Job& job : plan.systems) check_job(job, messages, checked);
  for (const Job& job : plan.figures) check_job(job, messages, checked);
}

}  // namespace dragoman::recipe

#include "recipe/check_commands.h"

#include <unistd.h>

#include <filesystem>
#include <set>

#include "data/byte_source.h"
#include "recipe/job_runner.h"
#include "recipe/process.h"
#include "recipe/runner.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

// The words that are not paths. Commands with the same ones are checked once.
std::string without_paths(const CommandLine& command) {
  std::string text;
  for (const std::string& word : command.words)
    if (word.find('/') == std::string::npos) text += word + "\n";
  return text;
}

void check_job(const Job& job, const std::string& file, std::set<std::string>& checked) {
  if (is_finished(job)) return;
  for (std::size_t i = finished_steps(job); i < job.steps.size(); ++i) {
    CommandLine command = job.steps[i].command;
    if (!checked.insert(without_paths(command)).second) continue;
    command.words.emplace_back("--dump-config");
    command.output = file + ".settings";
    fs::remove(file);
    if (Process(command, file).wait() != 0)
      fail("{}: step {}, {}, is not a valid command:\n  {}\n{}", job.name, i + 1, job.steps[i].title,
           show(job.steps[i].command), data::read_whole(file));
  }
}

}  // namespace

void check_commands(const Plan& plan, const std::string& scratch) {
  const std::string file = fmt::format("{}/check-{}", scratch, getpid());
  std::set<std::string> checked;
  check_job(plan.preparation, file, checked);
  for (const Job& job : plan.systems) check_job(job, file, checked);
  for (const Job& job : plan.figures) check_job(job, file, checked);
  for (const char* suffix : {"", ".settings", ".settings.partial"}) fs::remove(file + suffix);
}

}  // namespace dragoman::recipe

#include "recipe/overview.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/file_lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text_value.h"
#include "data/byte_source.h"
#include "recipe/job_runner.h"
#include "recipe/process.h"
#include "recipe/runner.h"
#include "recipe/training_log.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

// What `train --dry-run` says about a run.
struct Cost {
  std::string until;  // "update 12,000, epoch 5.00, ..."
  std::string memory;
  double seconds = 0;
};

// The number that follows `words` in a text; thousands may be separated by commas.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t begin = text.find(words) + words.size();
  std::string digits = text.substr(begin, text.find_first_not_of("0123456789.,", begin) - begin);
  std::erase(digits, ',');
  return text_value::parse_number(digits);
}

// Files beside the results, removed at the end.
class ScratchFiles {
 public:
  explicit ScratchFiles(const Folder& folder) : prefix_(fmt::format("{}/dry-run-{}", folder.path, getpid())) {
    fs::create_directories(folder.work());
  }
  ~ScratchFiles() {
    std::error_code ignored;
    for (const std::string& path : {log(), facts(), facts() + ".partial"}) fs::remove(path, ignored);
  }
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;
  std::string log() const { return prefix_ + ".log"; }
  std::string facts() const { return prefix_ + ".facts"; }

 private:
  std::string prefix_;
};

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// Throws with the last line that `train --dry-run` said if it fails. Statistical systems have no updates.
Cost training_cost(const Step& step, const ScratchFiles& files) {
  CommandLine command = step.command;
  command.words.emplace_back("--dry-run");
  command.output = files.facts();
  fs::remove(files.log());
  if (Process(command, files.log()).wait() != 0) fail("{}", last_line(data::read_whole(files.log())));
  Cost cost;
  std::istringstream facts(data::read_whole(files.facts()));
  double updates = 0;
  for (std::string line; std::getline(facts, line);) {
    const std::string words =
        line.substr(std::min<std::size_t>(line.find_first_not_of(' ', line.find(' ')), line.size()));
    if (line.starts_with("until ")) {
      cost.until = words;
      updates = number_after(words, "update ");
    } else if (line.starts_with("memory ")) {
      cost.memory = words.substr(0, words.find(':'));
    } else if (line.starts_with("time ")) {
      cost.seconds = updates * number_after(words, " at ");
    }
  }
  return cost;
}

void print_commands(const std::string& heading, const Job& job, bool finished) {
  fmt::print("\n# {}{}\n", heading, finished ? ": finished" : "");
  const std::size_t done = finished ? job.steps.size() : finished_steps(job);
  for (std::size_t i = 0; i < job.steps.size(); ++i)
    fmt::print("{}{}\n", i < done && !finished ? "# finished: " : "", show(job.steps[i].command));
}

bool is_locked(const std::string& folder) {
  return fs::exists(folder + "/lock") && !FileLock::try_lock(folder + "/lock");
}

std::string state_words(const Job& job) {
  const std::size_t done = finished_steps(job);
  const auto at_step = [&] {
    return done == job.steps.size()
               ? ""
               : fmt::format("step {} of {}, {}", done + 1, job.steps.size(), job.steps[done].title);
  };
  if (is_finished(job))
    return is_outdated(job) ? "finished, by other commands than those of the recipe now" : "finished";
  if (is_locked(job.folder)) return "running, " + at_step();
  if (done == 0 && read_record(job, 0).recorded.empty()) return "not started";
  return "interrupted at " + at_step();
}

std::string training_words(const Job& job, const Folder& folder) {
  TrainingLog log(folder.log(job.name));
  if (is_finished(job) || !log.update()) return "";
  return fmt::format(", epoch {:.2f}, update {}", log.position().epochs,
                     with_commas(static_cast<std::int64_t>(log.position().updates)));
}

}  // namespace

void print_dry_run(const Recipe& recipe, const Folder& folder, const Plan& plan, const Job& comparisons) {
  const bool prepared = finished_steps(plan.preparation) == plan.preparation.steps.size();
  if (!plan.preparation.steps.empty()) print_commands("preparation", plan.preparation, prepared);
  for (const Job& job : plan.systems)
    print_commands(fmt::format("{}: {}", job.name, recipe.system(job.name).title), job, is_finished(job));
  for (const Job& job : plan.figures) print_commands("figure " + job.name, job, is_finished(job));
  if (!comparisons.steps.empty()) print_commands(comparisons.name, comparisons, is_finished(comparisons));
  const ScratchFiles files(folder);
  double seconds = 0;
  bool complete = true;
  fmt::print("\n# training\n");
  for (const Job& job : plan.systems) {
    if (is_finished(job)) continue;
    for (std::size_t i = finished_steps(job); i < job.model_steps; ++i) {
      if (job.steps[i].run.empty()) continue;
      std::fflush(stdout);
      std::string words = "not known before its data is prepared";
      if (prepared) {
        log::info("{}: estimating the time of training", job.name);
        try {
          const Cost cost = training_cost(job.steps[i], files);
          seconds += cost.seconds;
          words = cost.until.empty() ? "statistical, no updates"
                                     : fmt::format("{} to {}, {}", clock_time(cost.seconds), cost.until, cost.memory);
        } catch (const Error& error) {
          complete = false;
          words = fmt::format("not known: {}", error.what());
        }
      }
      complete = complete && prepared;
      fmt::print("# {:<32} {}\n", job.name, words);
    }
  }
  fmt::print("# {:<32} {}{} on this machine, one system at a time, without validation and translation\n", "sum",
             complete ? "" : "at least ", clock_time(seconds));
}

void print_status(const Recipe& recipe, const Folder& folder, const Plan& plan) {
  std::size_t width = 0;
  for (const System& system : recipe.systems) width = std::max(width, system.name.size());
  for (const Job& job : plan.systems)
    fmt::print("{:<{}}  {}{}\n", job.name, width, state_words(job), training_words(job, folder));
  for (const Job& job : plan.figures) fmt::print("figure {:<{}}  {}\n", job.name, width, state_words(job));
}

}  // namespace dragoman::recipe

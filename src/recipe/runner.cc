#include "recipe/runner.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "base/file_lock.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "recipe/page.h"
#include "recipe/results.h"
#include "recipe/steps.h"
#include "train/stop_signal.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

bool stops() { return train::StopSignal::received() != 0; }

// One invocation of `recipe run`.
class Runner {
 public:
  Runner(const Recipe& recipe, const Folder& folder, const RunOptions& options, const Plan& plan)
      : recipe_(recipe),
        folder_(folder),
        options_(options),
        plan_(plan),
        all_(make_plan(recipe, folder, options.plan)) {
    for (const Job& job : plan.systems) states_[job.name] = is_finished(job) ? State::finished : State::waiting;
  }

  int run() {
    log::info("{}: {} of {} systems finished, results in {}", recipe_.name, with_state(State::finished).size(),
              plan_.systems.size(), folder_.path);
    if (run_job(plan_.preparation) == End::finished) {
      run_systems();
      for (const Job& job : plan_.figures) measure(job);
      for (const Job& job : plan_comparisons(recipe_, folder_, options_.plan, finished_systems(all_))) measure(job);
    }
    report();
    return sum_up();
  }

 private:
  enum class State { waiting, running, finished, failed };

  End run_job(const Job& job) {
    End end = End::failed;
    try {
      end = run_steps(job, stops);
    } catch (const std::exception& error) {
      log::error("{}: {}", job.name, error.what());
    }
    if (end == End::failed) failed_ = true;
    return end;
  }

  // `jobs` threads, each of which takes a system whose needs are finished until there are none.
  void run_systems() {
    std::vector<std::thread> workers;
    for (int i = 0; i < options_.jobs; ++i)
      workers.emplace_back([this] {
        while (const Job* const job = next_system()) {
          const End end = run_system(*job);
          const std::lock_guard lock(mutex_);
          states_[job->name] = end == End::finished ? State::finished
                               : end == End::failed ? State::failed
                                                    : State::waiting;
          changed_.notify_all();
        }
      });
    for (std::thread& worker : workers) worker.join();
  }

  // Null if nothing is left to run.
  const Job* next_system() {
    std::unique_lock lock(mutex_);
    while (!stops()) {
      bool is_running = false;
      for (const Job& job : plan_.systems) {
        is_running |= states_[job.name] == State::running;
        const bool can_run = std::all_of(job.needs.begin(), job.needs.end(),
                                         [this](const auto& name) { return states_.at(name) == State::finished; });
        if (states_[job.name] != State::waiting || !can_run) continue;
        states_[job.name] = State::running;
        return &job;
      }
      if (!is_running) return nullptr;
      changed_.wait(lock);
    }
    return nullptr;
  }

  End run_system(const Job& job) {
    const End end = run_job(job);
    if (end != End::finished) return end;
    try {
      const SystemResult result = measure_system(recipe_, folder_, job);
      std::string scores;
      for (const auto& [name, value] : result.values)
        if (name.ends_with(".bleu") && !options_.plan.miniature)
          scores += fmt::format(", {} {:.2f}", name, value.number);
      log::info("{}: finished after {}{}", job.name, clock_time(result.seconds), scores);
    } catch (const Error& error) {
      failed_ = true;
      log::error("{}", error.what());
    }
    return end;
  }

  // Runs a figure or a comparison, whose systems must be finished; again if a system has changed. One at a time, since
  // figures measure time.
  void measure(const Job& job) {
    if (stops()) return;
    for (const Job& system : all_.systems) {
      if (std::find(job.needs.begin(), job.needs.end(), system.name) == job.needs.end()) continue;
      if (!is_finished(system)) {
        const bool is_asked_for =
            std::find(options_.only.begin(), options_.only.end(), job.name) != options_.only.end();
        failed_ = failed_ || is_asked_for;
        return log::info("figure {0} is not measured: it needs {1}; use --only {1},{0}", job.name, system.name);
      }
      forget_older(job, system);
    }
    run_job(job);
  }

  void report() {
    try {
      write_report(recipe_, folder_, options_.plan);
      log::info("report: {}", folder_.page());
    } catch (const std::exception& error) {
      failed_ = true;
      log::error("the report cannot be written: {}", error.what());
    }
  }

  std::vector<std::string> with_state(State state) const {
    std::vector<std::string> names;
    for (const auto& [name, own] : states_)
      if (own == state) names.push_back(name);
    return names;
  }

  int sum_up() const {
    const auto list = [this](State state, const char* what) {
      if (const auto names = with_state(state); !names.empty()) log::info("{}: {}", what, join(names, ", "));
    };
    list(State::waiting, "not finished");
    list(State::failed, "failed");
    const int signal = train::StopSignal::received();
    if (signal != 0) log::info("interrupted; the same command goes on from here");
    return signal != 0 ? 128 + signal : failed_ ? 1 : 0;
  }

  const Recipe& recipe_;
  const Folder& folder_;
  const RunOptions& options_;
  const Plan& plan_;  // of this run
  const Plan all_;    // of the whole recipe
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, State> states_;  // of systems
  std::atomic<bool> failed_ = false;
};

// An output folder belongs to one recipe, in full or as a miniature.
void claim_folder(const Recipe& recipe, const Folder& folder, bool is_miniature) {
  const std::string own = recipe.name + (is_miniature ? " (miniature)" : "");
  std::ifstream file(folder.owner());
  std::string owner;
  if (std::getline(file, owner))
    check(owner == own, "{} holds results of the recipe {}, not of {}; choose another --output", folder.path, owner,
          own);
  else
    write_text(folder.owner(), own + "\n");
}

}  // namespace

int run_recipe(const Recipe& recipe, const Folder& folder, const RunOptions& options) {
  RunOptions own = options;
  // Several systems at a time share the cores.
  if (own.jobs > 1 && own.plan.threads == 0) own.plan.threads = std::max(1, threads::available() / own.jobs);
  if (own.plan.miniature) log::info("{}", kMiniatureWarning);
  const Plan plan = make_plan(recipe, folder, own.plan, own.only);
  claim_folder(recipe, folder, own.plan.miniature);
  const std::optional<FileLock> lock = FileLock::try_lock(folder.path + "/lock");
  check(lock.has_value(), "another run of this recipe works in {}", folder.path);
  std::vector<const Job*> jobs = {&plan.preparation};
  for (const Job& job : plan.systems) jobs.push_back(&job);
  for (const Job& job : plan.figures) jobs.push_back(&job);
  check_steps(jobs, folder.path + "/check.log");
  if (own.plan.miniature)
    write_stand_ins(recipe, own.plan.data);
  else
    find_data(recipe.data, own.data);
  const train::StopSignal signals;
  return Runner(recipe, folder, own, plan).run();
}

void print_plan(const Recipe& recipe, const Folder& folder, const RunOptions& options) {
  const Plan plan = make_plan(recipe, folder, options.plan, options.only);
  const auto print = [](const std::string& heading, const Job& job) {
    fmt::print("\n# {}\n", heading);
    const std::size_t done = finished_steps(job);
    for (std::size_t i = 0; i < job.steps.size(); ++i)
      fmt::print("{}{}\n", i < done ? "# finished: " : "", show(job.steps[i].command));
  };
  if (!plan.preparation.steps.empty()) print(plan.preparation.name, plan.preparation);
  for (const Job& job : plan.systems) print(job.name + ": " + recipe.system(job.name).title, job);
  for (const Job& job : plan.figures) print("figure " + job.name, job);
  for (const Job& job : plan_comparisons(recipe, folder, options.plan, names_of(plan.systems)))
    print("comparison " + job.name, job);
}

}  // namespace dragoman::recipe

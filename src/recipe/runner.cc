#include "recipe/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/join.h"
#include "base/progress.h"
#include "base/threads.h"
#include "recipe/board.h"
#include "recipe/check_commands.h"
#include "recipe/comparison_plan.h"
#include "recipe/job_runner.h"
#include "recipe/measure.h"
#include "recipe/miniature.h"
#include "recipe/page.h"
#include "recipe/step_device.h"
#include "recipe/system_queue.h"
#include "train/stop_signal.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using State = SystemQueue::State;

constexpr std::chrono::milliseconds kRefresh{100};

std::string names(const std::vector<std::string>& list) { return join(list, ", "); }

bool is_newer(const std::string& file, const std::string& than) {
  std::error_code missing;
  const auto time = fs::last_write_time(file, missing);
  return !missing && time > fs::last_write_time(than, missing) && !missing;
}

// One invocation of `recipe run`.
class Runner {
 public:
  Runner(const Recipe& recipe, const Folder& folder, const RunOptions& options)
      : recipe_(recipe),
        folder_(folder),
        options_(options),
        plan_(make_plan(recipe, folder, options.plan, options.only)),
        queue_(plan_.systems),
        environment_(this_environment()),
        gpus_(usable_gpus()) {}

  int run() {
    announce();
    is_left_ = !prepare();
    if (!is_left_) {
      run_systems();
      run_figures();
      compare();
      report();
    }
    return sum_up();
  }

 private:
  // Connects a job with the board and with the reasons to stop.
  class JobWatch final : public Watch {
   public:
    explicit JobWatch(Runner& runner) : runner_(runner) {}
    void on_step(const Job& job, std::size_t step) override { runner_.board_.on_step(job, step); }
    void remark(const std::string& text) override { runner_.board_.info(text); }
    bool stops() override { return runner_.stops(); }

   private:
    Runner& runner_;
  };

  bool out_of_time() const {
    return options_.budget > 0 && std::chrono::duration<double>(Clock::now() - start_).count() >= options_.budget;
  }
  bool stops() const { return train::StopSignal::received() != 0 || out_of_time(); }

  void announce() {
    const std::vector<std::string> finished = queue_.with_state(State::finished);
    for (const Job& job : plan_.systems) {
      if (const std::string words = damage(job); !words.empty()) {
        ++failures_;
        board_.error(words);
      }
      if (is_outdated(job))
        board_.info(
            fmt::format("{}: was trained by other commands than those of the recipe now; remove {} to train it "
                        "again",
                        job.name, job.folder));
    }
    if (plan_.systems.empty())
      board_.info(fmt::format("{}: results in {}", recipe_.name, folder_.path));
    else
      board_.info(fmt::format("{}: {} of {} systems finished, results in {}", recipe_.name, finished.size(),
                              plan_.systems.size(), folder_.path));
  }

  // Runs a job while the board is redrawn.
  JobEnd run_drawn(
      const Job& job, const std::function<void()>& finish = [] {}) {
    JobEnd end;
    draw_while([&] { end = run_job(job, finish); });
    return end;
  }

  // Runs the steps of a job and, if all have succeeded, `finish`.
  JobEnd run_job(const Job& job, const std::function<void()>& finish) {
    JobEnd end;
    try {
      JobWatch watch(*this);
      end = run_steps(job, watch, gpus_);
      if (end.kind == JobEnd::Kind::finished) finish();
    } catch (const std::exception& error) {
      end = {JobEnd::Kind::failed, fmt::format("{}: {}", job.name, error.what())};
    }
    board_.on_end(job);
    if (end.kind == JobEnd::Kind::failed) {
      ++failures_;
      board_.error(end.message);
    }
    return end;
  }

  template <class Work>
  void draw_while(Work work) {
    std::atomic<bool> done = false;
    std::exception_ptr problem;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        problem = std::current_exception();
      }
      done = true;
    });
    for (; !done; std::this_thread::sleep_for(kRefresh)) refresh();
    worker.join();
    if (problem) std::rethrow_exception(problem);
  }

  // A log that cannot be read is no reason to stop.
  void refresh() {
    try {
      board_.refresh();
    } catch (const std::exception&) {
    }
  }

  bool prepare() {
    if (is_finished(plan_.preparation)) return true;
    fs::create_directories(plan_.preparation.folder);
    const std::string path = plan_.preparation.folder + "/lock";
    for (bool told = false; !stops(); told = true, std::this_thread::sleep_for(kRefresh)) {
      if (const std::optional<FileLock> lock = FileLock::try_lock(path))
        return run_drawn(plan_.preparation).kind == JobEnd::Kind::finished;
      if (!told) board_.info("another runner prepares the data; waiting for it");
    }
    return false;
  }

  void run_systems() {
    draw_while([&] {
      std::vector<std::thread> workers;
      for (int i = 0; i < options_.jobs; ++i)
        workers.emplace_back([&] {
          try {
            work();
          } catch (const std::exception& error) {
            ++failures_;
            board_.error(error.what());
          }
        });
      for (std::thread& worker : workers) worker.join();
    });
  }

  void work() {
    while (!stops()) {
      bool later = false;
      const std::optional<SystemQueue::Claim> claim = queue_.next(later);
      if (claim)
        queue_.finish(*claim->job, run_system(*claim->job));
      else if (later)
        std::this_thread::sleep_for(kRefresh);
      else
        break;
    }
  }

  State run_system(const Job& job) {
    const JobEnd end = run_job(job, [&] {
      const SystemResult result = measure_system(recipe_, folder_, recipe_.system(job.name), job, environment_);
      write_text(job.result, to_json(result).dump(2) + "\n");
      std::string scores;
      for (const auto& [value, number] : result.values)
        if (value.ends_with(".bleu")) scores += fmt::format(", {} {:.2f}", value, number);
      board_.info(fmt::format("{}: finished after {}{}", job.name, clock_time(result.seconds()), scores));
    });
    switch (end.kind) {
      case JobEnd::Kind::finished: return State::finished;
      case JobEnd::Kind::failed: return State::failed;
      case JobEnd::Kind::stopped: break;
    }
    return State::waiting;
  }

  // Waits for a system that another runner works on. False if it has not been finished.
  bool wait_for(const std::string& name, const std::string& figure) {
    State state = known(name);
    if (state == State::elsewhere) board_.info(fmt::format("{} waits for {}, which runs elsewhere", figure, name));
    for (; state == State::elsewhere && !stops(); state = known(name)) std::this_thread::sleep_for(kRefresh);
    return state == State::finished;
  }

  // Whether this run includes the system.
  bool plans(const std::string& name) const {
    return std::any_of(plan_.systems.begin(), plan_.systems.end(), [&](const Job& job) { return job.name == name; });
  }

  // The state of a system; one that this run leaves out is finished or not.
  State known(const std::string& name) {
    if (plans(name)) return queue_.state(name);
    return fs::exists(folder_.result(name)) ? State::finished : State::waiting;
  }

  // A figure that was asked for by name is an error if no system of this run is what it waits for.
  void postpone(const Job& figure, const std::vector<std::string>& missing) {
    const bool is_named = std::find(options_.only.begin(), options_.only.end(), figure.name) != options_.only.end();
    const bool is_hopeless =
        std::none_of(missing.begin(), missing.end(), [&](const auto& name) { return plans(name); });
    if (is_named && is_hopeless) {
      ++failures_;
      board_.error(
          fmt::format("figure {0} needs {1}; use --only {2},{0}", figure.name, names(missing), join(missing, ",")));
    } else {
      board_.info(fmt::format("figure {} is postponed: it needs {}", figure.name, names(missing)));
    }
  }

  // One at a time, since they measure time.
  void run_figures() {
    for (const Job& job : plan_.figures) {
      if (stops()) return;
      std::vector<std::string> missing;
      for (const std::string& name : job.needs)
        if (!wait_for(name, "figure " + job.name)) missing.push_back(name);
      if (!missing.empty()) {
        postpone(job, missing);
        continue;
      }
      fs::create_directories(job.folder);
      const std::optional<FileLock> lock = FileLock::try_lock(job.folder + "/lock");
      if (lock) run_figure(job);
    }
  }

  void run_figure(const Job& job) {
    // Measured again if a system has changed.
    for (const std::string& name : job.needs)
      if (is_newer(folder_.result(name), job.result)) fs::remove_all(job.folder + "/steps");
    if (is_finished(job)) return;
    const JobEnd end =
        run_drawn(job, [&] { write_text(job.result, to_json(measure_figure(job, environment_)).dump(2) + "\n"); });
    if (end.kind == JobEnd::Kind::failed) failed_figures_.push_back(job.name);
  }

  void compare() {
    const Translated translated = translated_tests(recipe_, folder_);
    const Job job = plan_comparisons(recipe_, folder_, options_.plan, translated);
    if (job.steps.empty()) return;
    if (stops()) {
      is_left_ = is_left_ || !is_finished(job);
      return;
    }
    fs::create_directories(job.folder);
    const FileLock lock(job.folder + "/lock");
    for (const Step& step : job.steps)
      for (const auto& [name, tests] : translated)
        if (is_newer(folder_.result(name), step.command.output)) fs::remove_all(job.folder + "/steps");
    const JobEnd end = run_drawn(job);
    is_left_ = is_left_ || end.kind == JobEnd::Kind::stopped;
    if (end.kind == JobEnd::Kind::failed)
      for (std::size_t i = finished_steps(job); i < job.steps.size(); ++i)
        failed_comparisons_.push_back(job.steps[i].title);
  }

  void report() {
    try {
      fs::create_directories(fs::path(folder_.page()).parent_path());
      const FileLock lock(folder_.path + "/report/lock");
      write_report(recipe_, folder_, options_.plan.data);
      board_.info("report: " + folder_.page());
    } catch (const std::exception& error) {
      ++failures_;
      board_.error(fmt::format("the report cannot be written: {}", error.what()));
    }
  }

  void sum_up_figures() {
    std::vector<std::string> open;
    for (const Job& job : plan_.figures)
      if (!is_finished(job) &&
          std::find(failed_figures_.begin(), failed_figures_.end(), job.name) == failed_figures_.end())
        open.push_back(job.name);
    is_left_ = is_left_ || !open.empty();
    if (!open.empty()) board_.info("figures not measured: " + names(open));
    if (!failed_figures_.empty()) board_.info("figures that failed: " + names(failed_figures_));
  }

  int sum_up() {
    const auto list = [&](State state, const char* what) {
      const std::vector<std::string> found = queue_.with_state(state);
      if (!found.empty()) board_.info(fmt::format("{}: {}", what, names(found)));
    };
    list(State::waiting, "not finished");
    list(State::elsewhere, "left to other runners");
    list(State::failed, "failed");
    list(State::blocked, "not run, because they need a system that failed");
    sum_up_figures();
    if (!failed_comparisons_.empty()) board_.info("comparisons that failed: " + names(failed_comparisons_));
    if (!plan_.systems.empty())
      board_.info(fmt::format("{} of {} systems finished in {}", queue_.with_state(State::finished).size(),
                              plan_.systems.size(), folder_.path));
    const int signal = train::StopSignal::received();
    is_left_ = is_left_ || !queue_.with_state(State::waiting).empty();
    if (signal != 0 || (out_of_time() && is_left_))
      board_.info(signal != 0 ? "interrupted; the same command goes on from here"
                              : "the budget is used up; the same command goes on from here");
    return signal != 0 ? 128 + signal : failures_ > 0 ? 1 : 0;
  }

  const Recipe& recipe_;
  const Folder& folder_;
  const RunOptions& options_;
  const Plan plan_;
  SystemQueue queue_;
  const Environment environment_;
  const std::vector<std::string> gpus_;
  const Clock::time_point start_ = Clock::now();
  Board board_;
  std::atomic<int> failures_ = 0;
  std::vector<std::string> failed_figures_, failed_comparisons_;
  bool is_left_ = false;  // work for another run
};

}  // namespace

bool is_finished(const Job& job) {
  if (!job.result.empty() && !fs::exists(job.result)) return false;
  const std::size_t done = finished_steps(job);
  return done == job.steps.size() || done < job.model_steps;
}

bool is_outdated(const Job& job) {
  return is_finished(job) && finished_steps(job) < job.model_steps &&
         !read_record(job, finished_steps(job)).recorded.empty();
}

std::string damage(const Job& job) {
  try {
    read_system_result(job.result);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void check_output(const Recipe& recipe, const Folder& folder, const std::string& data) {
  const auto is_same = [&](const std::string& other) {
    return fs::weakly_canonical(fs::path(folder.path) / "") == fs::weakly_canonical(fs::path(other) / "");
  };
  check(!is_same(data), "--output {}: this is the folder of the data; choose another one for the results", folder.path);
  check(recipe.folder.empty() || !is_same(recipe.folder),
        "--output {}: this is the folder of the recipe; choose another one for the results", folder.path);
}

namespace {

// An output folder belongs to one recipe, in full or as a miniature.
void claim_folder(const Recipe& recipe, const Folder& folder, bool is_miniature) {
  const std::string own = owner_name(recipe, is_miniature);
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
  check_output(recipe, folder, own.data.directory);
  const Plan plan = make_plan(recipe, folder, own.plan, own.only);
  if (own.plan.miniature) check_miniature(recipe, plan);
  check_commands(plan);
  fs::create_directories(folder.path);
  claim_folder(recipe, folder, own.plan.miniature);
  // A signal ends a download at once; it is resumed by the next run.
  if (!own.plan.miniature) own.plan.data = find_data(recipe.data, own.data, folder.path);
  const train::StopSignal signals;
  if (own.plan.miniature) write_stand_ins(recipe, own.plan.data);
  return Runner(recipe, folder, own).run();
}

}  // namespace dragoman::recipe

#include "recipe/system_queue.h"

#include <algorithm>
#include <filesystem>

#include "recipe/runner.h"

namespace dragoman::recipe {
namespace {

std::string lock_file(const Job& job) { return job.folder + "/lock"; }

}  // namespace

SystemQueue::SystemQueue(const std::vector<Job>& jobs) : jobs_(jobs) {
  for (const Job& job : jobs) states_[job.name] = is_finished(job) ? State::finished : State::waiting;
}

std::optional<SystemQueue::Claim> SystemQueue::next(bool& later) {
  const std::lock_guard lock(mutex_);
  later = false;
  for (const Job& job : jobs_) {
    State& state = states_[job.name];
    if (state != State::waiting && state != State::elsewhere) continue;
    const auto needs_one = [&](auto... wanted) {
      return std::any_of(job.needs.begin(), job.needs.end(),
                         [&](const std::string& name) { return ((states_.at(name) == wanted) || ...); });
    };
    if (needs_one(State::failed, State::blocked)) {
      state = State::blocked;
    } else if (needs_one(State::waiting, State::running, State::elsewhere)) {
      later = true;
    } else {
      std::filesystem::create_directories(job.folder);
      std::optional<FileLock> own = FileLock::try_lock(lock_file(job));
      state = !own ? State::elsewhere : is_finished(job) ? State::finished : State::running;
      if (state == State::running) return Claim{&job, std::move(*own)};
    }
  }
  return std::nullopt;
}

void SystemQueue::finish(const Job& job, State state) {
  const std::lock_guard lock(mutex_);
  states_[job.name] = state;
}

void SystemQueue::look(const Job& job) {
  State& state = states_[job.name];
  if (state != State::elsewhere || !FileLock::try_lock(lock_file(job))) return;
  state = is_finished(job) ? State::finished : State::waiting;
}

SystemQueue::State SystemQueue::state(const std::string& name) {
  const std::lock_guard lock(mutex_);
  for (const Job& job : jobs_)
    if (job.name == name) look(job);
  return states_.at(name);
}

std::vector<std::string> SystemQueue::with_state(State state) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Job& job : jobs_)
    if (states_.at(job.name) == state) names.push_back(job.name);
  return names;
}

}  // namespace dragoman::recipe

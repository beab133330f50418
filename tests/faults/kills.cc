#include <signal.h>

#include <algorithm>
#include <thread>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

fs::path newest_checkpoint(const fs::path& run) {
  fs::path newest;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", missing))
    if (entry.path().extension() == ".safetensors") newest = std::max(newest, entry.path());
  return newest;
}

// Kills one training several times, then lets it end.
void kill_one_run(Workshop& shop, const Training& training, int kills, Clock::duration length, Row& row) {
  const fs::path folder = shop.fresh_folder();
  fs::path furthest;
  for (int i = 0; i < kills; ++i) {
    Process process({.words = shop.train_words(training, "run"), .folder = folder, .environment = {}});
    std::this_thread::sleep_for(length * shop.random().uniform());
    process.send(SIGKILL);
    const Outcome outcome = process.wait();
    if (outcome.end == Outcome::End::killed) row.met();
    const fs::path newest = newest_checkpoint(folder / "run");
    std::string problem;
    if (outcome.end == Outcome::End::exited && outcome.number != 0) problem = outcome.describe();
    if (newest < furthest) problem = "a checkpoint was lost: " + furthest.string();
    furthest = newest;
    if (i + 1 < kills || !problem.empty()) row.add(problem);
  }
  row.add(shop.finish_and_compare(training, folder));
}

}  // namespace

void kill_training(Workshop& shop) {
  constexpr int kAtATime = 5;
  const std::vector<int> kills = shop.options().quick ? std::vector{5, 0, 0, 1} : std::vector{40, 25, 25, 10};
  for (std::size_t i = 0; i < kills.size(); ++i) {
    const Training& training = shop.trainings()[i];
    if (kills[i] == 0) continue;
    const Clock::time_point begin = Clock::now();
    shop.expected(training);
    const Clock::duration length = Clock::now() - begin;
    Row row("kill -9, then go on", training.name);
    for (int left = kills[i]; left > 0; left -= kAtATime)
      kill_one_run(shop, training, std::min(left, kAtATime), length, row);
  }
}

}  // namespace dragoman::faults

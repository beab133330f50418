#include <cmath>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

bool is_quick_task(const Task& task) {
  return task.name == "inspect" || task.name == "translate" || task.name == "tokenize";
}

}  // namespace

void fail_allocations(Workshop& shop) {
  // The first allocations are the most varied ones, so that half of all rounds fall on the square root of this number.
  constexpr double kMost = 1'000;
  for (const Task& task : shop.tasks()) {
    if (shop.options().quick && !is_quick_task(task)) continue;
    const std::string& whole = shop.expected(task);
    Row row("failing allocation", task.name);
    for (int i = shop.rounds(80, 8); i > 0; --i) {
      const std::filesystem::path folder = shop.fresh_folder();
      const auto n = static_cast<std::uint64_t>(std::exp(shop.random().uniform() * std::log(kMost)));
      Launch launch = shop.launch(task, folder);
      launch.environment = with_fault("allocation:" + std::to_string(n));
      const Outcome outcome = run(launch);
      if (!outcome.succeeded()) row.met();
      const bool right = outcome.refused() || (outcome.succeeded() && Workshop::made(task, outcome, folder) == whole);
      row.add(right ? "" : "allocation " + std::to_string(n) + ": " + outcome.describe());
    }
  }
}

void interrupt_transfers(Workshop& shop) {
  for (const Training& training : shop.trainings()) {
    if (shop.options().quick && training.name != "transformer") continue;
    const std::string& state = shop.expected(training);
    Row row("short reads, EINTR", "train " + training.name);
    for (int i = shop.rounds(5, 1); i > 0; --i) {
      const std::filesystem::path folder = shop.fresh_folder();
      const Outcome outcome = run({.words = shop.train_words(training, "run"),
                                   .folder = folder,
                                   .environment = with_fault("ragged:" + std::to_string(shop.random().bits()))});
      row.met();
      row.add(!outcome.succeeded()                     ? outcome.describe()
              : trained_state(folder / "run") == state ? ""
                                                       : "the final state differs");
    }
  }
  for (const Task& task : shop.tasks()) {
    if (shop.options().quick && !is_quick_task(task)) continue;
    const std::string& whole = shop.expected(task);
    Row row("short reads, EINTR", task.name);
    for (int i = shop.rounds(20, 2); i > 0; --i) {
      const std::filesystem::path folder = shop.fresh_folder();
      Launch launch = shop.launch(task, folder);
      launch.environment = with_fault("ragged:" + std::to_string(shop.random().bits()));
      const Outcome outcome = run(launch);
      row.met();
      row.add(!outcome.succeeded()                             ? outcome.describe()
              : Workshop::made(task, outcome, folder) == whole ? ""
                                                               : "the output differs");
    }
  }
}

}  // namespace dragoman::faults

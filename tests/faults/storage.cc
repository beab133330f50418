#include <cmath>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

// Nothing, or what is wrong with a process that could not write.
std::string judge(const Outcome& outcome, const std::string& reason) {
  if (!outcome.refused()) return outcome.describe();
  return outcome.err.find(reason) != std::string::npos ? "" : "the message does not say why: " + outcome.err;
}

// The n-th write of the rounds: one after another at first, then ever further apart.
int next_write(int n, bool quick) { return quick ? 3 * n + 1 : n < 10 ? n + 1 : n + n / 6; }

bool is_quick_task(const Task& task) {
  return task.name == "average" || task.name == "translate" || task.name == "import" || task.name == "export";
}

void fill_while_training(Workshop& shop, const Training& training) {
  constexpr int kMost = 2000;
  Row row("full disk", "train " + training.name);
  for (int n = 1; n < kMost; n = next_write(n, shop.options().quick)) {
    const fs::path folder = shop.fresh_folder();
    const Outcome outcome = run({.words = shop.train_words(training, "run"),
                                 .folder = folder,
                                 .environment = with_fault("full:" + std::to_string(n))});
    std::string problem = outcome.succeeded() ? "" : judge(outcome, "No space left on device");
    if (problem.empty()) problem = shop.finish_and_compare(training, folder);
    if (!outcome.succeeded()) row.met();
    row.add(problem);
    if (outcome.succeeded()) break;
  }
}

void fill_while(Workshop& shop, const Task& task) {
  const std::string& whole = shop.expected(task);
  Row row("full disk", task.name);
  for (int n = 1; n < 100; n = next_write(n, shop.options().quick)) {
    const fs::path folder = shop.fresh_folder();
    Launch launch = shop.launch(task, folder);
    launch.environment = with_fault("full:" + std::to_string(n));
    const Outcome outcome = run(launch);
    std::string problem = outcome.succeeded() ? "" : judge(outcome, "No space left on device");
    const bool complete = content_of(folder / task.output) == whole;
    if (problem.empty() && outcome.succeeded() != complete) problem = "incomplete output in " + folder.string();
    if (problem.empty() && !complete && fs::exists(folder / task.output))
      problem = "a broken file was left in " + folder.string();
    if (!outcome.succeeded()) row.met();
    row.add(problem);
    if (outcome.succeeded()) break;
  }
}

// A device without space, as standard output or as the output file.
void fill_device(Workshop& shop, const Task& task) {
  Row row("full device", task.name);
  const fs::path folder = shop.fresh_folder();
  Launch launch = shop.launch(task, folder);
  for (std::string& word : launch.words)
    if (!task.output.empty() && !task.is_folder && word == task.output) word = "/dev/full";
  launch.output = "/dev/full";
  const Outcome outcome = run(launch);
  if (!outcome.succeeded()) row.met();
  row.add(judge(outcome, "No space left on device"));
}

}  // namespace

void fill_disk(Workshop& shop) {
  for (const Training& training : shop.trainings())
    if (!shop.options().quick || training.name == "transformer") fill_while_training(shop, training);
  for (const Task& task : shop.tasks()) {
    if (shop.options().quick && !is_quick_task(task)) continue;
    if (!task.output.empty()) fill_while(shop, task);
    fill_device(shop, task);
  }
}

void seal_folder(Workshop& shop) {
  const std::string reason = "Read-only file system";
  for (const Training& training : shop.trainings()) {
    if (shop.options().quick && training.name != "transformer") continue;
    Row row("read-only folder", "train " + training.name);
    for (const bool exists : {false, true}) {
      const fs::path folder = shop.fresh_folder();
      if (exists) fs::create_directories(folder / "sealed/run");
      const Outcome outcome = run({.words = shop.train_words(training, "sealed/run"),
                                   .folder = folder,
                                   .environment = with_fault("sealed:sealed")});
      if (outcome.refused()) row.met();
      row.add(judge(outcome, reason));
    }
  }
  for (const Task& task : shop.tasks()) {
    if (task.output.empty() || (shop.options().quick && task.name != "average")) continue;
    Row row("read-only folder", task.name);
    const fs::path folder = shop.fresh_folder();
    fs::create_directories(folder / "sealed");
    Launch launch = shop.launch(task, folder);
    for (std::string& word : launch.words)
      if (word == task.output) word = "sealed/" + word;
    launch.environment = with_fault("sealed:sealed");
    const Outcome outcome = run(launch);
    if (outcome.refused()) row.met();
    row.add(judge(outcome, reason));
  }
}

}  // namespace dragoman::faults

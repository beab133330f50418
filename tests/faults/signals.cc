#include <signal.h>

#include <thread>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

bool contains(const fs::path& file, const std::string& text) { return read_file(file).find(text) != std::string::npos; }

bool is_saving(const fs::path& run) {
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", missing))
    if (entry.path().filename().string().find(".partial-") != std::string::npos) return true;
  return false;
}

// A moment of a training run.
struct Stage {
  std::string name;
  Words more;  // settings that make the stage long
  std::function<bool(const fs::path& run)> reached;
};

// Nothing, or what is wrong with the end of a process that was sent `signal`. Until training begins there is nothing to
// save, so that the signal may simply end the process.
std::string judge(const Outcome& outcome, int signal) {
  const bool stopped = outcome.end == Outcome::End::exited && (outcome.number == 0 || outcome.number == 128 + signal);
  const bool ended = outcome.end == Outcome::End::killed && outcome.number == signal &&
                     outcome.err.find("parameters") == std::string::npos;
  return stopped || ended ? "" : outcome.describe();
}

void signal_training(Workshop& shop, const Stage& stage, int signal) {
  Training training = shop.trainings()[0];
  training.name += " " + stage.name;
  training.words.insert(training.words.end(), stage.more.begin(), stage.more.end());
  shop.expected(training);
  Row row(signal == SIGTERM ? "SIGTERM while" : "SIGINT while", stage.name);
  for (int i = shop.rounds(6, 1); i > 0; --i) {
    const fs::path folder = shop.fresh_folder();
    Process process({.words = shop.train_words(training, "run"), .folder = folder, .environment = {}});
    while (process.is_running() && !stage.reached(folder / "run"))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::this_thread::sleep_for(std::chrono::microseconds(shop.random().below(10'000)));
    if (process.is_running()) row.met();
    process.send(signal);
    std::string problem = judge(process.wait(), signal);
    if (problem.empty()) problem = shop.finish_and_compare(training, folder);
    row.add(problem);
  }
}

void signal_translation(Workshop& shop, int signal) {
  Task task{"translate many", {"translate", "--model", shop.model(), "--threads", "2"}, "", shop.file("many")};
  std::string many;
  for (int i = 0; i < 20; ++i) many += read_file(shop.file("c.test.en"));
  write_file(task.input, many);
  const std::string& whole = shop.expected(task);
  Row row(signal == SIGTERM ? "SIGTERM while" : "SIGINT while", "translating");
  for (int i = shop.rounds(6, 1); i > 0; --i) {
    Process process(shop.launch(task, shop.fresh_folder()));
    std::this_thread::sleep_for(std::chrono::microseconds(shop.random().below(200'000)));
    if (process.is_running()) row.met();
    process.send(signal);
    const Outcome outcome = process.wait();
    const bool ended = outcome.succeeded() || outcome.number == signal || outcome.number == 128 + signal;
    row.add(!ended ? outcome.describe() : whole.starts_with(outcome.out) ? "" : "the output is not part of the whole");
  }
}

}  // namespace

void signal_stages(Workshop& shop) {
  const Stage stages[] = {
      {"preparing", {}, [](const fs::path& run) { return fs::exists(run); }},
      {"training", {"--log", "5u"}, [](const fs::path& run) { return contains(run / "log.jsonl", "\"train\""); }},
      {"validating",
       {"--validate", "2u"},
       [](const fs::path& run) { return contains(run / "log.jsonl", "\"validation\""); }},
      {"saving", {"--checkpoint", "1u"}, is_saving},
  };
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const Stage& stage : stages) signal_training(shop, stage, signal);
    signal_translation(shop, signal);
    if (shop.options().quick) break;
  }
}

}  // namespace dragoman::faults

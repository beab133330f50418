#include <fmt/format.h>
#include <signal.h>

#include <memory>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWorkers = 3;

// Sentences of the phrasebook in files of as many lines.
void write_inputs(const fs::path& folder, int files, int lines) {
  const Outcome outcome = run({.words = {"phrasebook", "--sentences", std::to_string(files * lines), "--out", "all"},
                               .folder = folder,
                               .environment = {}});
  check(outcome.succeeded(), "the sentences cannot be made: {}", outcome.describe());
  std::istringstream all(read_file(folder / "all.train.en"));
  fs::create_directory(folder / "in");
  for (int file = 0; file < files; ++file) {
    std::string text, line;
    for (int i = 0; i < lines && std::getline(all, line); ++i) text += line + "\n";
    write_file(folder / "in" / fmt::format("{:03}", file), text);
  }
}

Words translation(Workshop& shop, const fs::path& folder, const char* output) {
  return {"translate", "--quiet", "--device",   "cpu",     "--threads",   "1",        "--beam",
          "1",         "--model", shop.model(), "--input", folder / "in", "--output", (folder / output).string() + "/"};
}

}  // namespace

void kill_workers(Workshop& shop) {
  const fs::path folder = shop.fresh_folder();
  const int files = shop.rounds(100, 6), lines = shop.rounds(1000, 50), kills = shop.rounds(30, 4);
  write_inputs(folder, files, lines);
  const auto launch = [&](const char* output) {
    return Launch{.words = translation(shop, folder, output), .folder = shop.fresh_folder(), .environment = {}};
  };
  check(run(launch("expected")).succeeded(), "translating without faults failed");

  Row row("workers killed", fmt::format("{} files", files));
  std::vector<std::unique_ptr<Process>> workers;
  while (workers.size() < kWorkers) workers.push_back(std::make_unique<Process>(launch("out")));
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + shop.random().below(shop.rounds(1000, 50))));
    std::unique_ptr<Process>& worker = workers[shop.random().below(kWorkers)];
    worker->send(shop.random().below(3) == 0 ? SIGTERM : SIGKILL);
    const Outcome outcome = worker->wait();
    if (outcome.end == Outcome::End::killed) row.met();
    if (i + 1 < kills) row.add(outcome.end == Outcome::End::killed || outcome.succeeded() ? "" : outcome.describe());
    worker = std::make_unique<Process>(launch("out"));
  }
  std::string problem;
  for (const auto& worker : workers)
    if (const Outcome outcome = worker->wait(); !outcome.succeeded()) problem = outcome.describe();
  if (const Outcome last = run(launch("out")); !last.succeeded()) problem = last.describe();
  if (content_of(folder / "out") != content_of(folder / "expected")) problem = "not every line is there once";
  row.add(problem);
}

}  // namespace dragoman::faults

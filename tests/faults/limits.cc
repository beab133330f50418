#include <fmt/core.h>
#include <sys/resource.h>

#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

struct Limit {
  const char* name;
  int resource;
  std::uint64_t unit;
  std::vector<std::uint64_t> values;
};

std::vector<Limit> limits(bool quick) {
  std::vector<std::uint64_t> megabytes{50, 150, 300, 700};
  if (!quick)
    for (megabytes.clear(); megabytes.empty() || megabytes.back() < 1000;)
      megabytes.push_back(megabytes.empty() ? 50 : megabytes.back() + 25);
  std::vector<std::uint64_t> files{4, 7};
  if (!quick) files = {3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20};
  return {{"address space (MB)", RLIMIT_AS, 1 << 20, megabytes},
          {"stack (kB)", RLIMIT_STACK, 1 << 10, {64, 512, 1024}},
          {"open files", RLIMIT_NOFILE, 1, files}};
}

}  // namespace

void limit_resources(Workshop& shop) {
  constexpr std::chrono::seconds kDeadline(DRAGOMAN_PATIENCE);
  const auto is_quick = [](const std::string& name) { return name == "translate" || name == "lstm"; };
  for (const Limit& limit : limits(shop.options().quick)) {
    const auto sweep = [&](const std::string& subject, Launch launch, const auto& is_right) {
      Row row(limit.name, subject);
      for (const std::uint64_t value : limit.values) {
        launch.folder = shop.fresh_folder();
        launch.limits = {{limit.resource, value * limit.unit}};
        const Outcome outcome = Process(launch).wait(kDeadline);
        if (!outcome.succeeded()) row.met();
        const bool right = outcome.refused() || (outcome.succeeded() && is_right(outcome, launch.folder));
        row.add(right ? "" : fmt::format("{}: {}", value, outcome.describe()));
      }
    };
    for (const Task& task : shop.tasks())
      if (!shop.options().quick || is_quick(task.name))
        sweep(task.name, shop.launch(task, {}), [&](const Outcome& outcome, const std::filesystem::path& folder) {
          return Workshop::made(task, outcome, folder) == shop.expected(task);
        });
    for (const Training& training : shop.trainings())
      if (!shop.options().quick || is_quick(training.name))
        sweep("train " + training.name, {.words = shop.train_words(training, "run"), .folder = {}, .environment = {}},
              [&](const Outcome&, const std::filesystem::path& folder) {
                return trained_state(folder / "run") == shop.expected(training);
              });
  }
}

}  // namespace dragoman::faults

// Disturbs the program in every way that machines and people do, and checks that it ends with a message or the right
// result, never with a signal or not at all, and that nothing is lost.
//   torture [--quick] [--seed N] [--program FILE] [SCENARIO...]
#include <algorithm>
#include <csignal>
#include <iterator>

#include "base/error.h"
#include "tests/faults/scenarios.h"

namespace dragoman::faults {
namespace {

struct Scenario {
  const char* name;
  void (*run)(Workshop&);
  bool needs_shim;
};

constexpr Scenario kScenarios[] = {
    {"kill", kill_training, false},
    {"workers", kill_workers, false},
    {"signals", signal_stages, false},
    {"changes", change_files, false},
    {"full", fill_disk, true},
    {"sealed", seal_folder, true},
    {"allocations", fail_allocations, true},
    {"interrupts", interrupt_transfers, true},
    {"limits", limit_resources, false},
};

int torture(const Words& arguments) {
  TortureOptions options;
  Words chosen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick")
      options.quick = true;
    else if (arguments[i] == "--seed" && i + 1 < arguments.size())
      options.seed = std::stoull(arguments[++i]);
    else if (arguments[i] == "--program" && i + 1 < arguments.size())
      set_program(arguments[++i]);
    else
      chosen.push_back(arguments[i]);
  }
  for (const std::string& name : chosen)
    check(std::any_of(std::begin(kScenarios), std::end(kScenarios), [&](const auto& s) { return s.name == name; }),
          "there is no scenario '{}'; there are kill, workers, signals, changes, full, sealed, allocations, "
          "interrupts and limits",
          name);
  std::signal(SIGPIPE, SIG_IGN);
  Workshop shop(options);
  fmt::print("{:<26} {:<22} {:>6} {:>6} {:>10}  {}\n", "fault", "of", "rounds", "met", "time", "result");
  for (const Scenario& scenario : kScenarios) {
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), scenario.name) == chosen.end()) continue;
    // A sanitizer must be the first library that is loaded.
    if (scenario.needs_shim && std::string(DRAGOMAN_SHIM).empty()) continue;
    scenario.run(shop);
  }
  return Row::failures() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace dragoman::faults

int main(int count, char** words) {
  try {
    return dragoman::faults::torture({words + 1, words + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}

#include <cstdio>

#include "base/join.h"
#include "cli/command.h"

namespace dragoman::cli {

extern const Command align, average, direct, doctor, evaluate, inspect, phrasebook, score, stats, train_command,
    translate, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      align, average, direct, doctor, evaluate, inspect, phrasebook, score, stats, train_command, translate, vocab,
  };
  return all;
}

void expect_words(const Words& words, std::size_t count, std::string_view message) {
  check(words.size() == count, "{}, but got {}: {}", message, words.size(), join(words, " "));
}

std::optional<Words> read_flags(const Command& self, Settings settings, const Words& arguments,
                                ComputeOptions& compute) {
  compute.visit(settings);
  const Parsed parsed = settings.parse(arguments);
  if (parsed.help || parsed.dump) {
    const std::string usage = std::string(self.name) + " " + self.usage;
    std::fputs((parsed.help ? settings.help(usage, self.summary) : settings.dump()).c_str(), stdout);
    return std::nullopt;
  }
  threads::set_count(compute.threads);
  check_device_name(compute.device);
  return parsed.positional;
}

}  // namespace dragoman::cli

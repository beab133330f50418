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

}  // namespace dragoman::cli

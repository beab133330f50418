#include "cli/command.h"

namespace dragoman::cli {

extern const Command average, doctor, evaluate, inspect, phrasebook, stats, train_command, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      average, doctor, evaluate, inspect, phrasebook, stats, train_command, vocab,
  };
  return all;
}

}  // namespace dragoman::cli

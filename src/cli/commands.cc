#include "cli/command.h"

namespace dragoman::cli {

extern const Command average, doctor, evaluate, inspect, phrasebook, score, stats, train_command, translate, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      average, doctor, evaluate, inspect, phrasebook, score, stats, train_command, translate, vocab,
  };
  return all;
}

}  // namespace dragoman::cli

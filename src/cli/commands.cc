#include "cli/command.h"

namespace dragoman::cli {

extern const Command align, doctor, evaluate, inspect, phrasebook, stats, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      align, doctor, evaluate, inspect, phrasebook, stats, vocab,
  };
  return all;
}

}  // namespace dragoman::cli

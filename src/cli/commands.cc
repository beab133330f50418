#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor, evaluate, inspect, phrasebook, score, stats, translate, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor, evaluate, inspect, phrasebook, score, stats, translate, vocab,
  };
  return all;
}

}  // namespace dragoman::cli

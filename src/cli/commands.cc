#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor, evaluate, inspect, vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      evaluate,
      inspect,
      vocab,
  };
  return all;
}

}  // namespace dragoman::cli

#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor, evaluate, inspect;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      evaluate,
      inspect,
  };
  return all;
}

}  // namespace dragoman::cli

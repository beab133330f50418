#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor, inspect;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      inspect,
  };
  return all;
}

}  // namespace dragoman::cli

#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor;
extern const Command evaluate;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      evaluate,
  };
  return all;
}

}  // namespace dragoman::cli

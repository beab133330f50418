#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
  };
  return all;
}

}  // namespace dragoman::cli

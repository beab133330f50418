#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor;
extern const Command stats;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      stats,
  };
  return all;
}

}  // namespace dragoman::cli

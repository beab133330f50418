#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor;
extern const Command stats;
extern const Command vocab;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      stats,
      vocab,
  };
  return all;
}

}  // namespace dragoman::cli

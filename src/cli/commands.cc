#include "cli/command.h"

namespace dragoman::cli {

extern const Command doctor;
extern const Command phrasebook;

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      doctor,
      phrasebook,
  };
  return all;
}

}  // namespace dragoman::cli

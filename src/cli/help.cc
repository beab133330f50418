#include "cli/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/version.h"

namespace dragoman::cli {
namespace {

constexpr int kPipeWidth = 100;   // if stdout is not a terminal
constexpr int kWidestPage = 140;  // longer lines are hard to read

int page_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kPipeWidth;
  return std::min<int>(size.ws_col, kWidestPage);
}

}  // namespace

std::string overview() {
  std::string text = fmt::format(
      "dragoman {}: neural machine translation in one program\n\n"
      "usage: dragoman COMMAND ...\n",
      DRAGOMAN_VERSION);
  for (const CommandGroup& group : command_groups()) {
    text += fmt::format("\n{}:\n", group.title);
    for (const Command& command : group.commands) text += fmt::format("  {:<12} {}\n", command.name, command.summary);
  }
  return text + "\n`dragoman help COMMAND` shows a command's settings and examples.\n";
}

std::string help_page(const Command& command, const Settings& settings) {
  return settings.help({.usage = std::string(command.name) + " " + command.usage,
                        .summary = command.summary,
                        .examples = command.examples,
                        .width = page_width()});
}

}  // namespace dragoman::cli

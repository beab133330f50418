#pragma once

#include <string>

#include "recipe/plan.h"

namespace dragoman::recipe {

// Makes steps from the commands of a recipe: inserts the flags of the recipe and of the group, adds those of this run,
// and fills in placeholders.
class Composer {
 public:
  Composer(const Recipe& recipe, const Folder& folder, const PlanOptions& options);

  // The context of a command.
  struct Context {
    const System* system = nullptr;  // gives {system}, {model}, flags of its group and its seed
    std::string figure;              // name; gives {figure}
    Places places;                   // further ones; values may contain placeholders for folders
  };

  // `more` are words to append to the command's own. A command that has an {output} but neither names it nor ends in
  // `> FILE` prints its result: its standard output becomes the {output}.
  Step step(const std::string& title, const std::string& command, const Context& context,
            const std::vector<std::string>& more = {}) const;

  // A path of the recipe with its placeholders filled in.
  std::string path(const std::string& text, const Context& context) const;

 private:
  // The command with the flags that the recipe gives it.
  CommandLine with_flags(const CommandLine& own, const Context& context, const std::vector<std::string>& more) const;
  Places folders(const Context& context) const;
  void add_machine_flags(std::vector<std::string>& words) const;
  void add_flags(const Flags& flags, std::vector<std::string>& words) const;

  const Recipe& recipe_;
  const Folder& folder_;
  const PlanOptions& options_;
};

// {input}, {reference}, {from} and {to} of a test set, as far as it has them.
Places test_places(const TestSet& test);

// The systems that a command reads through {systems/NAME}.
std::vector<std::string> systems_used(const std::string& command);

}  // namespace dragoman::recipe

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/options.h"
#include "base/threads.h"
#include "tensor/placement.h"

namespace dragoman::cli {

using Words = std::vector<std::string>;

// One word after `dragoman`. Each lives in its own file and is listed in commands.cc.
struct Command {
  const char* name;
  const char* usage;    // the words after the name: "SOURCE TARGET"
  const char* summary;  // one line
  int (*run)(const Command& self, const Words& arguments);
};

const std::vector<Command>& commands();

// Fails with `message` unless there are exactly `count` words.
void expect_words(const Words& words, std::size_t count, std::string_view message);

// Reads flags into `settings` and those that every command has into `compute`. Returns the words that are no flags, or
// nothing if --help or --dump-config was asked for and answered.
std::optional<Words> read_flags(const Command& self, Settings settings, const Words& arguments,
                                ComputeOptions& compute);

// Reads flags into `options` and calls body(options, words that are no flags), or, for commands that choose a device,
// body(options, words, compute).
template <class Options, class Body>
int run_with(const Command& self, const Words& arguments, Body body) {
  Options options;
  ComputeOptions compute;
  const std::optional<Words> words = read_flags(self, Settings(options), arguments, compute);
  if (!words) return 0;
  if constexpr (std::is_invocable_v<Body, Options&, const Words&, const ComputeOptions&>)
    return body(options, *words, compute);
  else
    return body(options, *words);
}

}  // namespace dragoman::cli

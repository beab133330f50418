#pragma once

#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <string_view>
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
inline void expect_words(const Words& words, std::size_t count, std::string_view message) {
  check(words.size() == count, "{}, but got {}: {}", message, words.size(), fmt::join(words, " "));
}

// Reads flags into `options` and calls body(options, positional words). Takes care of --help, --dump-config and of
// `threads`, `device` and `precision`, which every command has.
template <class Options, class Body>
int run_with(const Command& self, const Words& arguments, Body body) {
  Options options;
  int thread_count = 0;
  Settings settings(options);
  settings("threads", thread_count, "threads to use; 0 means one per core", between(0, 1024));
  PlacementOptions where;
  where.visit(settings);
  const Parsed parsed = settings.parse(arguments);
  if (parsed.help) {
    std::fputs(settings.help(std::string(self.name) + " " + self.usage, self.summary).c_str(), stdout);
    return 0;
  }
  if (parsed.dump) {
    std::fputs(settings.dump().c_str(), stdout);
    return 0;
  }
  threads::set_count(thread_count);
  set_placement(where);
  return body(options, parsed.positional);
}

}  // namespace dragoman::cli

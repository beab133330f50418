#pragma once

#include "cli/command.h"
#include "data/corpus.h"
#include "data/filters.h"

// Commands that make one parallel corpus from another and print what happened to the pairs.
namespace dragoman::cli {

// `Task` says which corpus (`corpus`), how to change it and where to write it.
template <class Task>
struct PairOptions {
  Task task;
  bool json = false;

  template <class V>
  void visit(V& v) {
    task.visit(v);
    v.section("Report");
    v("json", json, "print the counts as JSON");
  }
};

// Takes the files of a corpus from the arguments, unless they were given by --source and --target.
void use_positional(data::CorpusOptions& corpus, const Words& files);

void print_pair_counts(const data::Counts& counts, bool json);

// Reads the flags of a task, calls `make` and prints the counts that it returns.
template <class Task>
int run_pair_command(const Command& self, const Words& arguments, data::Counts (*make)(const Task&)) {
  return run_with<PairOptions<Task>>(self, arguments, [make](PairOptions<Task>& options, const Words& files) {
    use_positional(options.task.corpus, files);
    print_pair_counts(make(options.task), options.json);
    return 0;
  });
}

}  // namespace dragoman::cli

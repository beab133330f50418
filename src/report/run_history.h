#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json_file.h"

namespace dragoman::report {

enum class RunState { running, finished, stopped, failed, interrupted };

// "finished", "interrupted" ...
const char* state_name(RunState state);

// What the log of a training run (train/json_log.h) says. Lines may be damaged: numbers and texts may be missing.
struct RunHistory {
  std::vector<Json> starts;             // one per process of the run
  std::vector<Json> train, validation;  // each has "elapsed", the seconds of training until then
  std::vector<Json> remarks;
  Json end;     // of the last process: of kind "end" or "failure"; null while there is none
  Json data;    // counts of pairs that were read, kept, dropped and cut; null if the log has none
  Json newest;  // the last line
  std::vector<std::pair<std::string, std::string>> settings;  // of the last process
  RunState state = RunState::running;

  // `is_live`: a process is still training.
  RunHistory(const std::string& log_path, bool is_live);

  // The start of the last process; an empty object for a damaged log.
  const Json& start() const;
  // The last validation that was the best so far; null if there is none.
  const Json* best() const;
  // Seconds of training and validation over all processes.
  double seconds() const;
  // A word about the state, with the date and the reason: "finished on 2026-11-16 08:30 UTC: reached 5e".
  std::string describe_state() const;

 private:
  void add(Json line);
};

// The number of a log line as "1,234"; 0 if it is missing.
std::string count_at(const Json& line, const std::string& key);

// The log in the folder of a run, or the log itself. Throws Error if there is none.
std::string find_log(const std::string& run);

// The history of the run in a folder (or of a log), as of now.
RunHistory history_of(const std::string& run);

// Whether a process is training in the folder of this log: it then holds the folder's lock.
bool is_training(const std::string& log_path);

// The settings in config.yaml, as `train` writes it: one per line, with comments.
std::vector<std::pair<std::string, std::string>> read_settings(const std::string& path);

// Seconds of training and validation until each line of a log. Logs of earlier versions do not have them; they are then
// computed from tokens and speed.
std::vector<double> elapsed_seconds(const std::vector<Json>& log);

// "2026-11-16T08:30:00Z" as "2026-11-16 08:30 UTC".
std::string show_time(const std::string& iso);

}  // namespace dragoman::report

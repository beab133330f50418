#pragma once

#include <string>

#include "train/append_file.h"
#include "train/observer.h"
#include "train/run_record.h"

namespace dragoman::train {

// The history of a run, one JSON object per line: start, train, validation, remark, and end or failure. Every process
// of a run writes a start, with its command, version, machine and settings. A resumed run removes the lines after its
// checkpoint, so the file reads like that of an uninterrupted run.
class JsonLog final : public Observer {
 public:
  explicit JsonLog(std::string path, RunRecord record = {}) : path_(std::move(path)), record_(std::move(record)) {}

  void on_start(const RunInfo& info) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;
  void on_remark(const std::string& words, const Position& position) override;
  void on_end(const RunEnd& end) override;
  void on_failure(const std::string& words, const Position& position) override;

 private:
  void append(const std::string& line) const;

  std::string path_;
  RunRecord record_;
  AppendFile file_;  // opened by on_start()
};

}  // namespace dragoman::train

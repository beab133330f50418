#pragma once

#include <string>

#include "train/append_file.h"
#include "train/observer.h"

namespace dragoman::train {

// The history of a run as one JSON object a line: start, train, validation, remark, end. A resumed run cuts off what
// lies behind the checkpoint it goes on from, so the file reads as if nothing had happened.
class JsonLog final : public Observer {
 public:
  explicit JsonLog(std::string path) : path_(std::move(path)) {}

  void on_start(const RunInfo& info) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;
  void on_remark(const std::string& words, const Position& position) override;
  void on_end(const RunEnd& end) override;

 private:
  void append(const std::string& line) const;

  std::string path_;
  AppendFile file_;  // open from the start of the run on
};

}  // namespace dragoman::train

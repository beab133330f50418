#pragma once

#include <string>

#include "train/observer.h"

namespace dragoman::train {

// The history of a run as one JSON object a line: start, train, validation, remark, end. A resumed run cuts off what
// lies behind the checkpoint it goes on from, so the file reads as if nothing had happened.
class JsonLog final : public Observer {
 public:
  explicit JsonLog(std::string path) : path_(std::move(path)) {}
  ~JsonLog() override;
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  void on_start(const RunInfo& info) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;
  void on_remark(const std::string& words, const Position& position) override;
  void on_end(const RunEnd& end) override;

 private:
  void append(std::string line);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace dragoman::train

#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"
#include "report/word_matrix.h"
#include "train/observer.h"

namespace dragoman::report {

using Facts = std::vector<std::pair<std::string, std::string>>;

// The contents of the page that do not come from the log.
struct RunDescription {
  std::string title;
  Facts facts;           // sizes of data and model
  std::string settings;  // YAML
};

// The report page of a run, generated from its log (train/json_log.h): curves, sample translations during training,
// configuration and data. One self-contained HTML file.
std::string run_page(const std::string& log_path, const RunDescription& description);

// Keeps report/index.html of a run up to date: rewrites it at every validation, and every few seconds between them.
class ReportWriter final : public train::Observer {
 public:
  // Must be added after the observer that writes the log.
  ReportWriter(std::string output, RunDescription description)
      : output_(std::move(output)), description_(std::move(description)) {}

  std::string path() const { return output_ + "/report/index.html"; }
  void on_start(const train::RunInfo& info) override;
  void on_log(const train::StepReport& step) override;
  void on_validation(const train::Validation&) override { write(); }
  void on_remark(const std::string&, const train::Position&) override { write(); }
  void on_end(const train::RunEnd&) override { write(); }

 private:
  using Clock = std::chrono::steady_clock;
  void write();

  std::string output_;
  RunDescription description_;
  Clock::time_point written_{};
  bool started_ = false;
};

}  // namespace dragoman::report

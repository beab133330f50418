#pragma once

#include <chrono>
#include <string>

#include "report/run_history.h"
#include "train/observer.h"

namespace dragoman::report {

// The report page of a run: state, curves, sample translations during training, how it was started, data and settings.
// One self-contained HTML file. While the run goes on, the page loads itself again from time to time.
std::string run_page(const RunHistory& run, const std::string& name);

// The page of the run in a folder (or of a log), as of now, and the place where the run itself keeps its page.
std::string page_of_run(const std::string& run);
std::string report_path(const std::string& run);

// Keeps report/index.html of a run up to date: rewrites it at every validation, and every few seconds between them.
class ReportWriter final : public train::Observer {
 public:
  // Must be added after the observer that writes the log.
  explicit ReportWriter(std::string output) : output_(std::move(output)) {}

  std::string path() const { return report_path(output_); }
  void on_start(const train::RunInfo& info) override;
  void on_log(const train::StepReport& step) override;
  void on_validation(const train::Validation&) override { write(); }
  void on_remark(const std::string&, const train::Position&) override { write(); }
  void on_end(const train::RunEnd&) override { write(); }
  void on_failure(const std::string&, const train::Position&) override { write(); }

 private:
  using Clock = std::chrono::steady_clock;
  void write();

  std::string output_;
  Clock::time_point written_{};
  Clock::duration pause_{};  // minimum time between two rewrites
  bool started_ = false;
};

}  // namespace dragoman::report

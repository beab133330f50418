#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/json_file.h"
#include "train/units.h"

namespace dragoman::recipe {

// What the log of a training run (log.jsonl) says so far.
class TrainingLog {
 public:
  explicit TrainingLog(std::string path) : path_(std::move(path)) {}

  // Reads the lines that were added since the last call. False if there is no log, as for statistical systems.
  bool update();

  std::uint64_t parameters() const { return parameters_; }
  const train::Position& position() const { return position_; }
  // The share of the run that is done; 0 if its end is not known.
  double share() const { return train::share_done(until_, position_); }
  // Of the last log entry; the loss of a run that diverges is NaN.
  double loss() const { return loss_; }
  double tokens_per_second() const { return tokens_per_second_; }
  // Mean negative log-likelihood per token over the log entries of the last epoch that have a finite one.
  std::optional<double> last_epoch_loss() const;
  // Perplexity of the validation set: the lowest, and that of the last validation.
  std::optional<double> best_perplexity() const { return best_perplexity_; }
  std::optional<double> last_perplexity() const { return last_perplexity_; }
  // Seconds of training and validation, over all processes of the run; once it has ended.
  std::optional<double> seconds() const { return seconds_; }
  // Seconds of validation among them.
  double validation_seconds() const { return validation_seconds_; }

 private:
  void read(const std::string& line);
  void read(const report::Json& json);

  std::string path_;
  std::uint64_t offset_ = 0, file_ = 0;  // bytes read, and the number of the file they were read from
  std::uint64_t parameters_ = 0;
  train::Position position_;
  std::vector<train::Amount> until_;
  double loss_ = 0, tokens_per_second_ = 0, validation_seconds_ = 0;
  std::vector<std::pair<double, double>> losses_;  // epoch, mean negative log-likelihood
  std::optional<double> best_perplexity_, last_perplexity_, seconds_;
};

}  // namespace dragoman::recipe

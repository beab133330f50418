#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/batcher.h"
#include "train/observer.h"

// What becomes of the pairs that a run reads: every pair is kept, held out for validation, or dropped for a reason.
namespace dragoman::run {

struct PairCounts {
  std::uint64_t read = 0, held_out = 0, kept = 0;
  data::Counts dropped;   // by reason: filters, invalid text, overlong lines, too many tokens
  data::Counts cut;       // sentences truncated to the length limits, by side; part of `kept`
  data::Counts repaired;  // pairs with invalid text that was replaced; part of `kept` or `dropped`
};

struct DataCounts {
  PairCounts training;
  std::optional<PairCounts> validation;
};

// The counts of the tokenised corpora that batches with these length limits are made of.
PairCounts count_pairs(const std::vector<data::BatchSource>& sources, const data::RowOptions& limits);

// "2,000 pairs read, 634 kept; dropped: 1,300 too long, 66 length ratio; cut: 12 source sentences".
std::string show(const PairCounts& counts);
// {"pairs_read": .., "held_out": .., "kept": .., "dropped": {reason: ..}, "cut": {side: ..}, "repaired": {reason: ..}}
nlohmann::ordered_json to_json(const PairCounts& counts);

// Prints the counts when training starts and adds them to the run's log as a line of the kind `data`. To be added after
// the observer that writes the log.
class DataLog final : public train::Observer {
 public:
  DataLog(std::string log_path, DataCounts counts) : log_path_(std::move(log_path)), counts_(std::move(counts)) {}
  void on_start(const train::RunInfo& info) override;

 private:
  std::string log_path_;
  DataCounts counts_;
};

}  // namespace dragoman::run

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "data/line_reader.h"
#include "eval/confusion.h"
#include "search/engine/classifier.h"

namespace dragoman::run {

// Compares predictions with a file of reference labels, one per line. Memory does not grow with the number of lines.
class ClassificationScores {
 public:
  // `path` may be gzip.
  ClassificationScores(const std::string& path, const search::ClassifierModel& model);

  // Adds the prediction of the next line. A blank line with a blank reference is left out; a blank line with a label
  // counts as an error, and so does a label that the model does not have.
  void add(const search::Prediction& prediction);
  // Throws Error unless the file has a label for every line and no more, and at least one.
  void finish();

  const eval::Confusion& confusion() const { return confusion_; }
  // Accuracy, F1, a table of the labels, and the confusions, with an empty line between them and no line end at the
  // end.
  std::string text() const;
  nlohmann::ordered_json json() const;

 private:
  const std::string& name_of(std::int32_t index, const std::string& none) const;
  std::string label_table() const;
  std::string confusion_table() const;
  std::string frequent_confusions() const;

  const search::ClassifierModel& model_;
  data::LineReader references_;
  eval::Confusion confusion_;
  std::uint64_t lines_ = 0, missing_ = 0, unknown_ = 0;
  std::string first_unknown_;
};

}  // namespace dragoman::run

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/classifier.h"
#include "search/constrain/constraints.h"
#include "store/model_file.h"
#include "tensor/placement.h"
#include "text/tokenizer.h"

namespace dragoman::search {

// A classifier with its tokenizer and its labels. Immutable, so threads may share it.
class ClassifierModel {
 public:
  // Loads a file. Throws Error with its name if it is not a classifier that contains its vocabulary.
  ClassifierModel(const std::string& path, const Placement& where);

  const models::Classifier& network() const { return *network_; }
  const std::string& path() const { return path_; }
  const Placement& placement() const { return where_; }

  // Label names by class: one line of valid UTF-8 each. A class without a name has its number.
  const std::vector<std::string>& labels() const { return labels_; }
  // The class of a label, read as training reads labels; none if no class has it.
  std::optional<std::int32_t> find_label(std::string_view label) const;

  // The tokens of a text between the marks of training; at most `limit` without the marks. Invalid UTF-8 is replaced.
  struct Encoded {
    Tokens ids;  // none for a blank text
    bool truncated = false;
  };
  Encoded encode(std::string_view text, int limit) const;
  // Maximum number of tokens, not counting marks.
  int max_tokens() const;

 private:
  ClassifierModel(const store::ModelFile& file, const std::string& path, const Placement& where);
  void check_kind() const;
  void read_labels();

  std::string path_;
  Placement where_;
  store::ModelInfo info_;
  std::unique_ptr<models::Classifier> network_;
  std::unique_ptr<text::Tokenizer> source_, target_;  // the words of target_ are the labels; may be null
  std::vector<std::string> labels_;
};

}  // namespace dragoman::search

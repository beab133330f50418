#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/error.h"
#include "dragoman/export.h"
#include "dragoman/precision.h"

// Classification of text with a model trained by `dragoman train --task classify`.
//
//   dragoman::Classifier classifier("model.safetensors");
//   std::string language = classifier.classify("Wo ist der Bahnhof?");
namespace dragoman {

namespace search {
class ClassifierModel;
}

struct LabelProbability {
  std::string label;
  double probability = 0;
};

struct Classification {
  std::vector<LabelProbability> labels;  // likeliest first; none for a blank text
  bool truncated = false;                // the text is longer than the limit; its first tokens were classified
};

struct ClassifierOptions {
  std::string device = "auto";  // as in TranslatorOptions
  Precision precision = Precision::automatic;
  int threads = 0;           // at most 1024; 0 means one per core
  int batch = 0;             // texts per batch; 0 means 32, or 256 on a GPU
  int max_input_tokens = 0;  // longer texts are truncated; 0 means the model's limit, at most 1024
};

// May be used by several threads at once. On the host, a text's probabilities do not depend on the other texts of a
// call, on the batch size or on the number of threads.
class DRAGOMAN_API Classifier {
 public:
  explicit Classifier(const std::string& model_file, const ClassifierOptions& options = {});
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  // All labels, in the order of the model's classes.
  const std::vector<std::string>& labels() const;

  // The likeliest label; empty for a blank text.
  std::string classify(std::string_view text) const;
  // The `top` likeliest labels of each text, in order; 0 means all labels.
  std::vector<Classification> classify(const std::vector<std::string>& texts, int top = 0) const;

 private:
  std::unique_ptr<search::ClassifierModel> model_;
  ClassifierOptions options_;
};

}  // namespace dragoman

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/classifier.h"
#include "search/engine/classifier_model.h"

namespace dragoman::search {

// The classes of one text.
struct Prediction {
  struct Class {
    std::int32_t index = 0;
    double probability = 0;
  };
  std::vector<Class> best;  // likeliest first; among equals the smaller index. None for a blank text.
  bool truncated = false;
};

struct ClassifyingOptions {
  int top = 1;                                             // classes per prediction; 0 means all
  int batch = 0, threads = 0, max_input_tokens = 0;        // as in ClassifierOptions
  std::function<void(std::size_t)> advance = [](auto) {};  // called with the number of texts just done, from any thread
};

// Throws Error if a number is negative or too large.
void check_options(const ClassifyingOptions& options);

// The predictions of all texts, in order.
std::vector<Prediction> classify_texts(const ClassifierModel& model, std::span<const std::string> texts,
                                       const ClassifyingOptions& options = {});

}  // namespace dragoman::search

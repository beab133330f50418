#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::train {

// The results of a validation by name: loss, perplexity, bleu, chrf, accuracy, f1 ...
class Scores {
 public:
  void set(const std::string& name, double value) {
    for (auto& [known, old] : list_)
      if (known == name) {
        old = value;
        return;
      }
    list_.emplace_back(name, value);
  }
  // Null if it was not measured.
  const double* find(std::string_view name) const {
    for (const auto& [known, value] : list_)
      if (known == name) return &value;
    return nullptr;
  }
  const std::vector<std::pair<std::string, double>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::string, double>> list_;
};

inline bool lower_is_better(std::string_view name) { return name == "loss" || name == "perplexity" || name == "ter"; }

}  // namespace dragoman::train

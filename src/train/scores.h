#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::train {

// The name of a metric on part of the validation set: bleu.en-de.
inline std::string score_of(std::string_view metric, std::string_view part) {
  return std::string(metric).append(".").append(part);
}
// The two components of such a name; the part is empty if the score is that of the whole set.
inline std::pair<std::string_view, std::string_view> metric_and_part(std::string_view name) {
  const std::size_t dot = name.find('.');
  return {name.substr(0, dot), dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1)};
}

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

inline bool lower_is_better(std::string_view name) {
  const std::string_view metric = metric_and_part(name).first;
  return metric == "loss" || metric == "perplexity" || metric == "ter";
}

}  // namespace dragoman::train

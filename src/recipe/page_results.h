#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recipe/results.h"
#include "report/json_file.h"

namespace dragoman::recipe {

inline constexpr const char* kMiniatureWarning =
    "This is a miniature: a few updates on generated sentences, to try the recipe. Its numbers mean nothing.";

// A value of a system, with what the comparison of the systems says about it.
struct MeasuredValue {
  double value = 0;
  std::optional<double> half_width;  // of the 95 % confidence interval
  std::optional<double> p;           // paired bootstrap against the baseline
  std::string signature;             // of the metric; may be empty
};

// Everything that the output folder of a recipe says, read once.
class PageResults {
 public:
  PageResults(const Recipe& recipe, const Folder& folder);

  const Recipe& recipe() const { return recipe_; }
  const Folder& folder() const { return folder_; }

  // Null for a system that is not finished.
  const SystemResult* finished(const std::string& system) const;
  std::size_t finished_count() const { return systems_.size(); }
  // How many systems there are, in the miniature if these are its results.
  std::size_t planned_count() const;
  // Whether a finished system was trained by other commands than those of the recipe now.
  bool is_outdated(const std::string& system) const { return outdated_.contains(system); }
  // What to print for a system that is not finished: "not run yet", "not finished yet" or "result damaged".
  std::string missing_words(const std::string& system) const;
  // A column's value; nothing if the system is not finished or has no such value. `p` is given if the comparison was
  // made with this baseline.
  std::optional<MeasuredValue> value(const System& system, const std::string& name,
                                     const std::string& baseline = {}) const;
  // The lines of the training log, without sample translations. Runs that go on have one, too.
  const std::vector<report::Json>& log(const std::string& system) const { return logs_.at(system); }
  // Null for a figure that is not measured yet.
  const FigureResult* figure(const std::string& name) const;
  // Calls `read`, which reads the JSON of a figure; if it is not of the figure's kind, the error names the file.
  template <class Read>
  auto reading(const Figure& of, Read read) const {
    return report::reading(folder_.figure(of.name), fmt::format("a result of a figure of kind {}", name_of(of.kind)),
                           read);
  }
  // Whether these are results of `--miniature`, whose numbers mean nothing.
  bool is_miniature() const;
  // A setting of a system's training run; empty if it has none.
  std::string setting(const System& system, const std::string& key) const;
  // The target vocabulary of a system's training run, in words: "8000 (bpe)" or "8000 (joint.vocab)"; empty if it is
  // not known.
  std::string vocabulary(const System& system) const;
  // What a finished system was trained and run on: a GPU, or the CPU with its number of cores.
  std::string hardware(const System& system) const;
  // The different machines, versions and days of the results, as one line each.
  std::vector<std::string> environments() const;

  // The title, preceded by that of the group if some systems of the recipe share a title: "English–German:
  // Transformer".
  std::string full_title(const System& system) const;
  // The systems that are named; all if none is.
  std::vector<const System*> systems(const std::vector<std::string>& names) const;

 private:
  struct Comparison {
    std::string baseline;
    std::map<std::string, report::Json> scores;  // by system
  };
  void read_system(const std::string& system);
  void find_outdated();
  void read_evaluations(const std::string& test);
  void read_comparison(const std::string& test, const std::string& path);
  // The score of a metric in `evaluate --json`; null if it is not there.
  static const report::Json* score(const std::map<std::string, report::Json>& scores, const std::string& system,
                                   const std::string& metric);

  const Recipe& recipe_;
  const Folder& folder_;
  std::map<std::string, SystemResult> systems_;
  std::set<std::string> damaged_, outdated_;  // systems
  std::map<std::string, std::vector<report::Json>> logs_;
  std::map<std::string, std::map<std::string, std::string>> settings_;      // of training runs, by system
  std::map<std::string, std::map<std::string, report::Json>> evaluations_;  // by test set and system
  std::map<std::string, std::vector<Comparison>> comparisons_;              // by test set
  std::map<std::string, FigureResult> figures_;
};

// Seconds against length, as `dragoman bench` prints them.
struct ScalingSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
};
std::vector<ScalingSeries> scaling_series(const FigureResult& measured);

// "wmt.bleu" as {"wmt", "bleu"}.
std::pair<std::string, std::string> split_column(const std::string& column);

// Whether a column or the value of a curve is a mean per token, which depends on how text is cut into tokens.
bool is_per_token(const std::string& column);

}  // namespace dragoman::recipe

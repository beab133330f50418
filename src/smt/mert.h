#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/options.h"
#include "eval/metric.h"
#include "smt/phrase_features.h"

// Minimum error rate training (Och: "Minimum Error Rate Training in Statistical Machine Translation", ACL 2003): finds
// the feature weights whose 1-best translations get the best corpus score.
namespace dragoman::smt {

// The n-best lists of a development set: the features of each candidate and its sufficient statistics for the metric.
class CandidatePool {
 public:
  CandidatePool(std::size_t sentences, std::size_t width) : sentences_(sentences), width_(width) {}

  // False if the sentence already has this candidate.
  bool add(std::size_t sentence, const Features& features, std::span<const double> statistics);

  std::size_t sentences() const { return sentences_.size(); }
  std::size_t width() const { return width_; }
  const std::vector<Features>& features(std::size_t sentence) const { return sentences_[sentence].features; }
  std::span<const float> statistics(std::size_t sentence, std::size_t candidate) const {
    return std::span(sentences_[sentence].statistics).subspan(candidate * width_, width_);
  }

 private:
  struct Sentence {
    std::vector<Features> features;
    std::vector<float> statistics;
    std::set<std::uint64_t> known;
  };
  std::vector<Sentence> sentences_;
  std::size_t width_;
};

// The corpus score of the best candidates under these weights.
double score_at(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights);

struct LinePoint {
  double step = 0;  // weights + step * direction
  double score = 0;
};

// The exact optimum along a line: a sentence's best candidate changes only at the corners of the upper envelope of its
// candidates' scores, and the metric is constant in between. Returns the middle of the best interval, or step 0 if that
// scores as well.
LinePoint search_line(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights,
                      const Weights& direction);

struct MertConfig {
  int restarts = 8;
  int directions = 2;
  std::uint64_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("restarts", restarts, "number of random starting points in addition to the current weights", between(0, 1000));
    v("directions", directions, "number of random search directions in addition to the coordinate axes",
      between(0, 1000));
    v("seed", seed, "random seed of starting points and directions");
  }
};

// The best weights found from `start` and from random starting points. Only the weights of `active` features change;
// their absolute values sum to one.
Weights optimise_weights(const CandidatePool& pool, const eval::Metric& metric, const Weights& start,
                         const std::vector<Feature>& active, const MertConfig& config);

}  // namespace dragoman::smt

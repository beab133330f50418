#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "base/options.h"
#include "eval/metric.h"
#include "smt/phrase_features.h"

// Minimum error rate training (Och: "Minimum Error Rate Training in Statistical Machine Translation", ACL 2003):
// weights under which the best candidates of all sentences together score highest.
namespace dragoman::smt {

// Candidate translations of every sentence of a development set: features, and the statistics that a metric adds up.
class CandidatePool {
 public:
  CandidatePool(std::size_t sentences, std::size_t width) : sentences_(sentences), width_(width) {}

  // False when the sentence has the same candidate already.
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

// The score when every sentence has its best candidate under these weights.
double score_at(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights);

struct LinePoint {
  double step = 0;  // weights + step * direction
  double score = 0;
};

// The best point of the line, found exactly: along it every sentence's best candidate changes only where the upper
// envelope of the candidates' scores has a corner, and the metric is constant in between. Gives the middle of the best
// interval, or no step at all when that is as good.
LinePoint search_line(const CandidatePool& pool, const eval::Metric& metric, const Weights& weights,
                      const Weights& direction);

struct MertConfig {
  int restarts = 8;
  int directions = 2;
  std::uint64_t seed = 1;

  template <class V>
  void visit(V& v) {
    v("restarts", restarts, "random places to start from besides the current weights", between(0, 1000));
    v("directions", directions, "random directions searched besides those of single weights", between(0, 1000));
    v("seed", seed, "of the random places and directions");
  }
};

// The best weights found from `start` and random places. Only weights with `active` change; their absolute values sum
// to one.
Weights optimise_weights(const CandidatePool& pool, const eval::Metric& metric, const Weights& start,
                         const std::vector<Feature>& active, const MertConfig& config);

}  // namespace dragoman::smt

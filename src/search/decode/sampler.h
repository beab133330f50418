#pragma once

#include "base/random.h"
#include "search/decode/sentence_search.h"

namespace dragoman::search {

// Samples n_best translations token by token. Each has its own random stream, so the result does not depend on the
// other sentences of the batch.
class Sampler : public SentenceSearch {
 public:
  explicit Sampler(Goal goal);
  // The likeliest tokens are enough to sample from a few of them.
  bool needs_all() const override {
    return goal_.options.top_k < 1 || goal_.options.top_k > kMostBest || SentenceSearch::needs_all();
  }

 protected:
  void choose(std::span<const Row> rows) override;
  int candidates() const override { return needs_all() ? 1 : goal_.options.top_k; }

 private:
  struct Draw {
    std::int32_t node = 0;
    Random random;
    bool running = true;
  };
  struct Chance {
    std::int32_t token;
    float score;  // as in Row
    double weight;
  };
  static constexpr int kMostBest = 256;

  Chance draw(std::int32_t node, const Row& row, Random& random);
  // Fills chances_ with the tokens that may follow `node`; their weights are logarithms of probabilities.
  void find_chances(std::int32_t node, const Row& row);
  void keep_likeliest();

  std::vector<Draw> draws_;
  std::vector<Chance> chances_;
};

}  // namespace dragoman::search

#pragma once

#include "base/random.h"
#include "search/sentence_search.h"

namespace dragoman::search {

// Samples n_best translations token by token. Each has its own random stream, so the result does not depend on the
// other sentences of the batch.
class Sampler : public SentenceSearch {
 public:
  explicit Sampler(Goal goal);

 protected:
  void choose(std::span<const Row> rows) override;
  int candidates() const override { return 1; }

 private:
  struct Draw {
    std::int32_t node = 0;
    Random random;
    bool running = true;
  };
  struct Chance {
    std::int32_t token;
    double weight;
  };
  std::int32_t draw(std::int32_t node, const Row& row, Random& random);
  void keep_likeliest();

  std::vector<Draw> draws_;
  std::vector<Chance> chances_;
};

}  // namespace dragoman::search

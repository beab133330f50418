#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/byte_stream.h"
#include "eval/confusion.h"
#include "train/scores.h"

namespace dragoman::train {

// Sums over labels: divide by `tokens` for means.
struct LossSums {
  double loss = 0;           // the training objective, with label smoothing and R-Drop
  double nll = 0;            // -log p of the labels
  std::uint64_t tokens = 0;  // labels

  LossSums& operator+=(const LossSums& other) {
    loss += other.loss;
    nll += other.nll;
    tokens += other.tokens;
    return *this;
  }
  double mean_loss() const { return tokens == 0 ? 0 : loss / static_cast<double>(tokens); }
  double mean_nll() const { return tokens == 0 ? 0 : nll / static_cast<double>(tokens); }
  bool operator==(const LossSums&) const = default;
};

// The contribution of some validation batches to the scores.
struct Tally {
  LossSums sums{};
  std::map<std::string, LossSums> by_languages{};  // of sentences whose languages are known, as en-de
  eval::Confusion confusion{};                     // of a classification

  Tally& operator+=(const Tally& other);
  // Loss and perplexity, overall and by languages; accuracy and F1 of a classification.
  Scores scores() const;

  void write(ByteSink& to) const;
  static Tally read(ByteReader& from);
};

}  // namespace dragoman::train

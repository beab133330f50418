#pragma once

#include <span>
#include <string>
#include <vector>

#include "align/bitext.h"
#include "align/decode.h"
#include "align/em_training.h"

namespace dragoman::align {

// A trained alignment model for both directions; aligns any text. Immutable, so threads may share one.
class Aligner {
 public:
  Aligner(const EmTraining& training, const Bitext& bitext);
  static Aligner load(const std::string& path);
  void save(const std::string& path) const;

  // Word ids of the models.
  std::vector<std::int32_t> source_ids(std::span<const std::string> words) const { return ids(source_, words); }
  std::vector<std::int32_t> target_ids(std::span<const std::string> words) const { return ids(target_, words); }

  PairPosteriors posteriors(std::span<const std::int32_t> source, std::span<const std::int32_t> target) const;
  // Returns no links if a side is empty.
  Links align(std::span<const std::int32_t> source, std::span<const std::int32_t> target,
              const DecodingOptions& options) const;

  const Side& source_side() const { return source_.side; }
  const Side& target_side() const { return target_.side; }
  const Directions& directions() const { return directions_; }
  // Number of word pairs with a probability of their own.
  std::size_t size() const { return targets_.size(); }

 private:
  struct Language {
    Side side;
    WordIds words;
    std::vector<float> null;  // p(word | NULL)
  };

  Aligner(Language source, Language target) : source_(std::move(source)), target_(std::move(target)) {}
  static std::vector<std::int32_t> ids(const Language& language, std::span<const std::string> words);
  void check_consistent(const std::string& path) const;
  void emissions(std::span<const std::int32_t> source, std::span<const std::int32_t> target, PairMatrix& forward,
                 PairMatrix& backward) const;

  Language source_, target_;
  // Row-compressed table: cells row_begin_[s] .. row_begin_[s + 1] - 1 belong to source word s, target words ascending.
  std::vector<std::uint64_t> row_begin_;
  std::vector<std::int32_t> targets_;
  std::vector<float> forward_, backward_;
  Directions directions_;
};

}  // namespace dragoman::align

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "text/merge_table.h"

namespace dragoman::text {

// The normal pieces of a SentencePiece model with their scores.
struct ScoredPieces {
  std::vector<std::string> pieces;  // by id; empty for ids that are never used in segmentation
  std::vector<float> scores;        // by id
};

// Part of a segmentation: the id of a piece, or -1 for a character that no piece covers.
struct Segment {
  std::int32_t id;
  std::uint32_t length;  // bytes
};

// Samples segmentations of normalised text; all randomness comes from a Random.
class UnigramSampler {
 public:
  explicit UnigramSampler(const ScoredPieces& model);
  UnigramSampler(const UnigramSampler&) = delete;
  UnigramSampler& operator=(const UnigramSampler&) = delete;
  // Samples a segmentation x with probability proportional to P(x)^alpha (Kudo: "Subword Regularization", ACL 2018) by
  // forward filtering and backward sampling on the lattice.
  std::vector<Segment> sample(std::string_view text, double alpha, Random& random) const;

 private:
  std::vector<std::string> pieces_;
  // All pieces and their prefixes; -1 for prefixes that are not pieces.
  std::unordered_map<std::string_view, std::int32_t> prefixes_;
  std::vector<float> scores_;
  double unknown_score_ = 0;
};

class BpeSampler {
 public:
  explicit BpeSampler(const ScoredPieces& model);
  BpeSampler(const BpeSampler&) = delete;
  BpeSampler& operator=(const BpeSampler&) = delete;
  // BPE-dropout (Provilkov, Emelianenko, Voita, ACL 2020): a merge is skipped with probability `dropout`.
  std::vector<Segment> sample(std::string_view text, double dropout, Random& random) const;

 private:
  std::vector<std::string> pieces_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
  MergeTable merges_;
};

}  // namespace dragoman::text

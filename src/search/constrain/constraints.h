#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/constrain/term_endings.h"

// Terms that a translation must contain, as sequences of target tokens.
namespace dragoman::search {

using Tokens = std::vector<std::int32_t>;

// The progress of a hypothesis through the required terms.
struct TermProgress {
  std::uint64_t met = 0;        // one bit per sequence
  int active = -1;              // the sequence being written, or -1
  int position = 0;             // tokens of it written so far
  Ending ending = Ending::any;  // what the last sequence says about the next token
  TokenEdges last{};            // of the last token, as far as it restricts what may begin after it
};

// Sequences that must all appear. A hypothesis that breaks off a sequence half-way must start it again later.
class Constraints {
 public:
  static constexpr std::size_t kMost = 64;

  Constraints() = default;
  explicit Constraints(std::vector<Tokens> sequences);
  // With what may stand beside each sequence; `edges` has all tokens and must outlive the constraints. `others` are
  // empty or have another token for each one of a sequence, which does as well.
  Constraints(std::vector<Tokens> sequences, std::vector<Ending> endings, std::span<const TokenEdges> edges,
              std::vector<Tokens> others = {});

  bool empty() const { return sequences_.empty(); }
  // Total number of tokens in all sequences.
  int total() const { return total_; }
  // Minimum number of tokens that a hypothesis still has to write.
  int left(const TermProgress& progress) const;
  TermProgress after(const TermProgress& progress, std::int32_t token) const;
  // Whether the token joins the next word to the one before, and that word must not be a missing sequence.
  bool links(const TermProgress& progress, std::int32_t token) const;
  // Whether the ending of the last sequence allows the token, and the last token that a sequence begins with this one.
  bool may_follow(const TermProgress& progress, std::int32_t token) const;
  // Adds to `out` the tokens that start or continue a missing sequence.
  void find_next(const TermProgress& progress, Tokens& out) const;

 private:
  bool is_met(const TermProgress& progress, std::size_t sequence) const { return progress.met >> sequence & 1; }
  // Whether the token may be at this position of the sequence.
  bool continues(std::size_t sequence, std::size_t position, std::int32_t token) const {
    return sequences_[sequence][position] == token || (has_other(sequence) && others_[sequence][position] == token);
  }
  bool has_other(std::size_t sequence) const { return sequence < others_.size() && !others_[sequence].empty(); }

  std::vector<Tokens> sequences_, others_;
  std::vector<Ending> endings_;  // one per sequence, or none if all are Ending::any
  std::span<const TokenEdges> edges_;
  int total_ = 0;
};

}  // namespace dragoman::search

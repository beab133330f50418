#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/hypothesis.h"

// What a translation must contain and must not contain, as sequences of target tokens.
namespace dragoman::search {

using Tokens = std::vector<std::int32_t>;

// Tokens that would complete a banned sequence after the hypothesis that ends in `node`.
void find_banned(const Tree& tree, std::int32_t node, std::span<const Tokens> banned, Tokens& out);

// How much of what it must contain a hypothesis has: a value that moves on token by token.
struct Coverage {
  std::uint64_t met = 0;  // a bit for each sequence
  int active = -1;        // the sequence that is being written, or -1
  int position = 0;       // tokens of it that are there
};

// Sequences that must all appear. A hypothesis that leaves a sequence in the middle begins it anew later.
class Constraints {
 public:
  static constexpr std::size_t kMost = 64;

  Constraints() = default;
  explicit Constraints(std::vector<Tokens> sequences);

  bool empty() const { return sequences_.empty(); }
  // Tokens of all sequences.
  int total() const { return total_; }
  // Tokens that a hypothesis still has to write at least.
  int left(const Coverage& coverage) const;
  Coverage after(const Coverage& coverage, std::int32_t token) const;
  // Tokens that bring a hypothesis forward.
  void find_next(const Coverage& coverage, Tokens& out) const;

 private:
  bool is_met(const Coverage& coverage, std::size_t sequence) const { return coverage.met >> sequence & 1; }

  std::vector<Tokens> sequences_;
  int total_ = 0;
};

}  // namespace dragoman::search

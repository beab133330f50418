#include "search/constrain/constraints.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::search {

Constraints::Constraints(std::vector<Tokens> sequences) : sequences_(std::move(sequences)) {
  check(sequences_.size() <= kMost, "a sentence can take at most {} terms, but got {}", kMost, sequences_.size());
  for (const Tokens& sequence : sequences_) {
    check(!sequence.empty(), "a term has no tokens");
    total_ += static_cast<int>(sequence.size());
  }
}

Constraints::Constraints(std::vector<Tokens> sequences, std::vector<Ending> endings, std::span<const TokenEdges> edges,
                         std::vector<Tokens> others)
    : Constraints(std::move(sequences)) {
  endings_ = std::move(endings);
  others_ = std::move(others);
  edges_ = edges;
}

bool Constraints::links(const TermProgress& progress, std::int32_t token) const {
  for (std::size_t s = 0; s < endings_.size(); ++s)
    if (!is_met(progress, s) && !may_precede(endings_[s], edges_[static_cast<std::size_t>(token)])) return true;
  return false;
}

bool Constraints::may_follow(const TermProgress& progress, std::int32_t token) const {
  if (progress.last.links || progress.last.glues)
    for (std::size_t s = 0; s < sequences_.size(); ++s)
      if (continues(s, 0, token) && !is_met(progress, s) && !may_precede(endings_[s], progress.last)) return false;
  return progress.ending == Ending::any || search::may_follow(progress.ending, edges_[static_cast<std::size_t>(token)]);
}

int Constraints::left(const TermProgress& progress) const {
  int tokens = -progress.position;
  for (std::size_t s = 0; s < sequences_.size(); ++s)
    if (!is_met(progress, s)) tokens += static_cast<int>(sequences_[s].size());
  return tokens;
}

TermProgress Constraints::after(const TermProgress& progress, std::int32_t token) const {
  TermProgress next{progress.met};
  if (links(progress, token)) next.last = edges_[static_cast<std::size_t>(token)];
  if (progress.ending != Ending::any)
    next.ending = search::after(progress.ending, edges_[static_cast<std::size_t>(token)]);
  const auto continue_with = [&](int sequence, int position) {
    const auto index = static_cast<std::size_t>(sequence);
    next.last = {};
    if (position < static_cast<int>(sequences_[index].size())) {
      next.active = sequence, next.position = position;
      return;
    }
    next.met |= std::uint64_t{1} << sequence;
    if (!endings_.empty()) next.ending = endings_[index];
  };
  if (progress.active >= 0 &&
      continues(static_cast<std::size_t>(progress.active), static_cast<std::size_t>(progress.position), token)) {
    continue_with(progress.active, progress.position + 1);
    return next;
  }
  for (std::size_t s = 0; s < sequences_.size(); ++s)
    if (!is_met(progress, s) && continues(s, 0, token)) {
      continue_with(static_cast<int>(s), 1);
      break;
    }
  return next;
}

void Constraints::find_next(const TermProgress& progress, Tokens& out) const {
  const auto add = [&](std::size_t sequence, std::size_t position) {
    out.push_back(sequences_[sequence][position]);
    if (has_other(sequence) && others_[sequence][position] != out.back()) out.push_back(others_[sequence][position]);
  };
  if (progress.active >= 0)
    return add(static_cast<std::size_t>(progress.active), static_cast<std::size_t>(progress.position));
  for (std::size_t s = 0; s < sequences_.size(); ++s)
    if (!is_met(progress, s)) add(s, 0);
}

}  // namespace dragoman::search

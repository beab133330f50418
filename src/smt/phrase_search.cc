#include "smt/phrase_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/random.h"

namespace dragoman::smt {
namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, like all sizes of the table

// Stack size and pop limit where the source repeats itself; see SentenceOptions::is_repetitive().
constexpr int kRepetitiveStack = 5, kRepetitivePops = 15;

}  // namespace

Orientation orientation_of(std::uint32_t last_begin, std::uint32_t last_end, const PhraseOption& next) {
  if (next.begin == last_end) return Orientation::monotone;
  return next.end == last_begin ? Orientation::swap : Orientation::apart;
}

PhraseSearch::PhraseSearch(const PhraseModel& model, const PhraseDecoderConfig& config, const SentenceOptions& options,
                           bool keep_all_arcs)
    : model_(model),
      config_(config),
      options_(options),
      keep_all_arcs_(keep_all_arcs),
      stacks_(options.words() + 1),
      cubes_(options.words() + 1) {
  const auto first = model.weights.begin() + index(Feature::previous_monotone);
  reorders_ = std::any_of(first, first + 6, [](double weight) { return weight != 0; });
}

const Hypothesis& PhraseSearch::run() {
  Hypothesis start;
  if (model_.language_model != nullptr) start.state = model_.language_model->begin();
  stacks_[0].push_back(start);
  make_cubes(0);
  for (std::uint32_t covered = 1; covered <= options_.words(); ++covered) {
    fill(covered);
    prune(covered);
    make_cubes(covered);
  }
  finish();
  return goal_;
}

// Pops the best candidates up to the limit; each adds its neighbours in its cube. Every cell of a cube is reached in
// exactly one way: down the first column, then along the row.
void PhraseSearch::fill(std::uint32_t covered) {
  stack_ = &stacks_[covered];
  active_ = &cubes_[covered];
  candidates_.clear();
  queue_.clear();
  slots_.assign(kFirstSlots, 0);
  for (std::uint32_t cube = 0; cube < active_->size(); ++cube) queue_corner(cube);
  const int pops = options_.is_repetitive(covered) ? std::min(config_.pops, kRepetitivePops) : config_.pops;
  for (int popped = 0; popped < pops && !queue_.empty();) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Queued top = queue_.back();
    queue_.pop_back();
    const Candidate candidate = candidates_[top.candidate];
    if (!candidate.scored) {
      queue_scored(candidate.cube, candidate.row, candidate.column);
      continue;
    }
    ++popped;
    keep(candidate, top.estimate);
    const Cube& cube = (*active_)[candidate.cube];
    if (candidate.column + 1 < cube.columns.size()) queue_scored(candidate.cube, candidate.row, candidate.column + 1);
    if (candidate.column == 0 && candidate.row + 1 < cube.rows.size())
      queue_scored(candidate.cube, candidate.row + 1, 0);
  }
  std::vector<Cube>().swap(*active_);
}

// Queues a cube's best corner with an estimate; the language model scores it only when it is popped.
void PhraseSearch::queue_corner(std::uint32_t cube) {
  const Cube& c = (*active_)[cube];
  const double estimate = c.rows[0].best.score + c.columns[0].estimate + jump_score(c.rows[0], c.columns[0]) + c.future;
  queue_.push_back({estimate, static_cast<std::uint32_t>(candidates_.size())});
  std::push_heap(queue_.begin(), queue_.end());
  candidates_.push_back({cube, 0, 0, false, 0, {}});
}

void PhraseSearch::queue_scored(std::uint32_t cube, std::uint32_t row, std::uint32_t column) {
  const Cube& c = (*active_)[cube];
  Candidate candidate{cube, row, column, true, 0, {}};
  candidate.score = c.rows[row].best.score + step_score(c.rows[row], c.columns[column], candidate.state);
  queue_.push_back({candidate.score + c.future, static_cast<std::uint32_t>(candidates_.size())});
  std::push_heap(queue_.begin(), queue_.end());
  candidates_.push_back(candidate);
}

double PhraseSearch::jump_score(const Hypothesis& from, const PhraseOption& option) const {
  const double distance = std::abs(double(option.begin) - double(from.last_end));
  double score = -model_.weights[index(Feature::distance)] * distance;
  if (!reorders_) return score;
  const auto orientation = static_cast<std::size_t>(orientation_of(from.last_begin, from.last_end, option));
  score += model_.weights[index(Feature::previous_monotone) + orientation] * option.entry.reordering[orientation];
  if (from.best.option != nullptr)
    score += model_.weights[index(Feature::next_monotone) + orientation] *
             from.best.option->entry.reordering[3 + orientation];
  return score;
}

double PhraseSearch::step_score(const Hypothesis& from, const PhraseOption& option, NgramState& state) const {
  const double score = option.score + jump_score(from, option);
  if (model_.language_model == nullptr) return score;
  double log10 = 0;
  NgramState before = from.state;
  for (const std::uint32_t word : option.entry.words) {
    log10 += model_.language_model->score(before, word, state);
    before = state;
  }
  return score + model_.weights[index(Feature::language_model)] * log10 * std::numbers::ln10;
}

// Where a phrase must end to be a swap; 0 if no phrase can be.
std::uint32_t PhraseSearch::swap_border(const Hypothesis& hypothesis) const {
  const bool possible = hypothesis.last_begin > 0 && !hypothesis.coverage.covers(hypothesis.last_begin - 1);
  return possible ? hypothesis.last_begin : 0;
}

// Hypotheses can be recombined if no continuation can tell them apart.
bool PhraseSearch::can_recombine(const Hypothesis& a, const Hypothesis& b) const {
  if (a.coverage != b.coverage || a.last_end != b.last_end || !(a.state == b.state)) return false;
  if (!reorders_) return true;
  const auto next = [](const Hypothesis& h, std::size_t o) { return h.best.option->entry.reordering[3 + o]; };
  return swap_border(a) == swap_border(b) && next(a, 0) == next(b, 0) && next(a, 1) == next(b, 1) &&
         next(a, 2) == next(b, 2);
}

std::uint64_t PhraseSearch::recombination_hash(const Hypothesis& hypothesis) const {
  std::uint64_t hash = mix(hypothesis.coverage.bits, hypothesis.coverage.first);
  hash = mix(hash, hypothesis.last_end);
  for (std::uint32_t i = 0; i < hypothesis.state.length; ++i) hash = mix(hash, hypothesis.state.words[i]);
  return hash;
}

void PhraseSearch::keep(const Candidate& candidate, double estimate) {
  const Cube& cube = (*active_)[candidate.cube];
  const PhraseOption& option = cube.columns[candidate.column];
  Hypothesis hypothesis;
  hypothesis.best = {candidate.score, &cube.rows[candidate.row], &option};
  hypothesis.estimate = estimate;
  hypothesis.coverage = cube.coverage;
  hypothesis.last_begin = option.begin;
  hypothesis.last_end = option.end;
  hypothesis.state = candidate.state;
  std::size_t slot = recombination_hash(hypothesis) & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    Hypothesis& other = (*stack_)[slots_[slot] - 1];
    if (!can_recombine(hypothesis, other)) continue;
    if (hypothesis.best.score > other.best.score) {
      std::swap(hypothesis.best, other.best);
      other.estimate = hypothesis.estimate;
      other.last_begin = hypothesis.last_begin;
    }
    if (keep_all_arcs_) other.others.push_back(hypothesis.best);
    return;
  }
  stack_->push_back(std::move(hypothesis));
  slots_[slot] = static_cast<std::uint32_t>(stack_->size());
  if (2 * stack_->size() > slots_.size()) grow_slots();
}

void PhraseSearch::grow_slots() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t i = 0; i < stack_->size(); ++i) {
    std::size_t slot = recombination_hash((*stack_)[i]) & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = i + 1;
  }
}

void PhraseSearch::prune(std::uint32_t covered) {
  std::vector<Hypothesis>& stack = stacks_[covered];
  const int most = options_.is_repetitive(covered) ? std::min(config_.stack, kRepetitiveStack) : config_.stack;
  const auto limit = static_cast<std::size_t>(most);
  const auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.estimate > b.estimate; };
  if (stack.size() > limit) {
    std::nth_element(stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(limit), stack.end(), better);
    stack.resize(limit);
  }
  std::sort(stack.begin(), stack.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return std::tie(a.coverage, a.last_end, b.best.score) < std::tie(b.coverage, b.last_end, a.best.score);
  });
  stack.shrink_to_fit();
}

// Groups hypotheses into cubes: those with the same coverage and the same last source word share their options.
void PhraseSearch::make_cubes(std::uint32_t covered) {
  const std::span<const Hypothesis> stack = stacks_[covered];
  for (std::size_t begin = 0; begin < stack.size();) {
    std::size_t end = begin + 1;
    while (end < stack.size() && stack[end].coverage == stack[begin].coverage &&
           stack[end].last_end == stack[begin].last_end)
      ++end;
    spread_group(covered, stack.subspan(begin, end - begin));
    begin = end;
  }
}

void PhraseSearch::spread_group(std::uint32_t covered, std::span<const Hypothesis> group) {
  const auto limit = static_cast<std::uint32_t>(config_.distortion_limit);
  const Coverage& coverage = group[0].coverage;
  const std::uint32_t last_end = group[0].last_end;
  const std::uint32_t lowest = std::max(coverage.first, last_end > limit ? last_end - limit : 0);
  const std::uint32_t highest = std::min(options_.words(), last_end + limit + 1);
  for (std::uint32_t begin = lowest; begin < highest; ++begin)
    for (std::uint32_t length = 1; length <= kMaxPhraseLength && begin + length <= options_.words(); ++length) {
      const std::uint32_t end = begin + length;
      if (!coverage.has_room(begin, end)) break;
      if (begin != coverage.first && end - coverage.first > limit) break;
      const std::span<const PhraseOption> columns = options_.at(begin, length);
      if (columns.empty()) continue;
      const Coverage next = coverage.with(begin, end);
      cubes_[covered + length].push_back({group, columns, next, options_.future(next)});
    }
}

void PhraseSearch::finish() {
  for (const Hypothesis& complete : stacks_.back()) {
    Arc arc{complete.best.score, &complete, nullptr};
    NgramState ignored;
    if (model_.language_model != nullptr)
      arc.score += model_.weights[index(Feature::language_model)] * std::numbers::ln10 *
                   model_.language_model->score(complete.state, kSentenceEnd, ignored);
    if (goal_.best.previous == nullptr || arc.score > goal_.best.score) std::swap(arc, goal_.best);
    if (arc.previous != nullptr) goal_.others.push_back(arc);
  }
}

}  // namespace dragoman::smt

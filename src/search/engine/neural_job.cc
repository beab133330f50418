#include "search/engine/neural_job.h"

#include <algorithm>

#include "search/words.h"

namespace dragoman::search {
namespace {

constexpr int kMostAttempts = 50;
constexpr int kMostMended = 2;            // searches for a translation without loops and lost parts
constexpr std::size_t kMostRequired = 8;  // lost parts in all; more are lost in tables and nonsense only

}  // namespace

NeuralJob::NeuralJob(Job& job, std::span<const std::unique_ptr<Model>> models, const ActiveShortlist* shortlist)
    : tokens_(job, models),
      models_(models),
      shortlist_(shortlist),
      max_length_(find_max_length(*job.options)),
      job_(std::move(job)),
      places_terms_(can_place_terms()) {}

bool NeuralJob::can_place_terms() const {
  return tokens_.terms.can_be_placed() && tokens_.prefix_is_exact && !job_.options->sample && models_[0]->aligns();
}

// Leaves the task the tokens of the shortlist. A list of most of the vocabulary would save nothing.
void NeuralJob::restrict_words(DecodingTask& task) const {
  if (shortlist_ == nullptr) return;
  const text::Tokenizer& target = models_[0]->target();
  Tokens more = {target.special().end, target.special().unknown};
  more.insert(more.end(), tokens_.prefix.ids.begin(), tokens_.prefix.ids.end());
  tokens_.terms.add_tokens(more);
  if (placed_) more.insert(more.end(), placed_->ids.begin(), placed_->ids.end());
  Tokens rare = shortlist_->shortlist.choose_rare(tokens_.sources[0], more);
  const std::size_t words = rare.size() + shortlist_->frequent.words().size();
  if (2 * static_cast<std::int64_t>(words) > models_[0]->info().config.target_vocabulary) return;
  task.words = std::move(rare);
  task.common = &shortlist_->frequent;
}

// The length that was asked for or that is natural, with room for the prefix and the terms, within the models' limits.
int NeuralJob::find_max_length(const SearchOptions& options) const {
  int limit = models_[0]->max_target();
  for (const std::unique_ptr<Model>& model : models_) limit = std::min(limit, model->max_target());
  check(options.min_length <= limit, "min-length {} is more than the {} tokens that the model can write",
        options.min_length, limit);
  const int forced = static_cast<int>(tokens_.prefix.ids.size()) + tokens_.terms.constraints().total();
  check(forced <= limit, "terms and prefix have {} tokens, more than the {} that the model can write", forced, limit);
  const int natural = 3 * static_cast<int>(tokens_.sources[0].size()) + 10;
  const int wanted = std::max(options.max_length > 0 ? options.max_length : natural, options.min_length);
  return std::min(limit, std::max(wanted, forced));
}

std::size_t NeuralJob::width() const {
  return static_cast<std::size_t>(job_.options->sample ? job_.options->n_best : job_.options->beam);
}

Goal NeuralJob::goal() const {
  const text::Tokenizer& target = models_[0]->target();
  Goal goal;
  goal.options = *job_.options;
  goal.end = target.special().end;
  goal.max_length = max_length_;
  goal.never = text::never_written(target, models_[0]->info().config.target_vocabulary);
  goal.banned = tokens_.banned;
  goal.prefix_meets_terms = tokens_.prefix_is_exact;
  if (!places_terms_) goal.constraints = tokens_.terms.constraints();
  if (placed_) {
    goal.constraints = tokens_.terms.constraint(*placed_);
    goal.prefix_meets_terms = false;
    goal.term_start = static_cast<int>(placed_->place.start);
    goal.options.ranking = Ranking::sum;  // terms are improbable, and a mean would reward what dilutes them
    if (tokens_.prefix.ids.empty()) goal.options.score_prefix = true;  // the fixed tokens are a part of the translation
  }
  goal.stream = job_.stream;
  return goal;
}

DecodingTask NeuralJob::task() const {
  const SearchOptions& options = *job_.options;
  DecodingTask task;
  task.sources = tokens_.sources;
  task.start = models_[0]->target_start(direction_of(job_.request, options));
  task.prefix = placed_ ? placed_->fixed : tokens_.prefix.ids;
  restrict_words(task);
  task.search = SentenceSearch::make(goal());
  task.wants_attention = options.alignment || options.attention || options.replace_unknown || places_terms_;
  task.cancelled = job_.cancelled;
  return task;
}

bool NeuralJob::take(const DecodingTask& task) {
  if (ban_spellings(task) || place_term(task)) return false;
  const Tokens loop = is_protected() ? find_faulty_loop(task) : Tokens();
  if (!loop.empty() && mended_++ < kMostMended) {
    ban_loop(loop);
    return false;
  }
  TranslationResult found = reader_.result(task, places_terms_);
  const bool is_first = result_.translations.empty();
  check(
      !is_first || !found.translations.empty(),
      "the search found no translation that meets the terms, the banned words and the lengths asked for, or the scores "
      "of the model are not numbers, because its training diverged");
  if (!is_first && (found.translations.empty() || !loop.empty())) return true;
  const std::string &source = job_.request.text, &text = found.translations.front().text;
  const std::vector<LostPart> lost = is_protected() ? lost_parts(source, text) : std::vector<LostPart>();
  if (is_first || (lacks_less(lost, lost_) && !loses_digits(source, result_.translations.front().text, text))) {
    result_ = std::move(found);
    lost_ = lost;
  }
  return lost.empty() || mended_++ >= kMostMended || !require(lost);
}

bool NeuralJob::ban_spellings(const DecodingTask& task) {
  if (job_.request.banned.empty() || attempts_++ >= kMostAttempts) return false;
  const text::Tokenizer& target = models_[0]->target();
  bool found_any = false;
  for (const Finished& finished : task.search->best()) {
    const Tokens ids = task.search->tree().tokens(finished.node);
    const std::string text = target.decode(ids);
    for (const std::string& word : job_.request.banned) {
      const std::size_t begin = find_word(text, word), end = begin + word.size();
      if (begin == std::string::npos) continue;
      const std::vector<text::Span> spans = target_spans(target, ids, text);
      Tokens spelling;
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (spans[i].begin < end && spans[i].end > begin) spelling.push_back(ids[i]);
      if (spelling.empty()) continue;
      tokens_.banned.push_back(spelling);
      found_any = true;
    }
  }
  return found_any;
}

// Prepares another search if the best translation lacks a term: one that writes the term in its place, or one with all
// terms as constraints if there is none.
bool NeuralJob::place_term(const DecodingTask& task) {
  if (!places_terms_) return false;
  std::optional<PlacedTerm> next;
  if (const std::vector<Finished> best = task.search->best(); !best.empty()) {
    const TranslationReader::Candidate found = reader_.candidate(task, best.front());
    if (!tokens_.terms.are_missing_in(found.translation.text)) return false;
    next = tokens_.terms.place({.source = job_.request.text,
                                .source_spans = tokens_.source_spans,
                                .ids = found.ids,
                                .translation = found.translation.text,
                                .attention = rows_on(task.search->tree().path(best.front().node), task.attention),
                                .prefix = tokens_.prefix.ids.size(),
                                .max_length = max_length_},
                               placed_);
    if (!next && !tokens_.terms.are_missing_in(found.translation.text)) return false;
  }
  placed_ = std::move(next);
  places_terms_ = placed_.has_value();
  return true;
}

// What the source repeats, the translation may repeat about as often.
Tokens NeuralJob::find_faulty_loop(const DecodingTask& task) const {
  const std::vector<Finished> best = task.search->best();
  if (best.empty()) return {};
  const Tokens ids = task.search->tree().tokens(best.front().node);
  const Tokens loop = find_loop(ids), source_loop = find_loop(tokens_.sources[0]);
  const bool is_faulty = source_loop.empty()
                             ? is_fault(models_[0]->target().decode(loop), job_.request.text)
                             : 2 * times_in_a_row(loop, ids) > 3 * times_in_a_row(source_loop, tokens_.sources[0]);
  return is_faulty ? loop : Tokens();
}

void NeuralJob::ban_loop(const Tokens& loop) {
  const Tokens source_loop = find_loop(tokens_.sources[0]);
  const std::size_t times = source_loop.empty() ? 1 : times_in_a_row(source_loop, tokens_.sources[0]);
  Tokens too_often;
  for (std::size_t i = 0; i <= times; ++i) too_often.insert(too_often.end(), loop.begin(), loop.end());
  tokens_.banned.push_back(std::move(too_often));
}

// Numbers inside required terms are not counted: the term constraint already places them.
bool NeuralJob::require(std::span<const LostPart> lost) {
  const auto is_new = [this](const LostPart& part) { return !tokens_.terms.cover(part.source); };
  required_ += static_cast<std::size_t>(std::count_if(lost.begin(), lost.end(), is_new));
  if (required_ > kMostRequired) return false;
  const text::Tokenizer& target = models_[0]->target();
  bool found_any = false;
  for (const LostPart& part : lost) {
    if (!is_new(part)) continue;
    const Spelling spelling = spell_in_sentence(target, part.target);
    const bool fits = tokens_.terms.size() < Constraints::kMost &&
                      2 * (tokens_.terms.constraints().total() + static_cast<int>(spelling.ids.size())) <= max_length_;
    if (!is_known(spelling, target) || !fits || contains_any_word(part.target, job_.request.banned)) continue;
    tokens_.terms.add({part.source, part.target, part.ending, part.other});
    found_any = true;
  }
  placed_.reset();
  places_terms_ = can_place_terms();
  return found_any;
}

}  // namespace dragoman::search

#include "search/neural_job.h"

#include <algorithm>
#include <map>

#include "search/words.h"

namespace dragoman::search {
namespace {

constexpr int kMostAttempts = 50;
constexpr int kMostMended = 2;            // searches for a translation without loops and lost parts
constexpr std::size_t kMostRequired = 8;  // lost parts in all; more are lost in tables and nonsense only
// Far more than a translation can hold. A word without spaces takes time for its square.
constexpr std::size_t kMostConstraintBytes = std::size_t{1} << 16;

// Number of tokens, not counting marks.
int tokens_of(const text::Encoded& encoded, const Model& model) {
  return static_cast<int>(encoded.ids.size()) - model.source_marks();
}

// Whether the vocabulary has all of it.
bool is_known(const Spelling& spelling, const text::Tokenizer& target) {
  return !spelling.ids.empty() &&
         std::find(spelling.ids.begin(), spelling.ids.end(), target.special().unknown) == spelling.ids.end();
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

void check_constraints(const Request& request, const text::Tokenizer& target) {
  const auto check_words = [&](const char* what, const std::string& words) {
    const std::string_view shown = std::string_view(words).substr(0, 80);
    check(words.size() <= kMostConstraintBytes, "a {} of {} bytes is longer than the {} allowed", what, words.size(),
          kMostConstraintBytes);
    check(!spell_in_sentence(target, words).ids.empty(), "the {} '{}' has no characters that the model can write", what,
          shown);
    check(!contains_any_word(words, request.banned), "the {} '{}' contains a banned word", what, shown);
  };
  if (!without_spaces(request.prefix).empty()) check_words("prefix", request.prefix);
  for (const auto& [source, wanted] : request.terms)
    if (!wanted.empty()) check_words("term", wanted);
}

void NeuralJob::prepare() {
  read_sources();
  read_constraints();
  max_length_ = find_max_length();
}

void NeuralJob::read_sources() {
  if (job_.source.empty()) tokenize(job_, models_);
  for (std::size_t m = 0; m < models_.size(); ++m) {
    text::Encoded& encoded = job_.source[m];
    const Model& model = *models_[m];
    check(tokens_of(encoded, model) <= model.max_source(),
          "a sentence of {} tokens is longer than the {} that {} can take", tokens_of(encoded, model),
          model.max_source(), model.path());
    if (m == 0) source_spans_ = std::move(encoded.spans);
    sources_.push_back(std::move(encoded.ids));
  }
}

void NeuralJob::read_constraints() {
  const Request& request = job_.request;
  const text::Tokenizer& target = models_[0]->target();
  std::size_t bytes = request.prefix.size();
  for (const auto& [source, wanted] : request.terms) bytes += wanted.size();
  check(bytes <= kMostConstraintBytes, "terms and prefix have {} bytes, more than the {} allowed", bytes,
        kMostConstraintBytes);
  check_constraints(request, target);
  if (!request.prefix.empty()) {
    prefix_ = spell_prefix(target, std::string(without_spaces(request.prefix)), text::is_in_capitals(request.text));
    prefix_is_exact_ = target.decode(prefix_.ids) == prefix_.text;
  } else if (!request.prefix_tokens.empty()) {
    prefix_.ids = models_[0]->encode_target_tokens(request.prefix_tokens);
    prefix_.text = target.decode(prefix_.ids);
  }
  read_terms();
  for (const std::string& word : request.banned)
    for (const Spelling& spelling : {spell_in_sentence(target, word), spell(target, word)}) {
      // Words that the vocabulary lacks are never written, and other unknown words are not banned.
      if (is_known(spelling, target) && (banned_.empty() || banned_.back() != spelling.ids))
        banned_.push_back(spelling.ids);
    }
}

void NeuralJob::read_terms() {
  std::map<std::string, std::size_t> given;  // how often the prefix has a target that is not taken off yet
  for (RequiredTerm& term : list_terms(job_.request.text, job_.request.terms)) {
    const auto [left, is_new] = given.try_emplace(term.target);
    if (is_new) left->second = count_whole(prefix_.text, term.target, term.ending);
    if (left->second > 0)
      --left->second;
    else
      add_term(std::move(term));
  }
}

void NeuralJob::add_term(RequiredTerm term) {
  terms_.add(std::move(term));
  places_terms_ = terms_.can_be_placed() && prefix_is_exact_ && !job_.options->sample && models_[0]->aligns();
}

// Leaves the task the tokens of the shortlist. A list of most of the vocabulary would save nothing.
void NeuralJob::restrict_words(DecodingTask& task) const {
  if (shortlist_ == nullptr) return;
  const text::Tokenizer& target = models_[0]->target();
  Tokens more = {target.special().end, target.special().unknown};
  more.insert(more.end(), prefix_.ids.begin(), prefix_.ids.end());
  terms_.add_tokens(more);
  if (placed_) more.insert(more.end(), placed_->ids.begin(), placed_->ids.end());
  Tokens rare = shortlist_->shortlist.choose_rare(sources_[0], more);
  const std::size_t words = rare.size() + shortlist_->frequent.words().size();
  if (2 * static_cast<std::int64_t>(words) > models_[0]->info().config.target_vocabulary) return;
  task.words = std::move(rare);
  task.common = &shortlist_->frequent;
}

// The length that was asked for or that is natural, with room for the prefix and the terms, within the models' limits.
int NeuralJob::find_max_length() const {
  const SearchOptions& options = *job_.options;
  int limit = models_[0]->max_target();
  for (const std::unique_ptr<Model>& model : models_) limit = std::min(limit, model->max_target());
  check(options.min_length <= limit, "min-length {} is more than the {} tokens that the model can write",
        options.min_length, limit);
  const int forced = static_cast<int>(prefix_.ids.size()) + terms_.constraints().total();
  check(forced <= limit, "terms and prefix have {} tokens, more than the {} that the model can write", forced, limit);
  const int natural = 3 * static_cast<int>(sources_[0].size()) + 10;
  const int wanted = std::max(options.max_length > 0 ? options.max_length : natural, options.min_length);
  return std::min(limit, std::max(wanted, forced));
}

std::size_t NeuralJob::width() const {
  return static_cast<std::size_t>(job_.options->sample ? job_.options->n_best : job_.options->beam);
}

int NeuralJob::tokenize(Job& job, std::span<const std::unique_ptr<Model>> models) {
  int most = 0;
  job.source.clear();
  const Direction direction = direction_of(job.request, *job.options);
  for (const std::unique_ptr<Model>& model : models) {
    job.source.push_back(job.request.tokens.empty()
                             ? model->encode_source_spans(job.request.text, direction)
                             : model->encode_source_tokens(job.request.tokens, direction).encoded);
    most = std::max(most, tokens_of(job.source.back(), *model));
  }
  return most;
}

Goal NeuralJob::goal() const {
  const text::Tokenizer& target = models_[0]->target();
  Goal goal;
  goal.options = *job_.options;
  goal.end = target.special().end;
  goal.max_length = max_length_;
  goal.never = text::never_written(target, models_[0]->info().config.target_vocabulary);
  goal.banned = banned_;
  goal.prefix_meets_terms = prefix_is_exact_;
  if (!places_terms_) goal.constraints = terms_.constraints();
  if (placed_) {
    goal.constraints = terms_.constraint(*placed_);
    goal.prefix_meets_terms = false;
    goal.term_start = static_cast<int>(placed_->place.start);
    goal.options.ranking = Ranking::sum;  // terms are improbable, and a mean would reward what dilutes them
    if (prefix_.ids.empty()) goal.options.score_prefix = true;  // the fixed tokens are a part of the translation
  }
  goal.stream = job_.stream;
  return goal;
}

DecodingTask NeuralJob::task() const {
  const SearchOptions& options = *job_.options;
  DecodingTask task;
  task.sources = sources_;
  task.start = models_[0]->target_start(direction_of(job_.request, options));
  task.prefix = placed_ ? placed_->fixed : prefix_.ids;
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
  TranslationResult found = result_of(task);
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
      banned_.push_back(spelling);
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
    const Candidate found = candidate(task, best.front());
    if (!terms_.are_missing_in(found.translation.text)) return false;
    next = terms_.place({.source = job_.request.text,
                         .source_spans = source_spans_,
                         .ids = found.ids,
                         .translation = found.translation.text,
                         .attention = rows_on(task.search->tree().path(best.front().node), task.attention),
                         .prefix = prefix_.ids.size(),
                         .max_length = max_length_},
                        placed_);
    if (!next && !terms_.are_missing_in(found.translation.text)) return false;
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
  const Tokens loop = find_loop(ids), source_loop = find_loop(sources_[0]);
  const bool is_faulty = source_loop.empty()
                             ? is_fault(models_[0]->target().decode(loop), job_.request.text)
                             : 2 * times_in_a_row(loop, ids) > 3 * times_in_a_row(source_loop, sources_[0]);
  return is_faulty ? loop : Tokens();
}

void NeuralJob::ban_loop(const Tokens& loop) {
  const Tokens source_loop = find_loop(sources_[0]);
  const std::size_t times = source_loop.empty() ? 1 : times_in_a_row(source_loop, sources_[0]);
  Tokens too_often;
  for (std::size_t i = 0; i <= times; ++i) too_often.insert(too_often.end(), loop.begin(), loop.end());
  banned_.push_back(std::move(too_often));
}

// The numbers of a term are the business of the term.
bool NeuralJob::require(std::span<const LostPart> lost) {
  const auto is_new = [this](const LostPart& part) { return !terms_.cover(part.source); };
  required_ += static_cast<std::size_t>(std::count_if(lost.begin(), lost.end(), is_new));
  if (required_ > kMostRequired) return false;
  const text::Tokenizer& target = models_[0]->target();
  bool found_any = false;
  for (const LostPart& part : lost) {
    if (!is_new(part)) continue;
    const Spelling spelling = spell_in_sentence(target, part.target);
    const bool fits = terms_.size() < Constraints::kMost &&
                      2 * (terms_.constraints().total() + static_cast<int>(spelling.ids.size())) <= max_length_;
    if (!is_known(spelling, target) || !fits || contains_any_word(part.target, job_.request.banned)) continue;
    add_term({part.source, part.target, part.ending, part.other});
    found_any = true;
  }
  placed_.reset();
  return found_any;
}

}  // namespace dragoman::search

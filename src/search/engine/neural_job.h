#pragma once

#include "search/engine/translation_reader.h"
#include "search/protect/protection.h"

namespace dragoman::search {

// A shortlist that is used, with the output layer of its frequent tokens, which all sentences share.
struct ActiveShortlist {
  ActiveShortlist(const align::Shortlist& list, const models::Seq2seq& network)
      : shortlist(list), frequent(network.pick_words(list.choose({}, {}))) {}

  const align::Shortlist& shortlist;
  PickedLayer frequent;
};

// A job for neural models: the searches for the translation of one sentence. There is one search, and another one for
// each term to place, and as long as the translation contains banned words or loses what is protected.
class NeuralJob {
 public:
  // Takes the job and tokenises it. Throws Error if RequestTokens does or if the constraints are too long for one of
  // the models; the job is the caller's then. `job.request.terms` are the terms that this sentence needs. The shortlist
  // is optional.
  NeuralJob(Job& job, std::span<const std::unique_ptr<Model>> models, const ActiveShortlist* shortlist);
  NeuralJob(const NeuralJob&) = delete;
  NeuralJob& operator=(const NeuralJob&) = delete;

  // The task for a decoder. The caller sets `finished`.
  DecodingTask task() const;
  // Takes the result of the search. Returns false if it contains a banned word in a new tokenisation, which is then
  // banned too, lacks a term, for which there is a place now, or loses what is protected: the caller must search
  // task() again.
  bool take(const DecodingTask& task);
  // Passes the result or the error to the caller.
  void finish() { job_.answer.give(std::move(result_)); }
  void fail(std::exception_ptr error) { job_.answer.give(std::move(error)); }
  bool is_cancelled() const { return job_.is_cancelled(); }
  // The number of hypotheses that the search keeps at most.
  std::size_t width() const;

 private:
  bool can_place_terms() const;
  void restrict_words(DecodingTask& task) const;
  int find_max_length(const SearchOptions& options) const;
  Goal goal() const;
  bool is_protected() const { return search::is_protected(*job_.options, &models_[0]->info()); }
  bool ban_spellings(const DecodingTask& task);
  bool place_term(const DecodingTask& task);
  // The tokens that the best translation repeats though it should not; empty if there are none.
  Tokens find_faulty_loop(const DecodingTask& task) const;
  void ban_loop(const Tokens& loop);
  // Makes terms of parts that the translation lacks. Returns false if there are none or if none of them can be written.
  bool require(std::span<const LostPart> lost);

  RequestTokens tokens_;
  std::span<const std::unique_ptr<Model>> models_;
  const ActiveShortlist* shortlist_;
  int max_length_;
  Job job_;  // taken once nothing can fail any more
  TranslationReader reader_{job_, models_, tokens_};
  // Terms are placed one by one: the first search goes without them, and each further one adds a term that is missing,
  // from left to right. If a term has no place, all of them are constraints of one search.
  bool places_terms_;
  std::optional<PlacedTerm> placed_;  // by the present search
  int attempts_ = 0, mended_ = 0;
  TranslationResult result_;    // the best so far
  std::size_t required_ = 0;    // lost parts that became terms
  std::vector<LostPart> lost_;  // that it lacks
};

}  // namespace dragoman::search

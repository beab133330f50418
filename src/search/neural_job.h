#pragma once

#include "search/batch_decoder.h"
#include "search/engine.h"
#include "search/model.h"
#include "search/protect/protection.h"
#include "search/required_terms.h"
#include "search/source_terms.h"
#include "search/surface.h"
#include "text/signs.h"

namespace dragoman::search {

// Throws Error with the reason if the model cannot write the prefix or one of the terms, or if they contain banned
// words.
void check_constraints(const Request& request, const text::Tokenizer& target);

// A shortlist that is used, with the output layer of its frequent tokens, which all sentences share.
struct ActiveShortlist {
  ActiveShortlist(const align::Shortlist& list, const models::Seq2seq& network)
      : shortlist(list), frequent(network.pick_words(list.choose({}, {}))) {}

  const align::Shortlist& shortlist;
  PickedLayer frequent;
};

// A job for neural models: tokenises the text, sets up the search and detokenises the result.
class NeuralJob {
 public:
  // `job.request.terms` are the terms that this sentence needs. The shortlist is optional.
  NeuralJob(Job job, std::span<const std::unique_ptr<Model>> models, const ActiveShortlist* shortlist)
      : job_(std::move(job)),
        models_(models),
        shortlist_(shortlist),
        terms_(*models_[0], text::is_in_capitals(job_.request.text)) {}

  // Tokenises the sentence and its constraints. Call before task(). Throws Error if check_constraints() does or if they
  // are too long for one of the models.
  void prepare();

  // Tokenises the text for all models and caches the tokens in the job. Returns the largest number of tokens, not
  // counting marks.
  static int tokenize(Job& job, std::span<const std::unique_ptr<Model>> models);

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
  void read_sources();
  void read_constraints();
  void restrict_words(DecodingTask& task) const;
  int find_max_length() const;
  Goal goal() const;
  // A translation, its tokens without EOS and, if they are needed, their bytes of the text.
  struct Candidate {
    Translation translation;
    Tokens ids{};
    std::vector<text::Span> spans{};
  };
  Candidate candidate(const DecodingTask& task, const Finished& finished) const;
  void describe(const DecodingTask& task, std::span<const std::int32_t> path, Candidate& candidate) const;
  std::vector<Literal> literals_in(std::span<const std::int32_t> ids) const;
  std::vector<Spelling> copied_words(std::span<const std::int32_t> ids, const Attention& attention,
                                     std::span<const int> source_words) const;
  void explain(const DecodingTask& task, const Finished& finished, const Candidate& best,
               TranslationResult& result) const;
  std::vector<TreeNode> tree_of(const DecodingTask& task, const Finished& finished) const;
  bool is_protected() const { return search::is_protected(*job_.options, &models_[0]->info()); }
  bool ban_spellings(const DecodingTask& task);
  bool place_term(const DecodingTask& task);
  void read_terms();
  void add_term(RequiredTerm term);
  // The tokens that the best translation repeats though it should not; empty if there are none.
  Tokens find_faulty_loop(const DecodingTask& task) const;
  void ban_loop(const Tokens& loop);
  // The translations of a search; none if all lack a term or contain a banned word.
  TranslationResult result_of(const DecodingTask& task) const;
  // Makes terms of parts that the translation lacks. Returns false if there are none or if none of them can be written.
  bool require(std::span<const LostPart> lost);

  Job job_;
  std::span<const std::unique_ptr<Model>> models_;
  const ActiveShortlist* shortlist_;
  std::vector<Tokens> sources_;
  std::vector<text::Span> source_spans_;  // of the first model's tokens
  Spelling prefix_;
  bool prefix_is_exact_ = true;  // decoding the prefix gives its text
  RequiredTerms terms_;          // those that the prefix does not contain
  // Terms are placed one by one: the first search goes without them, and each further one adds a term that is missing,
  // from left to right. If a term has no place, all of them are constraints of one search.
  bool places_terms_ = false;
  std::optional<PlacedTerm> placed_;  // by the present search
  std::vector<Tokens> banned_;
  int max_length_ = 0;
  int attempts_ = 0, mended_ = 0;
  TranslationResult result_;    // the best so far
  std::size_t required_ = 0;    // lost parts that became terms
  std::vector<LostPart> lost_;  // that it lacks
};

}  // namespace dragoman::search

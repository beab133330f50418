#pragma once

#include <memory>

#include "search/engine/engine.h"
#include "search/engine/model.h"
#include "search/engine/required_terms.h"
#include "search/surface.h"

// A request in the tokens of the models that translate it.
namespace dragoman::search {

// Throws Error with the reason if the model cannot write the prefix or one of the terms, or if they contain banned
// words.
void check_constraints(const Request& request, const text::Tokenizer& target);

// Whether the vocabulary has all of it.
bool is_known(const Spelling& spelling, const text::Tokenizer& target);

// Tokenises the text of a job for all models and caches the tokens in the job. Returns the largest number of tokens,
// not counting marks.
int tokenize(Job& job, std::span<const std::unique_ptr<Model>> models);

// The source, and what its translation must and must not contain.
struct RequestTokens {
  // Takes the tokens that tokenize() cached. Throws Error if check_constraints() does or if a source is too long for
  // its model.
  RequestTokens(Job& job, std::span<const std::unique_ptr<Model>> models);

  std::vector<Tokens> sources;           // per model
  std::vector<text::Span> source_spans;  // of the first model's tokens
  Spelling prefix;
  bool prefix_is_exact = true;  // decoding the prefix gives its text
  RequiredTerms terms;          // those that the prefix does not contain
  std::vector<Tokens> banned;

 private:
  void read_sources(Job& job, std::span<const std::unique_ptr<Model>> models);
  void read_prefix(const Request& request, const Model& model);
  void read_terms(const Request& request);
  void read_banned(const Request& request, const text::Tokenizer& target);
};

}  // namespace dragoman::search

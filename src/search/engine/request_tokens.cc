#include "search/engine/request_tokens.h"

#include <algorithm>
#include <map>

#include "search/words.h"
#include "text/signs.h"

namespace dragoman::search {
namespace {

// Far more than a translation can hold. A word without spaces takes time for its square.
constexpr std::size_t kMostConstraintBytes = std::size_t{1} << 16;

// Number of tokens, not counting marks.
int tokens_of(const text::Encoded& encoded, const Model& model) {
  return static_cast<int>(encoded.ids.size()) - model.source_marks();
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
  if (!trimmed(request.prefix).empty()) check_words("prefix", request.prefix);
  for (const auto& [source, wanted] : request.terms)
    if (!wanted.empty()) check_words("term", wanted);
}

bool is_known(const Spelling& spelling, const text::Tokenizer& target) {
  return !spelling.ids.empty() &&
         std::find(spelling.ids.begin(), spelling.ids.end(), target.special().unknown) == spelling.ids.end();
}

int tokenize(Job& job, std::span<const std::unique_ptr<Model>> models) {
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

RequestTokens::RequestTokens(Job& job, std::span<const std::unique_ptr<Model>> models)
    : terms(*models[0], text::is_in_capitals(job.request.text)) {
  const Request& request = job.request;
  read_sources(job, models);
  std::size_t bytes = request.prefix.size();
  for (const auto& [source, wanted] : request.terms) bytes += wanted.size();
  check(bytes <= kMostConstraintBytes, "terms and prefix have {} bytes, more than the {} allowed", bytes,
        kMostConstraintBytes);
  check_constraints(request, models[0]->target());
  read_prefix(request, *models[0]);
  read_terms(request);
  read_banned(request, models[0]->target());
}

void RequestTokens::read_sources(Job& job, std::span<const std::unique_ptr<Model>> models) {
  if (job.source.empty()) tokenize(job, models);
  for (std::size_t m = 0; m < models.size(); ++m) {
    text::Encoded& encoded = job.source[m];
    const Model& model = *models[m];
    check(tokens_of(encoded, model) <= model.max_source(),
          "a sentence of {} tokens is longer than the {} that {} can take", tokens_of(encoded, model),
          model.max_source(), model.path());
    if (m == 0) source_spans = std::move(encoded.spans);
    sources.push_back(std::move(encoded.ids));
  }
}

void RequestTokens::read_prefix(const Request& request, const Model& model) {
  const text::Tokenizer& target = model.target();
  if (!request.prefix.empty()) {
    prefix = spell_prefix(target, std::string(trimmed(request.prefix)), text::is_in_capitals(request.text));
    prefix_is_exact = target.decode(prefix.ids) == prefix.text;
  } else if (!request.prefix_tokens.empty()) {
    prefix.ids = model.encode_target_tokens(request.prefix_tokens);
    prefix.text = target.decode(prefix.ids);
  }
}

void RequestTokens::read_terms(const Request& request) {
  std::map<std::string, std::size_t> given;  // how often the prefix has a target that is not taken off yet
  for (RequiredTerm& term : list_terms(request.text, request.terms)) {
    const auto [left, is_new] = given.try_emplace(term.target);
    if (is_new) left->second = count_whole(prefix.text, term.target, term.ending);
    if (left->second > 0)
      --left->second;
    else
      terms.add(std::move(term));
  }
}

// Words that the vocabulary lacks are never written, and other unknown words are not banned.
void RequestTokens::read_banned(const Request& request, const text::Tokenizer& target) {
  for (const std::string& word : request.banned)
    for (const Spelling& spelling : {spell_in_sentence(target, word), spell(target, word)})
      if (is_known(spelling, target) && (banned.empty() || banned.back() != spelling.ids))
        banned.push_back(spelling.ids);
}

}  // namespace dragoman::search

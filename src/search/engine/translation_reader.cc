#include "search/engine/translation_reader.h"

#include <algorithm>

#include "data/utf8.h"
#include "search/decode/scores.h"
#include "search/engine/explain.h"
#include "search/words.h"

namespace dragoman::search {
namespace {

// Adds words, at most one per token, where there are no literals yet.
void add_between(std::span<const Spelling> words, std::vector<Literal>& literals) {
  std::vector<Literal> all;
  std::size_t next = 0;  // in `literals`
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (next < literals.size() && literals[next].first == i) {
      all.push_back(literals[next]);
      i += literals[next++].spelling->ids.size() - 1;
    } else if (!words[i].ids.empty()) {
      all.push_back({i, &words[i]});
    }
  }
  literals = std::move(all);
}

// Byte-level pieces can form any bytes; a translation is one line of valid UTF-8. What is left of characters that were
// not finished is dropped: U+FFFD, unless the source has it.
std::string as_line(const std::string& text, std::string_view source) {
  constexpr std::string_view kReplacement = "\uFFFD";
  std::string line = data::find_invalid_utf8(text) == std::string::npos ? text : data::replace_invalid_utf8(text);
  const bool is_wanted = source.find(kReplacement) != source.npos;
  for (std::size_t at = line.find(kReplacement); !is_wanted && at != line.npos; at = line.find(kReplacement, at)) {
    line.erase(at, kReplacement.size());
    const bool joins_spaces = (at == 0 || line[at - 1] == ' ') && (at == line.size() || line[at] == ' ');
    if (joins_spaces && !line.empty()) line.erase(at == line.size() ? at - 1 : at, 1);
  }
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

TranslationResult TranslationReader::result(const DecodingTask& task, bool needs_terms) const {
  TranslationResult result;
  for (const Finished& finished : task.search->best()) {
    Candidate found = candidate(task, finished);
    // If the attempts were not enough, drop translations that still contain a banned word; and those that lack a term.
    if (contains_any_word(found.translation.text, job_.request.banned)) continue;
    if (needs_terms && tokens_.terms.are_missing_in(found.translation.text)) continue;
    if (result.translations.empty()) explain(task, finished, found, result);
    result.translations.push_back(std::move(found.translation));
  }
  for (const std::int32_t id : tokens_.sources[0]) result.source_tokens.push_back(models_[0]->source().piece(id));
  return result;
}

// The tree and the explanation of the best translation, as far as they were asked for.
void TranslationReader::explain(const DecodingTask& task, const Finished& finished, const Candidate& best,
                                TranslationResult& result) const {
  const SearchOptions& options = *job_.options;
  if (options.tree) result.tree = tree_of(task, finished);
  if (!options.explain) return;
  result.explanations.push_back(search::explain({.models = models_,
                                                 .sources = tokens_.sources,
                                                 .start = task.start,
                                                 .source_spans = tokens_.source_spans,
                                                 .source = job_.request.text,
                                                 .text = best.translation.text,
                                                 .ids = best.ids,
                                                 .spans = best.spans},
                                                options.alternatives));
  result.explanations.back().tree = options.tree ? result.tree : tree_of(task, finished);
}

std::vector<TreeNode> TranslationReader::tree_of(const DecodingTask& task, const Finished& finished) const {
  const Tree& tree = task.search->tree();
  std::vector<bool> best(static_cast<std::size_t>(tree.size()));
  for (const std::int32_t node : tree.path(finished.node)) best[static_cast<std::size_t>(node)] = true;
  std::vector<TreeNode> nodes;
  for (std::int32_t node = 0; node < tree.size(); ++node) {
    const Node& at = tree[node];
    nodes.push_back({at.parent, node == 0 ? "" : models_[0]->target().piece(at.token), at.sum,
                     score(*job_.options, at.sum, at.length), at.finished,
                     static_cast<bool>(best[static_cast<std::size_t>(node)])});
  }
  return nodes;
}

TranslationReader::Candidate TranslationReader::candidate(const DecodingTask& task, const Finished& finished) const {
  const Tree& tree = task.search->tree();
  std::vector<std::int32_t> path = tree.path(finished.node);
  Candidate candidate;
  Translation& translation = candidate.translation;
  translation.score = finished.score;
  translation.log_probability = tree[finished.node].sum;
  if (job_.options->token_scores)
    for (const std::int32_t node : path)
      translation.token_scores.push_back(static_cast<double>(tree[node].log_probability));
  path.pop_back();  // EOS
  candidate.ids = tree.tokens(finished.node);
  describe(task, path, candidate);
  std::string line = as_line(translation.text, job_.request.text);
  if (line.size() != translation.text.size()) translation.span_links.clear();  // the bytes have moved
  translation.text = std::move(line);
  return candidate;
}

void TranslationReader::describe(const DecodingTask& task, std::span<const std::int32_t> path,
                                 Candidate& candidate) const {
  const SearchOptions& options = *job_.options;
  const text::Tokenizer& target = models_[0]->target();
  const Tokens& ids = candidate.ids;
  Translation& translation = candidate.translation;
  for (const std::int32_t id : ids) translation.tokens.push_back(target.piece(id));
  Attention attention = rows_on(path, task.attention);
  const bool aligns = !attention.empty() && (options.alignment || options.replace_unknown);
  const std::vector<int> source_words = aligns ? words_of(job_.request.text, tokens_.source_spans) : std::vector<int>();
  std::vector<Literal> literals = literals_in(ids);
  std::vector<Spelling> copied;  // one per token; empty for all but unknown ones
  if (options.replace_unknown && aligns) {
    copied = copied_words(ids, attention, source_words);
    add_between(copied, literals);
  }
  if (literals.empty() && !options.alignment && !options.explain) {
    translation.text = target.decode(ids);
  } else {
    Surface surface = decode(target, ids, literals);
    translation.text = std::move(surface.text);
    candidate.spans = std::move(surface.spans);
    if (options.alignment && aligns) {
      translation.alignment = align_words(attention, source_words, words_of(translation.text, candidate.spans));
      translation.span_links =
          align_units(attention, job_.request.text, tokens_.source_spans, translation.text, candidate.spans);
      move_sources(translation.span_links, job_.offset);
    }
  }
  if (!options.attention) return;
  translation.past_attention = rows_on(path, task.past_attention);
  translation.attention = std::move(attention);
}

// The prefix and the terms that decoding does not spell as the user did.
std::vector<Literal> TranslationReader::literals_in(std::span<const std::int32_t> ids) const {
  std::vector<Literal> literals =
      tokens_.terms.literals_in(ids, tokens_.prefix_is_exact ? 0 : tokens_.prefix.ids.size());
  if (!tokens_.prefix_is_exact) literals.insert(literals.begin(), {0, &tokens_.prefix});
  return literals;
}

// For each unknown token, the source word with the most attention; not if it is banned.
std::vector<Spelling> TranslationReader::copied_words(std::span<const std::int32_t> ids, const Attention& attention,
                                                      std::span<const int> source_words) const {
  const std::int32_t unknown = models_[0]->target().special().unknown;
  std::vector<Spelling> words(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != unknown) continue;
    std::vector<float> weights = attention[i];
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (source_words[s] < 0) weights[s] = -1;
    const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
    const text::Span span = tokens_.source_spans[static_cast<std::size_t>(best)];
    const std::string word = job_.request.text.substr(span.begin, span.end - span.begin);
    if (!word.empty() && !contains_any_word(word, job_.request.banned))
      words[i] = {word, {unknown}, {{0, span.end - span.begin}}};
  }
  return words;
}

}  // namespace dragoman::search

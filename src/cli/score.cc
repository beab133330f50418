#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "data/pair_reader.h"
#include "eval/perplexity.h"
#include "search/scorer.h"
#include "search/words.h"

namespace dragoman::cli {
namespace {

struct ScoreOptions {
  std::string model, alignments;
  bool per_word = false;
  bool json = false;
  bool summary = false;

  template <class V>
  void visit(V& v) {
    v("model", model, "the model file");
    v("per-word", per_word, "also print the log probability of each word");
    v("alignments", alignments, "file to write word alignments to, as 0-0 1-2: what each word attended to most");
    v("json", json, "print one JSON object a line");
    v("summary", summary, "print the perplexity of the whole text and nothing else");
  }
};

struct WordScore {
  std::string word;
  double log_probability;
};

// Log probabilities of words: the sum over their tokens; the end mark is a word of its own.
std::vector<WordScore> by_word(const search::Model& model, const search::PairScore& score) {
  const std::span<const std::int32_t> ids = std::span(score.target).first(score.target.size() - 1);
  const std::string text = model.target().decode(ids);
  const std::vector<text::Span> spans = search::target_spans(model.target(), ids);
  const std::vector<int> words = search::words_of(text, spans);
  std::vector<WordScore> result;
  int before = -1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto value = static_cast<double>(score.log_probabilities[i]);
    const std::string piece = text.substr(spans[i].begin, spans[i].end - spans[i].begin);
    if (result.empty() || (words[i] >= 0 && words[i] != before)) {
      result.push_back({piece, value});
    } else {
      result.back().word += piece;
      result.back().log_probability += value;
    }
    before = words[i] >= 0 ? words[i] : before;
  }
  for (WordScore& word : result) word.word.erase(0, word.word.find_first_not_of(' '));
  result.push_back({"</s>", static_cast<double>(score.log_probabilities.back())});
  return result;
}

void print(const ScoreOptions& options, const search::Model& model, const search::PairScore& score,
           std::uint64_t line) {
  const std::vector<WordScore> words =
      options.per_word || options.json ? by_word(model, score) : std::vector<WordScore>();
  if (options.json) {
    nlohmann::ordered_json json{{"line", line},
                                {"log_probability", score.sum()},
                                {"tokens", score.log_probabilities.size()},
                                {"perplexity", std::exp(-score.sum() / static_cast<double>(score.target.size()))}};
    for (const WordScore& word : words) json["words"].push_back({word.word, word.log_probability});
    return fmt::print("{}\n", json.dump());
  }
  fmt::print("{:.6f}", score.sum());
  for (const WordScore& word : words) fmt::print("\t{} {:.4f}", word.word, word.log_probability);
  fmt::print("\n");
}

// Scores the pairs of two files, a window of them at a time, and prints what the options ask for.
eval::LogLikelihood score_files(const ScoreOptions& options, const std::string& source, const std::string& target) {
  constexpr std::size_t kWindow = 4096;                                    // pairs in memory at a time
  constexpr data::ReadingOptions kAllLines = {.max_line_bytes = 1 << 30};  // none is left out: a line a pair
  const search::Model model(options.model);
  const auto reader = data::PairReader::open({.source = source, .target = target}, kAllLines);
  std::optional<AtomicFile> alignments;
  if (!options.alignments.empty()) alignments.emplace(options.alignments);
  Progress progress("score", 0, "pairs");
  search::ScoringOptions scoring{.alignment = alignments.has_value(), .advance = [&](std::size_t done) {
                                   progress.advance(static_cast<std::int64_t>(done));
                                 }};
  eval::LogLikelihood total;
  std::uint64_t& line = scoring.first_line;
  for (bool more = true; more;) {
    std::vector<search::TextPair> pairs;
    for (data::Pair pair; pairs.size() < kWindow && (more = reader->next(pair));)
      pairs.push_back({pair.source, pair.target});
    const std::vector<search::PairScore> scores = search::score_pairs(model, pairs, scoring);
    for (std::size_t i = 0; i < scores.size(); ++i, ++line) {
      if (!options.summary) print(options, model, scores[i], line);
      if (alignments) alignments->write(search::to_pharaoh(scores[i].alignment) + "\n");
      total += {scores[i].sum(), std::ssize(scores[i].target), search::count_words(pairs[i].target) + 1};
    }
  }
  if (alignments) alignments->commit();
  progress.finish();
  return total;
}

int run(const Command& self, const Words& arguments) {
  return run_with<ScoreOptions>(self, arguments, [](const ScoreOptions& options, const Words& words) {
    check(!options.model.empty(), "expected a model: dragoman score --model FILE SOURCE TARGET");
    expect_words(words, 2, "expected two files, SOURCE and TARGET");
    const eval::LogLikelihood total = score_files(options, words[0], words[1]);
    check(total.tokens > 0, "{} and {} hold no pairs", words[0], words[1]);
    const std::string perplexity = fmt::format("perplexity {}, {}", total.words_for(eval::PerplexityUnit::token),
                                               total.words_for(eval::PerplexityUnit::word));
    if (options.summary)
      fmt::print("{}\n", perplexity);
    else
      log::info("{}", perplexity);
    return 0;
  });
}

}  // namespace

extern const Command score{"score", "--model FILE SOURCE TARGET", "says how likely a model finds given translations",
                           run};

}  // namespace dragoman::cli

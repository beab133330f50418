#include <nlohmann/json.hpp>

#include "base/log.h"
#include "cli/command.h"
#include "run/json_text.h"
#include "run/model_languages.h"
#include "run/output_files.h"
#include "run/score_files.h"

namespace dragoman::cli {
namespace {

struct ScoreOptions {
  std::vector<std::string> model;
  std::string alignments, from, to;
  bool per_word = false, attention = false;
  bool json = false;
  bool summary = false;

  template <class V>
  void visit(V& v) {
    v("model", model, "the model file");
    v("to", to, "target language, for a model that translates into several (`dragoman inspect` lists them)");
    v("from", from,
      "source language, for a model that has to be told; for others, only checked against the training directions");
    v("per-word", per_word, "also print the log probability of each word");
    v("alignments", alignments,
      "file to write word alignments to, as 0-0 1-2: each target word with the source word it attended to most");
    v("json", json, "print one JSON object per line, or one for the summary");
    v("attention", attention, "with --json: also print the tokens and their attention weights");
    v("summary", summary, "print only the perplexity of the whole text");
    v.only_if(
        "per-word attention", [this] { return !summary; }, "--summary prints no scores of lines");
    v.only_if(
        "per-word", [this] { return !json; }, "--json has the words anyway");
    v.only_if(
        "attention", [this] { return json; }, "attention weights are printed as JSON only; add --json");
  }
};

void print(const ScoreOptions& options, const search::Model& model, const search::PairScore& score,
           std::uint64_t line) {
  if (options.json) return fmt::print("{}\n", run::to_text(run::to_json(line, model, score)));
  fmt::print("{:.6f}", score.sum());
  if (options.per_word)
    for (const run::WordScore& word : run::score_words(model, score))
      fmt::print("\t{} {:.4f}", word.word, word.log_probability);
  fmt::print("\n");
}

std::string summary_json(const eval::LogLikelihood& total) {
  const nlohmann::ordered_json json = {{"perplexity",
                                        {{"token", total.perplexity(eval::PerplexityUnit::token)},
                                         {"word", total.perplexity(eval::PerplexityUnit::word)}}},
                                       {"log_probability", total.sum},
                                       {"tokens", total.tokens},
                                       {"words", total.words}};
  return run::to_text(json, 2);
}

int score_pairs(const ScoreOptions& options, const Words& words, const ComputeOptions& compute) {
  const std::string& model_file = one_model(options.model, "dragoman score --model FILE SOURCE TARGET");
  expect_words(words, 2, "expected two files, SOURCE and TARGET");
  if (const std::string warning = run::check_direction({model_file}, options.from, options.to); !warning.empty())
    log::warning("{}", warning);
  run::check_output_files({{"SOURCE", words[0]}, {"TARGET", words[1]}, {"--model", model_file}},
                          {{"--alignments", options.alignments}});
  const search::Model model(model_file, find_placement(compute));
  const run::ScoredFiles files{.source = words[0],
                               .target = words[1],
                               .alignments = options.alignments,
                               .to = options.to,
                               .from = options.from,
                               .attention = options.attention};
  const eval::LogLikelihood total =
      run::score_files(model, files, [&](std::uint64_t line, const search::PairScore& score) {
        if (!options.summary) print(options, model, score, line);
      });
  check(total.tokens > 0, "{} and {} hold no pairs", words[0], words[1]);
  const std::string perplexity = fmt::format("perplexity {}, {}", total.words_for(eval::PerplexityUnit::token),
                                             total.words_for(eval::PerplexityUnit::word));
  if (options.summary)
    fmt::print("{}\n", options.json ? summary_json(total) : perplexity);
  else
    log::info("{}", perplexity);
  return 0;
}

int run_score(const Command& self, const Words& arguments) {
  return run_with<ScoreOptions>(self, arguments, score_pairs);
}

}  // namespace

extern const Command score{"score",
                           "--model FILE SOURCE TARGET",
                           "prints the log probabilities of given translations",
                           run_score,
                           describe_options<ScoreOptions, ComputeOptions>,
                           "dragoman score --model run/model.safetensors source.de target.en\n"
                           "dragoman score --model run/model.safetensors source.de target.en --summary"};

}  // namespace dragoman::cli

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "data/line_writer.h"
#include "run/classification_scores.h"
#include "run/classify_lines.h"
#include "run/output_files.h"
#include "run/request_reader.h"

namespace dragoman::cli {
namespace {

struct ClassifyOptions {
  std::vector<std::string> model;
  std::string input = "-", output = "-", reference;
  int top = 0, batch = 0, max_input_tokens = 0;
  bool probabilities = false, json = false, summary = false, quiet = false;

  template <class V>
  void visit(V& v) {
    v.section("Input and output");
    v("model", model, "the model file, trained with `dragoman train --task classify`");
    v("input", input, "file of lines to classify, plain or gzip; - is stdin");
    v("output", output, "file to write labels to, compressed if its name ends in .gz; - is stdout");
    v("top", top, "labels per line, likeliest first, separated by tabs; 0 means 1, or all labels with json",
      at_least(0));
    v("probabilities", probabilities, "print a tab and the probability after each label");
    v("json", json, "print one JSON object per line, with the probabilities of the labels, or one for the summary");
    v("quiet", quiet, "print no progress on stderr");
    v.section("Measurement");
    v("reference", reference,
      "file of correct labels, one per input line, plain or gzip: also print accuracy, F1 and the confusions on "
      "stderr");
    v("summary", summary, "with --reference: print only these scores, on stdout");
    v.section("Batches and long lines");
    v("batch", batch, "lines per batch; each thread computes one batch; 0 means 32, or 256 on a GPU", at_least(0));
    v("max-input-tokens", max_input_tokens,
      "longer lines are truncated; 0 means 1024, or the model's limit if that is less", at_least(0));
    v.only_if(
        "top probabilities", [this] { return !summary; }, "--summary prints no labels of lines");
    v.only_if(
        "probabilities", [this] { return !json; }, "--json has the probabilities anyway");
  }
};

// JSON in one line; label names of damaged files may contain anything.
std::string dump(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string show(const ClassifyOptions& options, const search::ClassifierModel& model, std::uint64_t line,
                 const std::string& text, const search::Prediction& prediction) {
  if (options.json) return dump(run::to_json(line, text, model, prediction));
  std::string shown;
  for (const search::Prediction::Class& found : prediction.best) {
    if (!shown.empty()) shown += '\t';
    shown += model.labels()[static_cast<std::size_t>(found.index)];
    if (options.probabilities) shown += fmt::format("\t{:.6f}", found.probability);
  }
  return shown;
}

int classify_file(const ClassifyOptions& options, const Words& words, const ComputeOptions& compute) {
  const std::string& model_file = one_model(options.model, "dragoman classify --model FILE < input > output");
  expect_words(words, 0, "expected nothing but flags (--input names a file of lines to classify)");
  check(!options.summary || !options.reference.empty(), "--summary needs --reference FILE, the correct labels");
  run::check_output_files({{"--input", options.input}, {"--reference", options.reference}, {"--model", model_file}},
                          {{"--output", options.output}});
  if (!options.reference.empty()) run::check_line_counts(options.input, options.reference);
  const search::ClassifierModel model(model_file, find_placement(compute));
  const auto input = std::make_shared<run::RequestReader>(run::RequestFiles{.input = options.input});
  std::optional<run::ClassificationScores> scores;
  if (!options.reference.empty()) scores.emplace(options.reference, model);
  data::LineWriter out(options.output);
  std::unique_ptr<Progress> progress;
  if (!options.quiet) progress = std::make_unique<Progress>("classify", 0, "lines");
  const auto write = [&](std::uint64_t line, const std::string& text, const search::Prediction& prediction) {
    if (prediction.truncated) log::warning("line {}: too long for the model; only its beginning is classified", line);
    if (!options.summary) out.write(show(options, model, line, text, prediction));
    if (scores) scores->add(prediction);
  };
  const auto read = [input](std::string& text) {
    Request request;
    if (!input->next(request)) return false;
    text = std::move(request.text);
    return true;
  };
  const int top = options.top > 0 || options.json ? options.top : 1;
  const auto advance = [&](std::size_t lines) {
    if (progress) progress->advance(static_cast<std::int64_t>(lines));
  };
  run::classify_lines(
      model, {.top = top, .batch = options.batch, .max_input_tokens = options.max_input_tokens, .advance = advance},
      {.read = read, .write = write, .idle = [&] { out.flush(); }});
  if (progress) progress->finish();
  if (scores) scores->finish();
  if (options.summary)
    out.write(options.json ? dump(scores->json(), 2) : scores->text());
  else if (scores)
    log::info("{}", scores->text());
  out.commit();
  return 0;
}

int run_classify(const Command& self, const Words& arguments) {
  return run_with<ClassifyOptions>(self, arguments, classify_file);
}

}  // namespace

extern const Command classify{
    "classify",
    "--model FILE",
    "labels lines of text with a trained classifier",
    run_classify,
    describe_options<ClassifyOptions, ComputeOptions>,
    "dragoman classify --model run/model.safetensors < input.txt > labels.txt\n"
    "# the three likeliest labels of each line with their probabilities\n"
    "dragoman classify --model run/model.safetensors --top 3 --probabilities --input input.txt.gz\n"
    "# accuracy, F1 and confusions on a test set\n"
    "dragoman classify --model run/model.safetensors --input test.txt --reference test.labels --summary"};

}  // namespace dragoman::cli

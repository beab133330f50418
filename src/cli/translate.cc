#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/translate_options.h"
#include "cli/translation_printer.h"
#include "data/byte_source.h"
#include "run/file_queue.h"
#include "run/model_languages.h"
#include "run/output_files.h"
#include "run/ready_models.h"
#include "run/request_reader.h"
#include "run/translation_stream.h"
#include "search/engine/translate_document.h"
#include "store/safetensors.h"

namespace dragoman::cli {
namespace {

document::Format document_format(InputFormat format) {
  switch (format) {
    case InputFormat::html: return document::Format::html;
    case InputFormat::xml: return document::Format::xml;
    case InputFormat::srt: return document::Format::srt;
    case InputFormat::po: return document::Format::po;
    case InputFormat::markdown: return document::Format::markdown;
    case InputFormat::automatic:
    case InputFormat::lines:
    case InputFormat::text: break;
  }
  return document::Format::text;
}

// Takes the model that came with the program. It has one direction, so it is not told the languages.
void use_ready_model(TranslateOptions& options) {
  const run::ReadyModel model = run::ready_model(options.from, options.search.to);
  options.models = {model.file};
  options.document.language = text::language_of(model.languages.source);
  options.document.target = model.languages.target;
  options.from = options.search.to = "";
  if (!options.quiet) log::info("{} translates {}", model.file, model.languages.show());
}

// The model may also be given as the only word.
void find_models(TranslateOptions& options, const Words& words) {
  constexpr const char* kUsage = "dragoman translate --model FILE --input FILE";
  if (words.empty()) {
    if (options.models.empty()) use_ready_model(options);
    return;
  }
  check(options.models.empty() && words.size() == 1,
        "expected nothing but flags, but got '{}'; to translate a file: {}", join(words, " "), kUsage);
  try {
    const store::SafetensorsFile file(words[0]);
  } catch (const Error& error) {
    fail("expected a model, but {}; to translate a file: {}", error.what(), kUsage);
  }
  options.models = words;
}

// Tells search, translator and document what they have to know of the other options.
void complete(TranslateOptions& options, const ComputeOptions& compute) {
  SearchOptions& search = options.search;
  search.n_best = std::max(options.n_best, 1);
  search.token_scores = search.token_scores || options.json;
  search.alignment = !options.alignments.empty();
  search.attention = options.json || !options.attention_svg.empty();
  search.tree = !options.tree.empty() || !options.tree_svg.empty();
  search.explain = options.explain;
  search.from = options.from;
  options.translator.device = compute.device;
  options.translator.precision = compute.precision;
  if (!options.from.empty()) options.document.language = text::language_of(options.from);
  if (!search.to.empty()) options.document.target = search.to;
}

void check_files(const TranslateOptions& options) {
  std::vector<run::NamedFile> inputs = run::named_files("--model", options.models);
  inputs.insert(inputs.end(), {{"--input", options.input},
                               {"--terms", options.terms},
                               {"--banned", options.banned},
                               {"--prefixes", options.prefixes},
                               {"--reference", options.reference}});
  run::check_output_files(inputs, {{"--output", options.output},
                                   {"--alignments", options.alignments},
                                   {"--tree", options.tree},
                                   {"--side-by-side", options.side_by_side},
                                   {"--tree-svg", options.tree_svg},
                                   {"--attention-svg", options.attention_svg}});
}

void translate_document(const TranslateOptions& options, search::TextTranslator& translator) {
  const run::SharedConstraints constraints(options.terms, options.banned);
  translator.check_request(constraints.all(), options.search);
  std::vector<document::Document> documents;
  documents.push_back(document::Document::parse(data::read_whole(options.input),
                                                document_format(options.actual_format()), options.document));
  const search::DocumentBatch batch(std::move(documents), [&](Request& request) { constraints.add_to(request); });
  if (batch.has_inner_tags() && !translator.aligns())
    log::warning("the model does not align words: tags are placed in proportion to their place in the source");
  data::LineWriter out(options.output);
  out.write_lines(search::translate_documents(translator, batch, options.search).front());
  out.commit();
}

// Translates the lines of one file.
void translate_lines(const TranslateOptions& options, SearchOptions search, search::TextTranslator& translator) {
  if (!options.reference.empty()) run::check_line_counts(options.input, options.reference);
  if (options.draws()) run::check_has_line(options.input, static_cast<std::uint64_t>(options.line));
  const auto input = std::make_shared<run::RequestReader>(
      run::RequestFiles{options.input, options.terms, options.banned, options.prefixes, options.max_line_bytes});
  search.alignment = search.alignment || (options.json && translator.aligns());
  translator.check_request(input->constraints(), search);
  TranslationPrinter printer(options);
  std::unique_ptr<Progress> progress;
  if (!options.quiet) progress = std::make_unique<Progress>("translate", 0, "lines");
  const auto write = [&](std::uint64_t line, const Request& request, const TranslationResult& result) {
    if (result.parts > 1 && !options.translator.sentences)
      log::warning("line {}: too long for the model, cut into {}", line, counted(result.parts, "part"));
    printer.print(line, request, result);
    if (progress) progress->advance();
  };
  run::translate_lines(translator, search,
                       {.read = [input](Request& request) { return input->next(request); },
                        .write = write,
                        .idle = [&] { printer.flush(); }});
  printer.finish();
}

// What cannot be read is given up; a folder that cannot be written to ends the command.
void translate_claimed(run::FileQueue& queue, const run::FileQueue::Claim& claim, TranslateOptions& options,
                       search::TextTranslator& translator) {
  options.input = claim.input;
  options.output = claim.output;
  try {
    check_files(options);
    if (options.is_lines()) {
      run::check_readable(options.input, options.max_line_bytes);
      translate_lines(options, options.search, translator);
    } else {
      translate_document(options, translator);
    }
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    log::warning("{}: not translated", claim.input);
    queue.give_up(claim, error.what());
  }
}

// Translates files until all are finished, taken by other processes or given up.
void translate_many(run::FileQueue& queue, TranslateOptions& options, search::TextTranslator& translator) {
  translator.check_request(run::SharedConstraints(options.terms, options.banned).all(), options.search);
  while (const std::optional<run::FileQueue::Claim> claim = queue.next()) {
    if (!options.quiet) log::info("translating {} ({} of {})", claim->input, claim->number, queue.size());
    translate_claimed(queue, *claim, options, translator);
  }
  queue.tidy();
  const std::vector<std::string>& failures = queue.failures();
  const std::size_t left = queue.size() - std::min(queue.size(), queue.finished() + failures.size());
  if (!options.quiet && left > 0)
    log::info("nothing is left to take; other processes are translating {}", counted(left, "file"));
  for (const std::string& failure : failures) log::error("{}", failure);
  check(failures.empty(), "{} of {} not translated; the same command tries them again", failures.size(),
        counted(queue.size(), "file"));
  if (!options.quiet && left == 0) log::info("finished: {}", counted(queue.size(), "file"));
}

int translate_files(TranslateOptions& options, const Words& words, const ComputeOptions& compute) {
  find_models(options, words);
  const bool are_many = run::FileQueue::is_meant(options.input, options.output);
  check(!are_many || !options.is_for_one_file(),
        "--input {} means many files; prefixes, references and additional outputs are for one", options.input);
  if (!are_many) check_files(options);
  complete(options, compute);
  search::check_options(options.search);
  if (const std::string warning = run::check_direction(options.models, options.from, options.search.to);
      !warning.empty())
    log::warning("{}", warning);
  std::optional<run::FileQueue> queue;
  if (are_many) queue.emplace(options.input, options.output);
  search::TextTranslator translator(options.models, options.translator);
  if (const std::string note = translator.note(); !note.empty()) log::info("{}", note);
  if (queue)
    translate_many(*queue, options, translator);
  else if (options.is_lines())
    translate_lines(options, options.search, translator);
  else
    translate_document(options, translator);
  return 0;
}

int run_translate(const Command& self, const Words& arguments) {
  return run_with<TranslateOptions>(self, arguments, translate_files);
}

}  // namespace

extern const Command translate{
    "translate",
    "[--model FILE | --from LANGUAGE --to LANGUAGE]",
    "translates lines of text, or a document",
    run_translate,
    describe_options<TranslateOptions, ComputeOptions>,
    "# with a model that comes with the program\n"
    "echo \"Where is the station?\" | dragoman translate --to de\n"
    "# with your own\n"
    "dragoman translate --model run/model.safetensors < input.de > output.en\n"
    "# the five best translations of each line\n"
    "dragoman translate --model run/model.safetensors --beam 5 --n-best 5 --input input.de.gz\n"
    "# an ensemble, with required terms\n"
    "dragoman translate --model a.safetensors --model b.safetensors --terms terms.tsv < input.de > output.en\n"
    "# a web page, which keeps its tags\n"
    "dragoman translate --model run/model.safetensors --format html --input page.de.html --output page.en.html\n"
    "# many files, also by several processes and machines at the same time\n"
    "dragoman translate --model run/model.safetensors --input 'in/*.gz' --output out/\n"
    "# sources, references and translations side by side; the beam and the attention of line 3 drawn\n"
    "dragoman translate --model run/model.safetensors --input test.de --reference test.en --side-by-side test.tsv \\\n"
    "  --tree-svg beam.svg --attention-svg attention.svg --line 3 > output.en"};

}  // namespace dragoman::cli

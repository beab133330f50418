#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "align/alignment.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "data/byte_source.h"
#include "data/line_writer.h"
#include "run/file_queue.h"
#include "run/json_text.h"
#include "run/model_languages.h"
#include "run/output_conflicts.h"
#include "run/ready_models.h"
#include "run/request_reader.h"
#include "run/result_json.h"
#include "run/side_by_side.h"
#include "run/translation_pictures.h"
#include "run/translation_stream.h"
#include "search/options.h"
#include "search/translate_document.h"
#include "store/safetensors.h"

namespace dragoman::cli {
namespace {

// Lines are translated as they come, each by itself; the other formats are documents, which are read as a whole.
enum class InputFormat { lines, text, html, xml, srt, po };

}  // namespace
}  // namespace dragoman::cli

namespace dragoman {
template <>
struct EnumNames<cli::InputFormat> {
  static constexpr std::pair<cli::InputFormat, const char*> list[] = {
      {cli::InputFormat::lines, "lines"}, {cli::InputFormat::text, "text"}, {cli::InputFormat::html, "html"},
      {cli::InputFormat::xml, "xml"},     {cli::InputFormat::srt, "srt"},   {cli::InputFormat::po, "po"}};
};
}  // namespace dragoman

namespace dragoman::cli {
namespace {

document::Format document_format(InputFormat format) {
  switch (format) {
    case InputFormat::html: return document::Format::html;
    case InputFormat::xml: return document::Format::xml;
    case InputFormat::srt: return document::Format::srt;
    case InputFormat::po: return document::Format::po;
    case InputFormat::lines:
    case InputFormat::text: break;
  }
  return document::Format::text;
}

struct TranslateOptions {
  std::vector<std::string> models;
  std::string input = "-", output = "-", from;
  search::SearchSettings search;
  search::TranslatorSettings translator;
  int n_best = 0;
  std::int64_t max_line_bytes = run::kUsualLineBytes;
  bool json = false, explain = false;
  InputFormat format = InputFormat::lines;
  document::Options document;
  std::string terms, banned, prefixes, alignments, tree, reference, side_by_side, tree_svg, attention_svg;
  int line = 1;
  bool quiet = false;

  template <class V>
  void visit(V& v) {
    v.section("Input and output");
    v("model", models,
      "the model file; several make an ensemble; without any, the model that comes with the program for --from and "
      "--to");
    v("input", input,
      "file to translate, plain or gzip; - is stdin; a pattern in quotes ('in/*.gz') or a folder means many files");
    v("format", format,
      "lines are translated one by one; the other formats are documents that keep their structure: plain text, HTML, "
      "XML, subtitles (SubRip) and catalogues of messages (gettext)");
    v("output", output,
      "file to write translations to, once all are there, compressed if its name ends in .gz; - is stdout; of many "
      "files, the folder for files of the same names");
    v("from", from,
      "source language, for a model that has to be told; for others, only checked against the training directions");
    v.section("Search");
    search.visit(v, [this](V& here) {
      here("n-best", n_best,
           "print this many translations of each line as a list, `id ||| text ||| features ||| score`; at most as many "
           "as the beam is wide; 0 prints the best one as plain text",
           between(0, search::kMostHypotheses));
    });
    v.section("Batches and long lines");
    translator.visit(v);
    v("max-line-bytes", max_line_bytes, "maximum length of a line in bytes; a longer one is an error",
      between(64, 1 << 30));
    v.section("Input and output");
    v("json", json, "print one JSON object per line, with scores, alignment and attention");
    v("explain", explain,
      "add an explanation of the best translation to the JSON object: attention of every layer and head, likely "
      "tokens, the beam");
    v("alternatives", search.alternatives, "likely tokens per place of an explanation",
      between(0, search::kMostAlternatives));
    v.section("Control");
    v("terms", terms,
      "file of lines 'source term<TAB>target term': if the source contains the first, the translation must contain the "
      "second");
    v("banned", banned, "file of words, one per line, that translations must not contain");
    v("prefixes", prefixes, "file with one prefix per input line; the translation must start with it");
    v.section("Input and output");
    v("alignments", alignments, "file to write word alignments to, as 0-0 1-2");
    v("tree", tree, "file to write the beam of every sentence to, one JSON object per line");
    v("side-by-side", side_by_side,
      "file to write sources and translations to, one below the other; as a table if its name ends in .tsv");
    v("reference", reference, "file of reference translations, plain or gzip, to add to the side-by-side file");
    v.section("Pictures");
    v("tree-svg", tree_svg, "file to draw the beam of one sentence to, as SVG");
    v("attention-svg", attention_svg,
      "file to draw the attention of one translation to, as SVG: over the source and over the decoder's own past");
    v("line", line, "the input line that tree-svg and attention-svg draw", at_least(1));
    v.section("Input and output");
    v("quiet", quiet, "print no progress on stderr");
    v.section("Documents");
    v("ignored-tags", document.ignored, "XML elements whose text is not translated");
    v("splitting-tags", document.splitting, "XML elements that end sentences, besides those that are not beside text");
    v("non-splitting-tags", document.non_splitting, "XML elements that do not end sentences");
    v("retranslate", document.retranslate, "translate the entries of a catalogue that have a translation as well");
    v.only_if(
        "n-best json prefixes max-line-bytes alignments tree side-by-side tree-svg attention-svg",
        [this] { return format == InputFormat::lines; }, "it is for lines, and --format says that this is a document");
    v.only_if(
        "ignored-tags splitting-tags non-splitting-tags", [this] { return format == InputFormat::xml; },
        "only XML has such tags (--format xml)");
    v.only_if(
        "retranslate", [this] { return format == InputFormat::po; }, "only catalogues have translations (--format po)");
    v.only_if(
        "explain", [this] { return json; }, "explanations are part of the output of --json");
    v.only_if(
        "alternatives", [this] { return explain; }, "it needs --explain");
    v.only_if(
        "line", [this] { return draws(); }, "nothing is drawn (--tree-svg, --attention-svg)");
    v.only_if(
        "reference", [this] { return !side_by_side.empty(); }, "it adds references to the file of --side-by-side");
  }

  bool draws() const { return !tree_svg.empty() || !attention_svg.empty(); }
  // Whether more than lines and their translations is read or written.
  bool is_for_one_file() const {
    return format != InputFormat::lines || draws() || !prefixes.empty() || !reference.empty() || !alignments.empty() ||
           !tree.empty() || !side_by_side.empty();
  }
};

// Writes translations in the requested formats.
class Printer {
 public:
  explicit Printer(const TranslateOptions& options) : options_(options), out_(options.output) {
    if (!options.alignments.empty()) alignments_.emplace(options.alignments);
    if (!options.tree.empty()) tree_.emplace(options.tree);
    if (options.side_by_side.empty()) return;
    using Format = run::SideBySide::Format;
    const bool is_table = options.side_by_side.ends_with(".tsv") || options.side_by_side.ends_with(".tsv.gz");
    pairs_.emplace(is_table ? Format::tsv : Format::text, options.reference);
    side_by_side_.emplace(options.side_by_side);
    side_by_side_->write_lines(pairs_->header());
  }

  void print(std::uint64_t line, const Request& request, const TranslationResult& result) {
    const std::vector<Translation>& all = result.translations;
    if (options_.json) {
      out_.write(run::to_text(run::to_json(line, request, result)));
    } else if (options_.n_best > 0) {
      for (const Translation& t : all)
        out_.write(fmt::format("{} ||| {} ||| LogProbability= {:.6f} Tokens= {} ||| {:.6f}", line - 1, t.text,
                               t.log_probability, t.tokens.size(), t.score));
    } else {
      out_.write(all.empty() ? "" : all.front().text);
    }
    if (alignments_) alignments_->write(all.empty() ? "" : align::to_pharaoh(all.front().alignment));
    if (tree_) tree_->write(run::to_text(run::tree_to_json(line, request, result)));
    if (side_by_side_) side_by_side_->write_lines(pairs_->next(request.text, all.empty() ? "" : all.front().text));
    if (draws() && line == static_cast<std::uint64_t>(options_.line)) drawn_.emplace(request, result);
    lines_ = line;
  }

  // Hands over what is written so far.
  void flush() {
    for_each_output([](data::LineWriter& output) { output.flush(); });
  }

  // After the last line.
  void finish() {
    if (pairs_) pairs_->finish();
    for_each_output([](data::LineWriter& output) { output.commit(); });
    if (!draws()) return;
    check(drawn_.has_value(), "--line {} is to be drawn, but the input has {}", options_.line, counted(lines_, "line"));
    draw(static_cast<std::uint64_t>(options_.line), drawn_->first, drawn_->second);
  }

 private:
  template <class Action>
  void for_each_output(Action action) {
    action(out_);
    for (auto* file : {&alignments_, &tree_, &side_by_side_})
      if (*file) action(**file);
  }
  bool draws() const { return options_.draws(); }

  void draw(std::uint64_t line, const Request& request, const TranslationResult& result) const {
    const auto save = [](const std::string& path, const std::string& svg) {
      AtomicFile file(path);
      file.write(svg);
      file.commit();
    };
    if (!options_.tree_svg.empty()) save(options_.tree_svg, run::draw_beam(line, request, result));
    if (!options_.attention_svg.empty()) save(options_.attention_svg, run::draw_attention(line, result));
  }

  const TranslateOptions& options_;
  data::LineWriter out_;
  std::optional<data::LineWriter> alignments_, tree_, side_by_side_;
  std::optional<run::SideBySide> pairs_;
  // The line to draw, kept until all translations are written: one that cannot be drawn must not stop them.
  std::optional<std::pair<Request, TranslationResult>> drawn_;
  std::uint64_t lines_ = 0;
};

// Takes the model that came with the program. It has one direction, so it need not be told.
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

// What search and translator have to know of the other options.
void complete(TranslateOptions& options, const ComputeOptions& compute) {
  SearchOptions& search = options.search;
  search.n_best = std::max(options.n_best, 1);
  search.token_scores = search.token_scores || options.json;
  search.alignment = !options.alignments.empty();
  search.attention = options.json || !options.attention_svg.empty();
  search.tree = !options.tree.empty() || !options.tree_svg.empty();
  search.explain = options.explain;
  options.translator.device = compute.device;
  if (!options.from.empty()) options.document.language = text::language_of(options.from);
  if (!search.to.empty()) options.document.target = search.to;
  search.from = options.from;
  options.translator.precision = compute.precision;
}

void check_files(const TranslateOptions& options) {
  std::vector<run::NamedFile> inputs = {{"input", options.input},
                                        {"terms", options.terms},
                                        {"banned", options.banned},
                                        {"prefixes", options.prefixes},
                                        {"reference", options.reference}};
  for (const std::string& model : options.models) inputs.push_back({"model", model});
  run::check_output_conflicts(inputs, {{"output", options.output},
                                       {"alignments", options.alignments},
                                       {"tree", options.tree},
                                       {"side-by-side", options.side_by_side},
                                       {"tree-svg", options.tree_svg},
                                       {"attention-svg", options.attention_svg}});
}

int translate_document(const TranslateOptions& options) {
  const run::SharedConstraints constraints(options.terms, options.banned);
  search::TextTranslator translator(options.models, options.translator);
  translator.check_request(constraints.all(), options.search);
  std::vector<document::Document> documents;
  documents.push_back(
      document::Document::parse(data::read_whole(options.input), document_format(options.format), options.document));
  const search::DocumentBatch batch(std::move(documents), [&](Request& request) { constraints.add_to(request); });
  if (batch.has_inner_tags() && !translator.aligns())
    log::warning("the model does not align words: tags are placed in proportion to their place in the source");
  data::LineWriter out(options.output);
  out.write_lines(search::translate_documents(translator, batch, options.search).front());
  out.commit();
  return 0;
}

// Translates the lines of one file.
void translate_lines(const TranslateOptions& options, SearchOptions search, search::TextTranslator& translator) {
  if (!options.reference.empty()) run::check_line_counts(options.input, options.reference);
  if (options.draws()) run::check_has_line(options.input, static_cast<std::uint64_t>(options.line));
  const auto input = std::make_shared<run::RequestReader>(
      run::RequestFiles{options.input, options.terms, options.banned, options.prefixes, options.max_line_bytes});
  search.alignment = search.alignment || (options.json && translator.aligns());
  translator.check_request(input->constraints(), search);
  Printer printer(options);
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

// Translates files until all are finished or taken by other processes.
void translate_many(TranslateOptions& options, search::TextTranslator& translator) {
  run::FileQueue queue(options.input, options.output);
  while (const std::optional<run::FileQueue::Claim> claim = queue.next()) {
    options.input = claim->input;
    options.output = claim->output;
    check_files(options);
    if (!options.quiet) log::info("translating {} ({} of {} finished)", claim->input, queue.finished(), queue.size());
    translate_lines(options, options.search, translator);
  }
  const std::size_t left = queue.size() - queue.finished();
  if (options.quiet) return;
  if (left > 0)
    log::info("nothing is left to take; other processes are translating {}", counted(left, "file"));
  else
    log::info("all {} are translated", counted(queue.size(), "file"));
}

int translate_files(TranslateOptions& options, const Words& words, const ComputeOptions& compute) {
  find_models(options, words);
  const bool are_many = run::FileQueue::is_meant(options.input, options.output);
  check(!are_many || !options.is_for_one_file(),
        "--input {} means many files; documents, prefixes, references and additional outputs are for one",
        options.input);
  if (!are_many) check_files(options);
  complete(options, compute);
  search::check_options(options.search);
  if (const std::string warning = run::check_direction(options.models, options.from, options.search.to);
      !warning.empty())
    log::warning("{}", warning);
  if (options.format != InputFormat::lines) return translate_document(options);
  if (are_many) run::FileQueue(options.input, options.output);  // finds mistakes before the model is loaded
  search::TextTranslator translator(options.models, options.translator);
  if (const std::string note = translator.note(); !note.empty()) log::info("{}", note);
  if (are_many)
    translate_many(options, translator);
  else
    translate_lines(options, options.search, translator);
  return 0;
}

int run(const Command& self, const Words& arguments) {
  return run_with<TranslateOptions>(self, arguments, translate_files);
}

}  // namespace

extern const Command translate{
    "translate",
    "[--model FILE | --from LANGUAGE --to LANGUAGE]",
    "translates lines of text, or a document",
    run,
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

#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "document/document.h"
#include "run/file_queue.h"
#include "run/request_reader.h"
#include "search/engine/options.h"

namespace dragoman::cli {

// Lines are translated as they come, each by itself; the other formats are documents, which are read as a whole.
// `automatic` is what the name of the file says, and lines if it says nothing.
enum class InputFormat { automatic, lines, text, html, xml, srt, po, markdown };

}  // namespace dragoman::cli

template <>
struct dragoman::EnumNames<dragoman::cli::InputFormat> {
  using InputFormat = dragoman::cli::InputFormat;
  static constexpr std::pair<InputFormat, const char*> list[] = {
      {InputFormat::automatic, "auto"}, {InputFormat::lines, "lines"},      {InputFormat::text, "text"},
      {InputFormat::html, "html"},      {InputFormat::xml, "xml"},          {InputFormat::srt, "srt"},
      {InputFormat::po, "po"},          {InputFormat::markdown, "markdown"}};
};

namespace dragoman::cli {

// The settings of `dragoman translate`.
struct TranslateOptions {
  std::vector<std::string> models;
  std::string input = "-", output = "-", from;
  search::SearchSettings search;
  search::TranslatorSettings translator;
  int n_best = 0;
  std::int64_t max_line_bytes = run::kUsualLineBytes;
  bool json = false, explain = false;
  InputFormat format = InputFormat::automatic;
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
      "XML, subtitles (SubRip), catalogues of messages (gettext) and Markdown; auto is the format that the name of a "
      "file "
      "says (.md, .html, .po, .srt, .xml), and otherwise lines");
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
        [this] { return is_lines(); }, "it is for lines, and this is a document (--format)");
    v.only_if(
        "ignored-tags splitting-tags non-splitting-tags", [this] { return actual_format() == InputFormat::xml; },
        "only XML has such tags (--format xml)");
    v.only_if(
        "retranslate", [this] { return actual_format() == InputFormat::po; },
        "only catalogues have translations (--format po)");
    v.only_if(
        "explain", [this] { return json; }, "explanations are part of the output of --json");
    v.only_if(
        "alternatives", [this] { return explain; }, "it needs --explain");
    v.only_if(
        "line", [this] { return draws(); }, "nothing is drawn (--tree-svg, --attention-svg)");
    v.only_if(
        "reference", [this] { return !side_by_side.empty(); }, "it adds references to the file of --side-by-side");
  }

  // The format of the input.
  InputFormat actual_format() const;
  bool is_lines() const { return actual_format() == InputFormat::lines; }
  bool draws() const { return !tree_svg.empty() || !attention_svg.empty(); }
  // Whether more than texts and their translations is read or written.
  bool is_for_one_file() const {
    return draws() || !prefixes.empty() || !reference.empty() || !alignments.empty() || !tree.empty() ||
           !side_by_side.empty();
  }
};

inline InputFormat TranslateOptions::actual_format() const {
  constexpr std::pair<std::string_view, InputFormat> kEndings[] = {
      {".md", InputFormat::markdown}, {".markdown", InputFormat::markdown},
      {".html", InputFormat::html},   {".htm", InputFormat::html},
      {".po", InputFormat::po},       {".srt", InputFormat::srt},
      {".xml", InputFormat::xml}};
  if (format != InputFormat::automatic) return format;
  if (run::FileQueue::is_meant(input, output)) return InputFormat::lines;  // each of them has its own
  std::string_view name = input;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  for (const auto& [ending, meant] : kEndings)
    if (name.ends_with(ending)) return meant;
  return InputFormat::lines;
}

}  // namespace dragoman::cli

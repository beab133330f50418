#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "text/language_tags.h"

namespace dragoman::data {

enum class Format { automatic, lines, tsv, csv };
enum class InvalidUtf8 { fail, replace, skip };

// Where sentence pairs come from: two files with one sentence per line, or one file with columns.
struct Corpus {
  std::string source;  // path; "-" is standard input; gzip is recognised by content
  std::string target;  // empty if both sides are columns of `source`, or if there is only one side (`lines`)
  Format format = Format::lines;
  std::string source_column = "1", target_column = "2";  // a number from 1, or a name in the header line
  bool header = false;                                   // the first record contains the column names
  double weight = 1;                                     // how often an epoch shows each pair
  std::optional<text::LanguagePair> languages{};         // if the model translates between several
};

// How to treat invalid input.
struct ReadingOptions {
  InvalidUtf8 invalid_utf8 = InvalidUtf8::fail;
  std::int64_t max_line_bytes = 1 << 20;

  template <class V>
  void visit(V& v) {
    v("invalid-utf8", invalid_utf8, "what to do with text that is not valid UTF-8 or contains NUL bytes");
    v("max-line-bytes", max_line_bytes, "maximum length of a line in bytes; longer lines are skipped and counted",
      between(64, 1 << 30));
  }
};

// Whether a single file of this format and name has one sentence per line instead of columns.
bool is_text(std::string_view path, Format format);

// Settings that describe one or more corpora.
struct CorpusOptions {
  std::vector<std::string> source, target, weight;
  std::vector<std::string> languages{};  // as in en-de, one per source file; no setting of most commands
  Format format = Format::automatic;
  std::string source_column = "1", target_column = "2";
  bool header = false;

  template <class V>
  void visit(V& v) {
    visit_files(v);
    v("weight", weight, "how often an epoch shows each pair of a corpus, one number per source file");
    visit_columns(v);
  }
  // Only which files there are.
  template <class V>
  void visit_files(V& v) {
    v("source", source, "files of source sentences, or files with both sides in columns (tsv, csv)");
    v("target", target, "files of target sentences, one per source file");
  }
  // The settings of the format alone, for commands that take files as arguments.
  template <class V>
  void visit_columns(V& v) {
    v("format", format, "format of the corpus: lines (two files), tsv or csv; automatic decides by file name");
    v("source-column", source_column, "tsv, csv: column of the source, a number from 1 or a name in the header");
    v("target-column", target_column, "tsv, csv: column of the target (or of the label)");
    v("header", header, "tsv, csv: the first line contains the column names");
  }

  // One entry per corpus. Throws if lists differ in length or a side is missing.
  std::vector<Corpus> corpora() const;
};

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::Format> {
  using Format = dragoman::data::Format;
  static constexpr std::pair<Format, const char*> list[] = {
      {Format::automatic, "automatic"}, {Format::lines, "lines"}, {Format::tsv, "tsv"}, {Format::csv, "csv"}};
};

template <>
struct dragoman::EnumNames<dragoman::data::InvalidUtf8> {
  using InvalidUtf8 = dragoman::data::InvalidUtf8;
  static constexpr std::pair<InvalidUtf8, const char*> list[] = {
      {InvalidUtf8::fail, "fail"}, {InvalidUtf8::replace, "replace"}, {InvalidUtf8::skip, "skip"}};
};

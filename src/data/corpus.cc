#include "data/corpus.h"

#include <string_view>

#include "base/counted.h"

namespace dragoman::data {
namespace {

// The format of a file without a partner, by its name.
Format format_by_name(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".csv")) return Format::csv;
  if (path.ends_with(".tsv") || path.ends_with(".txt") || path == "-") return Format::tsv;
  return Format::lines;
}

Format format_of(const Corpus& corpus) {
  if (!corpus.target.empty()) return Format::lines;
  const Format format = format_by_name(corpus.source);
  check(format != Format::lines,
        "{}: expected a target file too (--target), or both sides in the columns of one file, whose name ends in .tsv "
        "or .csv or whose format is given (--format tsv)",
        corpus.source);
  return format;
}

void check_sides(const Corpus& corpus) {
  if (corpus.format == Format::lines) {
    check(!corpus.target.empty(), "{}: the format 'lines' needs a target file too", corpus.source);
    check(corpus.source != "-" || corpus.target != "-", "both sides cannot come from standard input; use --format tsv");
  } else {
    check(corpus.target.empty(), "{}: the format '{}' has both sides in one file, but a target file '{}' was given",
          corpus.source, name_of(corpus.format), corpus.target);
  }
}

}  // namespace

bool is_text(std::string_view path, Format format) {
  return (format == Format::automatic ? format_by_name(path) : format) == Format::lines;
}

std::vector<Corpus> CorpusOptions::corpora() const {
  check(!source.empty(),
        "expected a corpus, but no source file is given: --source FILE --target FILE, or --source FILE.tsv with both "
        "sides in columns");
  const auto expect_one_each = [&](const std::vector<std::string>& list, std::string_view thing) {
    check(list.empty() || list.size() == source.size(), "{} but {}; give one for each source file",
          counted(source.size(), "source file"), counted(list.size(), thing));
  };
  expect_one_each(target, "target file");
  expect_one_each(weight, "weight");
  expect_one_each(languages, "language pair");
  std::vector<Corpus> all;
  for (std::size_t i = 0; i < source.size(); ++i) {
    Corpus corpus{.source = source[i],
                  .target = target.empty() ? "" : target[i],
                  .format = format,
                  .source_column = source_column,
                  .target_column = target_column,
                  .header = header};
    if (format == Format::automatic) corpus.format = format_of(corpus);
    if (!weight.empty()) corpus.weight = text_value::parse_number(weight[i]);
    if (!languages.empty()) corpus.languages = text::LanguagePair::parse(languages[i]);
    check(corpus.weight > 0 && corpus.weight <= 1000, "{}: expected a weight above 0 and up to 1000 but got {}",
          corpus.source, corpus.weight);
    check_sides(corpus);
    all.push_back(std::move(corpus));
  }
  return all;
}

}  // namespace dragoman::data

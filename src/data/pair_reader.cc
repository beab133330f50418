#include "data/pair_reader.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/quote.h"
#include "data/csv.h"
#include "data/line_reader.h"
#include "data/utf8.h"

namespace dragoman::data {
namespace {

// Two files with one sentence per line.
class LinesReader final : public PairReader {
 public:
  LinesReader(const Corpus& corpus, const ReadingOptions& options)
      : PairReader(options), source_(open_lines(corpus.source)), target_(open_lines(corpus.target)) {}

 private:
  LineReader open_lines(const std::string& path) const {
    return {open_bytes(path), static_cast<std::size_t>(options_.max_line_bytes)};
  }

  Got read(Pair& pair) override {
    Line source, target;
    const bool has_source = source_.next(source);
    const bool has_target = target_.next(target);
    if (has_source != has_target) fail_unequal(has_source ? source_ : target_);
    if (!has_source) return Got::end;
    pair.source.assign(source.text);
    pair.target.assign(target.text);
    pair.line = source.number;
    return source.oversized || target.oversized ? Got::oversized : Got::pair;
  }

  [[noreturn]] void fail_unequal(LineReader& longer) {
    const std::uint64_t lonely = longer.count();
    for (Line line; longer.next(line);) {
    }
    fail("{} has {} but {} has {}: {}:{} has no partner", source_.name(), counted(source_.count(), "line"),
         target_.name(), target_.count(), longer.name(), lonely);
  }

  const std::string& source_name() const override { return source_.name(); }
  const std::string& target_name() const override { return target_.name(); }

  LineReader source_, target_;
};

// One file with one sentence per line, which is both sides of its pair.
class OneSideReader final : public PairReader {
 public:
  OneSideReader(const Corpus& corpus, const ReadingOptions& options)
      : PairReader(options), lines_(open_bytes(corpus.source), static_cast<std::size_t>(options.max_line_bytes)) {}

 private:
  Got read(Pair& pair) override {
    Line line;
    if (!lines_.next(line)) return Got::end;
    pair = {std::string(line.text), std::string(line.text), line.number};
    return line.oversized ? Got::oversized : Got::pair;
  }

  const std::string& source_name() const override { return lines_.name(); }
  const std::string& target_name() const override { return lines_.name(); }

  LineReader lines_;
};

// Finds the two columns of a record and checks that all records have the same number of columns.
class Columns {
 public:
  Columns(const Corpus& corpus, const std::string& name)
      : corpus_(corpus), name_(name), source_(number(corpus.source_column)), target_(number(corpus.target_column)) {
    for (const std::string& column : {corpus.source_column, corpus.target_column})
      check(corpus.header || number(column) > 0,
            "{}: expected the number of a column, from 1, but got '{}'; a name needs --header", name, excerpt(column));
  }

  // Parses the header if the corpus has one; returns true if `fields` was the header.
  template <class Field>
  bool is_header(const std::vector<Field>& fields) {
    if (!corpus_.header || width_ > 0) return false;
    if (source_ == 0) source_ = find(fields, corpus_.source_column);
    if (target_ == 0) target_ = find(fields, corpus_.target_column);
    width_ = fields.size();
    return true;
  }

  template <class Field>
  void pick(const std::vector<Field>& fields, std::uint64_t line, Pair& pair) {
    const std::size_t needed = std::max(source_, target_);
    check(fields.size() >= needed, "{}:{}: expected at least {} separated by {} but got {}{}", name_, line,
          counted(needed, "column"), corpus_.format == Format::csv ? "commas" : "tabs", fields.size(),
          fields.size() == 1 && width_ == 0 ? "; a file of plain sentences is read with --format lines" : "");
    if (width_ == 0) width_ = fields.size();
    check(fields.size() == width_, "{}:{}: expected {} as on the first line but got {}", name_, line,
          counted(width_, "column"), fields.size());
    pair.source.assign(fields[source_ - 1]);
    pair.target.assign(fields[target_ - 1]);
    pair.line = line;
  }

 private:
  // 0 if the column is a name.
  static std::size_t number(const std::string& text) {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc() && end == text.data() + text.size() ? value : 0;
  }

  template <class Field>
  std::size_t find(const std::vector<Field>& fields, const std::string& wanted) const {
    const auto at = std::find(fields.begin(), fields.end(), wanted);
    if (at != fields.end()) return static_cast<std::size_t>(at - fields.begin()) + 1;
    std::string known;
    for (const Field& field : fields) known += (known.empty() ? "" : ", ") + std::string(field);
    fail("{}:1: expected a column '{}' but the header has {}", name_, wanted, excerpt(known));
  }

  Corpus corpus_;
  std::string name_;
  std::size_t source_, target_;  // from 1
  std::size_t width_ = 0;
};

// One file with tab-separated fields, never quoted. A blank line is a pair of empty sentences, as in two files of
// lines.
class TsvReader final : public PairReader {
 public:
  TsvReader(const Corpus& corpus, const ReadingOptions& options)
      : PairReader(options),
        lines_(open_bytes(corpus.source), static_cast<std::size_t>(options.max_line_bytes)),
        columns_(corpus, lines_.name()) {}

 private:
  Got read(Pair& pair) override {
    Line line;
    do {
      if (!lines_.next(line)) return Got::end;
      if (line.oversized) return Got::oversized;
      if (is_blank(line.text)) {
        pair = {"", "", line.number};
        return Got::pair;
      }
      split(line.text);
    } while (columns_.is_header(fields_));
    columns_.pick(fields_, line.number, pair);
    return Got::pair;
  }

  static bool is_blank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

  void split(std::string_view text) {
    fields_.clear();
    for (;;) {
      const std::size_t tab = text.find('\t');
      fields_.push_back(text.substr(0, tab));
      if (tab == std::string_view::npos) return;
      text.remove_prefix(tab + 1);
    }
  }

  const std::string& source_name() const override { return lines_.name(); }
  const std::string& target_name() const override { return lines_.name(); }

  LineReader lines_;
  Columns columns_;
  std::vector<std::string_view> fields_;
};

// One file of comma-separated values. Line ends inside a field become spaces, because sentences are single lines.
class CsvPairs final : public PairReader {
 public:
  CsvPairs(const Corpus& corpus, const ReadingOptions& options)
      : PairReader(options),
        csv_(open_bytes(corpus.source), static_cast<std::size_t>(options.max_line_bytes)),
        columns_(corpus, csv_.name()) {}

 private:
  Got read(Pair& pair) override {
    do {
      if (!csv_.next(fields_)) return Got::end;
    } while (columns_.is_header(fields_));
    columns_.pick(fields_, csv_.line(), pair);
    for (std::string* side : {&pair.source, &pair.target})
      std::replace_if(
          side->begin(), side->end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return Got::pair;
  }

  const std::string& source_name() const override { return csv_.name(); }
  const std::string& target_name() const override { return csv_.name(); }

  CsvReader csv_;
  Columns columns_;
  std::vector<std::string> fields_;
};

}  // namespace

ReadingReport& ReadingReport::operator+=(const ReadingReport& other) {
  pairs += other.pairs;
  skipped_utf8 += other.skipped_utf8;
  replaced_utf8 += other.replaced_utf8;
  skipped_length += other.skipped_length;
  return *this;
}

std::unique_ptr<PairReader> PairReader::open(const Corpus& corpus, const ReadingOptions& options) {
  switch (corpus.format) {
    case Format::tsv: return std::make_unique<TsvReader>(corpus, options);
    case Format::csv: return std::make_unique<CsvPairs>(corpus, options);
    default: break;
  }
  if (corpus.target.empty()) return std::make_unique<OneSideReader>(corpus, options);
  return std::make_unique<LinesReader>(corpus, options);
}

bool PairReader::next(Pair& pair) {
  for (;;) {
    const Got got = read(pair);
    if (got == Got::end) return false;
    if (got == Got::oversized) {
      ++report_.skipped_length;
      continue;
    }
    if (!make_valid(pair)) {
      ++report_.skipped_utf8;
      continue;
    }
    ++report_.pairs;
    return true;
  }
}

bool PairReader::make_valid(Pair& pair) {
  bool repaired = false;
  for (const bool is_source : {true, false}) {
    std::string& text = is_source ? pair.source : pair.target;
    const std::size_t bad = find_invalid_utf8(text);
    if (bad == std::string::npos) continue;
    if (options_.invalid_utf8 == InvalidUtf8::skip) return false;
    check(options_.invalid_utf8 == InvalidUtf8::replace,
          "{}:{}: byte {} of the sentence is {} (0x{:02X}); use --invalid-utf8 replace or skip to continue",
          is_source ? source_name() : target_name(), pair.line, bad + 1, text[bad] == 0 ? "NUL" : "not valid UTF-8",
          static_cast<unsigned char>(text[bad]));
    text = replace_invalid_utf8(text);
    repaired = true;
  }
  report_.replaced_utf8 += repaired ? 1 : 0;
  return true;
}

}  // namespace dragoman::data

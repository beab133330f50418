#pragma once

#include <optional>
#include <string>

#include "data/line_reader.h"

namespace dragoman::run {

// Sources, references and outputs as text to read or as a table.
class SideBySide {
 public:
  enum class Format {
    text,  // a line each for source, reference and output, with a blank line after every sentence
    tsv    // columns separated by tabs, below a line with their names; tabs in a sentence become spaces
  };

  // `references` has one line per source, plain or gzip; empty means that there are none.
  SideBySide(Format format, const std::string& references);

  // What comes before the first sentence; may be empty.
  std::string header() const;
  // The next sentence, with its reference. Throws Error if the references have ended.
  std::string next(const std::string& source, const std::string& output);
  // Throws Error if references are left over.
  void finish();

 private:
  Format format_;
  std::string path_;
  std::optional<data::LineReader> references_;
  std::uint64_t sentences_ = 0;
};

}  // namespace dragoman::run

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cli/translate_options.h"
#include "data/line_writer.h"
#include "dragoman/translator.h"
#include "run/side_by_side.h"

namespace dragoman::cli {

// Writes translations in the formats that the options ask for.
class TranslationPrinter {
 public:
  explicit TranslationPrinter(const TranslateOptions& options);

  void print(std::uint64_t line, const Request& request, const TranslationResult& result);
  // Hands over what is written so far.
  void flush();
  // After the last line.
  void finish();

 private:
  template <class Action>
  void for_each_output(Action action);
  void draw(std::uint64_t line, const Request& request, const TranslationResult& result) const;

  const TranslateOptions& options_;
  data::LineWriter out_;
  std::optional<data::LineWriter> alignments_, tree_, side_by_side_;
  std::optional<run::SideBySide> pairs_;
  // The line to draw, kept until all translations are written: one that cannot be drawn must not stop them.
  std::optional<std::pair<Request, TranslationResult>> drawn_;
  std::uint64_t lines_ = 0;
};

}  // namespace dragoman::cli

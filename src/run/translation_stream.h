#pragma once

#include <cstdint>
#include <functional>

#include "search/engine/text_translator.h"

namespace dragoman::run {

// The two ends of a stream of translations.
struct TranslationStream {
  // Reads the next request; false at the end. Called on its own thread. If translating or writing fails while it waits
  // for input, it outlives translate_lines(), so it must own everything it uses.
  std::function<bool(Request&)> read;
  // Called in order, on the caller's thread; lines count from 1.
  std::function<void(std::uint64_t line, const Request&, const TranslationResult&)> write;
  // Called when the next translation is not ready yet, for instance to flush the output.
  std::function<void()> idle = [] {};
};

// Translates requests as they arrive and writes the translations in the same order. Reads a bounded number of lines
// ahead and translates each line as soon as it is read, so a slow producer gets each translation without waiting for
// further input. Rethrows exceptions of reading, translating and writing.
void translate_lines(search::TextTranslator& translator, const SearchOptions& options, const TranslationStream& stream);

}  // namespace dragoman::run

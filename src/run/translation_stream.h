#pragma once

#include <cstdint>
#include <functional>

#include "search/text_translator.h"

namespace dragoman::run {

// The two ends of a stream of translations.
struct TranslationStream {
  // Gives the next request; false at the end. Called on a thread of its own. It outlives the call if translating or
  // writing fails while it waits for input, so it must own what it uses.
  std::function<bool(Request&)> read;
  // Called in order, on the caller's thread; lines count from 1.
  std::function<void(std::uint64_t line, const Request&, const TranslationResult&)> write;
  // Called when the next translation is not ready yet: a time to flush.
  std::function<void()> idle = [] {};
};

// Translates requests as they arrive and writes the translations in the same order. Reads a bounded number of lines
// ahead of writing and translates what has been read at once, so the line of a slow producer waits for no other. Throws
// what reading, translating or writing threw.
void translate_lines(search::TextTranslator& translator, const SearchOptions& options, const TranslationStream& stream);

}  // namespace dragoman::run

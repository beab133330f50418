#pragma once

#include <memory>
#include <span>

#include "dragoman/explanation.h"
#include "search/engine/model.h"

namespace dragoman::search {

// A translation that a search has found.
struct FoundTranslation {
  std::span<const std::unique_ptr<Model>> models;
  std::span<const Tokens> sources;           // the source tokens of each model, marks included
  const Tokens& start;                       // what the decoder reads before the translation
  std::span<const text::Span> source_spans;  // the bytes of the first model's source tokens
  const std::string& source;
  const std::string& text;
  const Tokens& ids;                  // its tokens, without EOS
  std::span<const text::Span> spans;  // their bytes of the text
};

// Decodes the translation once more, all tokens at once (forced decoding), and reads the attention of every layer and
// the `alternatives` likeliest tokens of each place. The tree is left to the caller, which has the search.
Explanation explain(const FoundTranslation& found, int alternatives);

}  // namespace dragoman::search

#pragma once

#include <cstdint>
#include <string>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/token_store.h"
#include "text/tokenizer.h"

namespace dragoman::data {

// A corpus and everything that determines its tokens. The tokenizers must outlive it.
struct TokenRequest {
  Corpus corpus;
  ReadingOptions reading;
  FilterOptions filters;
  const text::Tokenizer* source = nullptr;
  const text::Tokenizer* target = nullptr;
  bool keep_text = false;    // needed for subword regularisation
  std::string cache_folder;  // empty: beside the corpus, or in the user's cache if that is not writable
};

// Returns the tokens of a corpus: from the cached store if neither the corpus nor the settings have changed, otherwise
// tokenised now, on all threads, in bounded memory. Concurrent processes share one file, which is made once. A corpus
// on standard input is tokenised into an anonymous file. If a file was written, `written` receives its path.
TokenStore open_tokens(const TokenRequest& request, std::string* written = nullptr);

// Tokenises the corpus into a new store at `path` with `key`.
void tokenize_corpus(const TokenRequest& request, const std::string& path, std::uint64_t key);

// Where open_tokens() keeps the store, if the folder of the corpus or the cache folder is writable.
std::string token_store_path(const TokenRequest& request);

}  // namespace dragoman::data

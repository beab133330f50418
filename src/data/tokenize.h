#pragma once

#include <cstdint>
#include <string>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/token_store.h"
#include "text/tokenizer.h"

namespace dragoman::data {

// A corpus and all that decides what its tokens are. The tokenizers must outlive it.
struct TokenRequest {
  Corpus corpus;
  ReadingOptions reading;
  FilterOptions filters;
  const text::Tokenizer* source = nullptr;
  const text::Tokenizer* target = nullptr;
  bool keep_text = false;    // for segmentations drawn anew each epoch
  std::string cache_folder;  // empty: beside the corpus, or in the user's cache where that is not writable
};

// The tokens of a corpus: from the store an earlier run left, when neither the corpus nor the settings changed since,
// otherwise made now, on all threads, in bounded memory. Two processes that ask at once get the same file, made once.
// A corpus on standard input is tokenised into a file without a name.
TokenStore open_tokens(const TokenRequest& request);

// Tokenises the corpus into a new store at `path` under `key`.
void tokenize_corpus(const TokenRequest& request, const std::string& path, std::uint64_t key);

// Where open_tokens keeps the store when it can write beside the corpus or to the cache folder.
std::string token_store_path(const TokenRequest& request);

}  // namespace dragoman::data

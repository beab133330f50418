#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "dragoman/translator.h"
#include "serve/shares.h"

namespace dragoman::serve {

// Recent translations, within a bound of bytes that clients share; the ones that were not asked for longest leave
// first.
class TranslationCache {
 public:
  explicit TranslationCache(std::size_t most_bytes) : most_(most_bytes), bytes_(most_bytes, Shares::Rule::cache) {}

  std::optional<TranslationResult> find(const std::string& key);
  // Keeps the texts, scores and alignments of the translations.
  void add(const std::string& client, const std::string& key, const TranslationResult& result);

  struct Counts {
    std::size_t bytes = 0, entries = 0;
    std::uint64_t hits = 0, misses = 0;
  };
  Counts counts() const;

 private:
  struct Entry {
    TranslationResult result;
    std::unique_ptr<Shares::Holding> bytes;
  };

  mutable std::mutex mutex_;
  std::size_t most_;
  Shares bytes_;
  std::uint64_t hits_ = 0, misses_ = 0;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace dragoman::serve

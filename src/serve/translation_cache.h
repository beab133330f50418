#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "dragoman/translator.h"

namespace dragoman::serve {

// Recent translations, within a bound of bytes; the ones that were not asked for longest leave first.
class TranslationCache {
 public:
  explicit TranslationCache(std::size_t most_bytes) : most_(most_bytes) {}

  std::optional<TranslationResult> find(const std::string& key);
  // Keeps the texts, scores and alignments of the translations.
  void add(const std::string& key, const TranslationResult& result);

  struct Counts {
    std::size_t bytes = 0, entries = 0;
    std::uint64_t hits = 0, misses = 0;
  };
  Counts counts() const;

 private:
  struct Entry {
    std::string key;
    TranslationResult result;
    std::size_t bytes = 0;
  };

  mutable std::mutex mutex_;
  std::size_t most_, bytes_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
  std::list<Entry> entries_;  // the last one asked for first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace dragoman::serve

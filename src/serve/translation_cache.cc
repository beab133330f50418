#include "serve/translation_cache.h"

namespace dragoman::serve {
namespace {

// Lists, tables and allocations of an entry, about.
constexpr std::size_t kOverhead = 256;

TranslationResult what_is_kept(const TranslationResult& result) {
  TranslationResult kept;
  kept.parts = result.parts;
  for (const Translation& translation : result.translations) {
    Translation& copy = kept.translations.emplace_back();
    copy.text = translation.text;
    copy.score = translation.score;
    copy.log_probability = translation.log_probability;
    copy.alignment = translation.alignment;
    copy.span_links = translation.span_links;
  }
  return kept;
}

std::size_t bytes_of(const std::string& key, const TranslationResult& result) {
  std::size_t bytes = kOverhead + 2 * key.size();
  for (const Translation& translation : result.translations)
    bytes += sizeof translation + translation.text.size() + translation.alignment.size() * sizeof(AlignmentLink) +
             translation.span_links.size() * sizeof(SpanLink);
  return bytes;
}

}  // namespace

std::optional<TranslationResult> TranslationCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->result;
}

void TranslationCache::add(const std::string& key, const TranslationResult& result) {
  Entry entry{key, what_is_kept(result), 0};
  entry.bytes = bytes_of(key, entry.result);
  const std::lock_guard lock(mutex_);
  if (entry.bytes > most_ || by_key_.contains(key)) return;
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  by_key_[key] = entries_.begin();
  while (bytes_ > most_) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

TranslationCache::Counts TranslationCache::counts() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, entries_.size(), hits_, misses_};
}

}  // namespace dragoman::serve

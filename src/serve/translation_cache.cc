#include "serve/translation_cache.h"

namespace dragoman::serve {
namespace {

// Lists, tables and allocations of an entry, about.
constexpr std::size_t kOverhead = 512;

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
  const auto found = entries_.find(key);
  ++(found == entries_.end() ? misses_ : hits_);
  if (found == entries_.end()) return std::nullopt;
  found->second.bytes->touch();
  return found->second.result;
}

void TranslationCache::add(const std::string& client, const std::string& key, const TranslationResult& result) {
  TranslationResult kept = what_is_kept(result);
  const std::size_t bytes = bytes_of(key, kept);
  const std::lock_guard lock(mutex_);
  if (bytes > most_ || entries_.contains(key)) return;
  if (auto holding = bytes_.take(client, bytes, [this, key] { entries_.erase(key); }))
    entries_[key] = {std::move(kept), std::move(holding)};
}

TranslationCache::Counts TranslationCache::counts() const {
  const std::lock_guard lock(mutex_);
  return {bytes_.total(), entries_.size(), hits_, misses_};
}

}  // namespace dragoman::serve

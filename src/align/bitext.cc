#include "align/bitext.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::align {

WordIds::WordIds(std::vector<std::string> keys) : keys_(std::move(keys)), counts_(keys_.size()) {
  check(!keys_.empty(), "expected a word list with an entry for id 0, but the list is empty");
  for (std::size_t id = 1; id < keys_.size(); ++id)
    check(ids_.emplace(keys_[id], static_cast<std::int32_t>(id)).second, "entry {} of a word list occurs twice", id);
}

std::int32_t WordIds::add(const std::string& key) {
  const auto [found, is_new] = ids_.emplace(key, size());
  if (is_new) {
    keys_.push_back(key);
    counts_.push_back(0);
  }
  ++counts_[found->second];
  return found->second;
}

std::int32_t WordIds::find(const std::string& key) const {
  const auto found = ids_.find(key);
  return found == ids_.end() ? 0 : found->second;
}

std::vector<std::int32_t> WordIds::cut(std::int64_t min_count) {
  std::vector<std::int32_t> renamed(keys_.size());
  WordIds kept;
  for (std::size_t id = 1; id < keys_.size(); ++id) {
    if (counts_[id] < min_count) {
      kept.counts_[0] += counts_[id];
      continue;
    }
    renamed[id] = kept.add(keys_[id]);
    kept.counts_[renamed[id]] = counts_[id];
  }
  *this = std::move(kept);
  return renamed;
}

void IdText::add(std::span<const std::string> words) {
  for (const std::string& word : words) {
    // The key of a surface form is computed once.
    const auto [found, is_new] = surface_.try_emplace(word, 0);
    if (is_new)
      found->second = words_.add(side_.key(word));
    else
      words_.count(found->second);
    ids_.push_back(found->second);
  }
  begin_.push_back(ids_.size());
}

void IdText::empty_last() {
  ids_.resize(begin_[begin_.size() - 2]);
  begin_.back() = ids_.size();
}

void IdText::cut(std::int64_t min_count) {
  const std::vector<std::int32_t> renamed = words_.cut(min_count);
  for (std::int32_t& id : ids_) id = renamed[id];
  surface_.clear();
}

void Bitext::add(std::string_view source, std::string_view target, bool plain) {
  add(source_.side().words(source, plain), target_.side().words(target, plain));
}

void Bitext::add(std::span<const std::string> source, std::span<const std::string> target) {
  source_.add(source);
  target_.add(target);
  const std::size_t at = size() - 1;
  const std::size_t shorter = std::min(source_.length(at), target_.length(at));
  const std::size_t longer = std::max(source_.length(at), target_.length(at));
  if (shorter > 0 && longer <= max_words_) return;
  one_sided_ += shorter == 0 && longer > 0;
  too_long_ += shorter > 0;
  source_.empty_last();
  target_.empty_last();
}

void Bitext::cut(std::int64_t min_count) {
  source_.cut(min_count);
  target_.cut(min_count);
}

}  // namespace dragoman::align

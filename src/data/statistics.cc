#include "data/statistics.h"

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "data/words.h"

namespace dragoman::data {

void SideStatistics::add(std::string_view sentence) {
  const std::uint64_t length = tokenizer_ ? add_pieces(sentence) : add_words(sentence);
  ++sentences_;
  tokens_ += length;
  ++lengths_[length];
}

std::uint64_t SideStatistics::add_words(std::string_view sentence) {
  std::uint64_t length = 0;
  for_each_word(sentence, [&](std::string_view word) {
    ++length;
    const auto at = counts_.find(word);
    if (at != counts_.end())
      ++at->second;
    else
      counts_.emplace(word, 1);
  });
  return length;
}

std::uint64_t SideStatistics::add_pieces(std::string_view sentence) {
  ids_.clear();
  tokenizer_->encode(sentence, ids_);
  count_of_id_.resize(static_cast<std::size_t>(tokenizer_->size()));
  for (const std::int32_t id : ids_) {
    std::uint64_t*& count = count_of_id_[static_cast<std::size_t>(id)];
    if (!count) count = &counts_[tokenizer_->piece(id)];
    ++*count;
  }
  return ids_.size();
}

std::uint64_t SideStatistics::singletons() const {
  return static_cast<std::uint64_t>(
      std::count_if(counts_.begin(), counts_.end(), [](const auto& entry) { return entry.second == 1; }));
}

double SideStatistics::mean_length() const {
  return sentences_ == 0 ? 0.0 : static_cast<double>(tokens_) / static_cast<double>(sentences_);
}

VocabularyCounts SideStatistics::vocabulary(std::uint64_t min_count) const {
  VocabularyCounts result;
  for (const auto& [word, count] : counts_) {
    if (count >= min_count)
      ++result.types;
    else
      result.unknown_tokens += count;
  }
  return result;
}

std::uint64_t SideStatistics::shared_types(const SideStatistics& a, const SideStatistics& b, std::uint64_t min_count) {
  std::uint64_t shared = 0;
  for (const auto& [word, count] : a.counts_) {
    if (count < min_count) continue;
    const auto other = b.counts_.find(word);
    shared += other != b.counts_.end() && other->second >= min_count ? 1 : 0;
  }
  return shared;
}

std::string length_histogram(const SideStatistics& side, int rows, int width) {
  if (side.sentences() == 0) return "";
  const std::uint64_t low = side.min_length(), span = side.max_length() - low + 1;
  const auto most_rows = static_cast<std::uint64_t>(std::max(1, rows));
  const std::uint64_t step = (span + most_rows - 1) / most_rows;
  std::vector<std::uint64_t> bins((span + step - 1) / step);
  for (const auto& [length, count] : side.lengths()) bins[(length - low) / step] += count;
  const std::uint64_t highest = *std::max_element(bins.begin(), bins.end());
  std::string text;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::uint64_t first = low + i * step, last = std::min(first + step - 1, side.max_length());
    const auto bar = static_cast<std::size_t>(bins[i] * static_cast<std::uint64_t>(width) / highest);
    text += fmt::format("{:>6}{} {:>11} {}\n", first, first == last ? "       " : fmt::format("-{:<6}", last),
                        with_commas(static_cast<std::int64_t>(bins[i])), std::string(bar, '#'));
  }
  return text;
}

}  // namespace dragoman::data

#include "smt/phrase_options.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <unordered_map>

namespace dragoman::smt {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kWidth = Coverage::kWindow + 1;

}  // namespace

SentenceOptions::SentenceOptions(const PhraseModel& model, Words source)
    : words_(static_cast<std::uint32_t>(source.size())), options_(source.size() * kMaxPhraseLength) {
  for (std::uint32_t begin = 0; begin < words_; ++begin) {
    std::uint64_t hash = kEmptyPhrase;
    for (std::uint32_t length = 1; length <= std::uint32_t(model.length) && begin + length <= words_; ++length) {
      hash = extend_phrase(hash, source[begin + length - 1]);
      collect(model, begin, length, hash);
    }
    if (at(begin, 1).empty()) copy_word(model, begin);
  }
  estimate_futures();
  find_repetitions(source);
}

std::span<const PhraseOption> SentenceOptions::at(std::uint32_t begin, std::uint32_t length) const {
  return options_[place(begin, length)];
}

void SentenceOptions::collect(const PhraseModel& model, std::uint32_t begin, std::uint32_t length, std::uint64_t hash) {
  entries_.clear();
  model.table->find(hash, entries_);
  std::vector<PhraseOption>& options = options_[place(begin, length)];
  for (PhraseEntry& entry : entries_) {
    if (entry.words.size() > static_cast<std::size_t>(model.length)) continue;
    options.push_back({begin, begin + length, std::move(entry)});
    rate(model, options.back());
  }
  std::stable_sort(options.begin(), options.end(),
                   [](const PhraseOption& a, const PhraseOption& b) { return a.estimate > b.estimate; });
  if (options.size() > static_cast<std::size_t>(model.options))
    options.erase(options.begin() + model.options, options.end());
}

void SentenceOptions::copy_word(const PhraseModel& model, std::uint32_t begin) {
  PhraseOption option;
  option.begin = begin;
  option.end = begin + 1;
  option.entry.words = {kUnknownWord};
  option.entry.alignment = 1;
  option.copied = true;
  rate(model, option);
  options_[place(begin, 1)].push_back(std::move(option));
}

void SentenceOptions::rate(const PhraseModel& model, PhraseOption& option) const {
  const PhraseEntry& entry = option.entry;
  option.score = option.copied ? kCopyPenalty : 0;
  for (std::size_t i = 0; i < entry.translation.size(); ++i)
    option.score += model.weights[index(Feature::phrase_inverse) + i] * entry.translation[i];
  option.score += model.weights[index(Feature::phrases)];
  option.score += model.weights[index(Feature::words)] * static_cast<double>(entry.words.size());
  option.estimate = option.score;
  if (model.language_model == nullptr) return;
  NgramState state, next;
  double log10 = 0;
  for (const std::uint32_t word : entry.words) {
    log10 += model.language_model->score(state, word, next);
    state = next;
  }
  option.estimate += model.weights[index(Feature::language_model)] * log10 * std::numbers::ln10;
}

void SentenceOptions::estimate_futures() {
  window_.assign((words_ + 1) * kWidth, kNever);
  tail_.assign(words_ + 1, kNever);
  tail_[words_] = 0;
  for (std::uint32_t begin = words_ + 1; begin-- > 0;) {
    double* const here = &window_[begin * kWidth];
    here[0] = 0;
    for (std::uint32_t length = 1; length <= kMaxPhraseLength && begin + length <= words_; ++length) {
      if (at(begin, length).empty()) continue;
      const double best = at(begin, length)[0].estimate;
      const double* const rest = &window_[(begin + length) * kWidth];
      for (std::size_t total = length; total < kWidth; ++total)
        here[total] = std::max(here[total], best + rest[total - length]);
      tail_[begin] = std::max(tail_[begin], best + tail_[begin + length]);
    }
  }
}

// Counts the distinct words of every window of kRepetition words.
void SentenceOptions::find_repetitions(Words source) {
  constexpr std::uint32_t kRepetition = 32, kFew = 4;
  repetitive_.assign(words_ + 1, false);
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (std::uint32_t at = 0; at < words_; ++at) {
    ++counts[source[at]];
    if (at + 1 < kRepetition) continue;
    const std::uint32_t first = at + 1 - kRepetition;
    if (counts.size() <= kFew) std::fill_n(repetitive_.begin() + first, kRepetition + 1, true);
    if (--counts[source[first]] == 0) counts.erase(source[first]);
  }
}

double SentenceOptions::future(const Coverage& coverage) const {
  double total = 0;
  std::uint32_t at = coverage.first;
  for (std::uint64_t bits = coverage.bits; bits != 0;) {
    const int gap = std::countr_zero(bits);
    total += window_[at * kWidth + static_cast<std::size_t>(gap)];
    bits >>= gap;
    const int done = std::countr_one(bits);
    bits = done == 64 ? 0 : bits >> done;
    at += static_cast<std::uint32_t>(gap + done);
  }
  return total + tail_[at];
}

}  // namespace dragoman::smt

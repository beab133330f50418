#include "smt/ngram_estimate.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace dragoman::smt {
namespace {

double discount(const Discounts& discounts, std::uint32_t count) {
  return count == 0 ? 0 : discounts[std::min<std::uint32_t>(count, 3) - 1];
}

// Modified Kneser-Ney discounts (Chen, Goodman 1998). If there are too few counts of counts, uses typical values.
Discounts estimate_discounts(const std::array<double, 5>& seen) {
  constexpr Discounts kUsual = {0.5, 1.0, 1.5};
  for (int count = 1; count <= 4; ++count)
    if (seen[std::size_t(count)] == 0) return kUsual;
  const double y = seen[1] / (seen[1] + 2 * seen[2]);
  Discounts discounts;
  for (int count = 1; count <= 3; ++count) {
    const auto c = static_cast<std::size_t>(count);
    discounts[c - 1] = count - (count + 1) * y * seen[c + 1] / seen[c];
    if (discounts[c - 1] <= 0 || discounts[c - 1] > count) return kUsual;
  }
  return discounts;
}

}  // namespace

NgramEstimator::NgramEstimator(const NgramConfig& config, std::uint32_t vocabulary_size)
    : config_(config), vocabulary_size_(vocabulary_size), windows_(sort_memory(), config.folder) {
  check(vocabulary_size > kPadding, "a vocabulary of {} words is too small for a language model", vocabulary_size);
  for (int n = 1; n <= config_.order; ++n) {
    counts_.emplace_back(sort_memory(), config_.folder);
    weights_.emplace_back(sort_memory(), config_.folder);
    results_.emplace_back(config_.folder);
  }
}

std::size_t NgramEstimator::sort_memory() const {
  return (static_cast<std::size_t>(config_.memory) << 20) / static_cast<std::size_t>(config_.order + 1);
}

// Adds the n-gram that ends at each position, last word first; n-grams that start with <s> are padded with kPadding.
void NgramEstimator::add(Words sentence) {
  const auto order = static_cast<std::size_t>(config_.order);
  Count window;
  std::fill_n(window.key.begin(), order, kPadding);
  window.raw = 1;
  window.key[0] = kSentenceBegin;
  const auto shift = [&](std::uint32_t word) {
    std::copy_backward(window.key.begin(), window.key.begin() + order - 1, window.key.begin() + order);
    window.key[0] = word;
    windows_.add(window);
  };
  for (const std::uint32_t word : sentence) {
    check(word < vocabulary_size_ && (word > kPadding || word == kUnknownWord), "word id {} is not in the vocabulary",
          word);
    shift(word);
  }
  shift(kSentenceEnd);
}

void NgramEstimator::finish() {
  windows_.finish();
  adjust_counts();
  Spool<Remainder> own(config_.folder);
  own.rewind();
  for (int n = config_.order; n >= 1; --n) {
    Spool<Remainder> contexts(config_.folder);
    weigh(n, own, contexts);
    contexts.rewind();
    own = std::move(contexts);
  }
  for (int n = 1; n <= config_.order; ++n) interpolate(n);
}

// Kneser-Ney counts: the number of distinct left neighbours. N-grams of the highest order and those that begin with <s>
// keep their raw counts.
void NgramEstimator::emit_adjusted(int n, Count count, CountCounts& seen) {
  const auto length = static_cast<std::size_t>(n);
  if (n == config_.order || count.key[length - 1] == kSentenceBegin) count.adjusted = count.raw;
  if (count.adjusted >= 1 && count.adjusted <= 4) ++seen[count.adjusted];
  std::reverse(count.key.begin(), count.key.begin() + n);
  std::fill(count.key.begin() + n, count.key.end(), 0);
  counts_[length - 1].add(count);
}

void NgramEstimator::adjust_counts() {
  const auto order = static_cast<std::size_t>(config_.order);
  std::vector<CountCounts> seen(order);
  // open[n - 1]: the n-gram of the last n words of the current window.
  std::vector<Count> open(order);
  std::size_t open_orders = 0;
  const auto close_from = [&](std::size_t first) {
    for (std::size_t n = first; n < open_orders; ++n) emit_adjusted(static_cast<int>(n + 1), open[n], seen[n]);
    open_orders = std::min(open_orders, first);
  };
  for (Count window; windows_.next(window);) {
    std::size_t length = 0, shared = 0;
    while (length < order && window.key[length] != kPadding) ++length;
    while (shared < std::min(open_orders, length) && open[shared].key[shared] == window.key[shared]) ++shared;
    close_from(shared);
    for (std::size_t n = shared; n < length; ++n) {
      open[n] = {window.key, 0, 0};
      if (n > 0) ++open[n - 1].adjusted;
    }
    open_orders = length;
    for (std::size_t n = 0; n < length; ++n) open[n].raw += window.raw;
  }
  close_from(0);
  for (const CountCounts& counts : seen) discounts_.push_back(estimate_discounts(counts));
  for (ExternalSorter<Count>& counts : counts_) counts.finish();
}

// Adds the words of the vocabulary that occur in no sentence, including <unk> and <s>.
void NgramEstimator::add_missing_words(std::vector<Count>& unigrams) const {
  std::vector<Count> all(vocabulary_size_);
  for (std::uint32_t word = 0; word < vocabulary_size_; ++word) all[word].key[0] = word;
  for (const Count& count : unigrams) all[count.key[0]] = count;
  all.erase(all.begin() + kPadding);
  unigrams = std::move(all);
}

// Computes the discounted probabilities of all words after one context, and the interpolation weight of the lower
// order. The whole count of a pruned n-gram goes to the lower order.
void NgramEstimator::weigh_context(int n, std::vector<Count>& group, Spool<Remainder>& contexts,
                                   std::vector<Weight>& weights) const {
  const auto length = static_cast<std::size_t>(n);
  if (n == 1) add_missing_words(group);
  double total = 0, left = 0;
  for (const Count& count : group) {
    total += count.adjusted;
    left += keeps(count, n) ? discount(discounts_[length - 1], count.adjusted) : count.adjusted;
  }
  const double remainder = total > 0 ? left / total : 1;
  weights.clear();
  for (const Count& count : group) {
    if (!keeps(count, n)) continue;
    const double kept = count.adjusted - discount(discounts_[length - 1], count.adjusted);
    weights.push_back({count.key, total > 0 ? kept / total : 0, remainder, -1});
  }
  if (n == 1) return;
  Remainder context{{}, remainder};
  std::copy_n(group[0].key.begin(), n - 1, context.key.begin());
  contexts.add(context);
}

// `own` holds the interpolation weights of this order's n-grams as contexts, in the same order; `contexts` receives
// those of the order below.
void NgramEstimator::weigh(int n, Spool<Remainder>& own, Spool<Remainder>& contexts) {
  const auto length = static_cast<std::size_t>(n);
  ExternalSorter<Count>& counts = counts_[length - 1];
  Remainder mine;
  bool has_mine = own.next(mine);
  std::vector<Count> group;
  std::vector<Weight> weights;
  const auto flush = [&] {
    if (group.empty() && n > 1) return;
    weigh_context(n, group, contexts, weights);
    for (Weight& weight : weights) {
      while (has_mine && mine.key < weight.key) has_mine = own.next(mine);
      if (has_mine && mine.key == weight.key) weight.backoff = mine.value;
      std::reverse(weight.key.begin(), weight.key.begin() + n);
      weights_[length - 1].add(weight);
    }
    group.clear();
  };
  for (Count count; counts.next(count);) {
    const bool same = group.empty() || std::equal(count.key.begin(), count.key.begin() + n - 1, group[0].key.begin());
    if (!same) flush();
    group.push_back(count);
  }
  flush();
  weights_[length - 1].finish();
  counts = ExternalSorter<Count>(0);
}

// p(w | context) = discounted + remainder * p(w | shorter context); the lowest order is interpolated with the uniform
// distribution.
void NgramEstimator::interpolate(int n) {
  const auto length = static_cast<std::size_t>(n);
  const double uniform = 1.0 / (vocabulary_size_ - 2);
  ExternalSorter<Weight>& weights = weights_[length - 1];
  Weight shorter;
  if (n > 1) results_[length - 2].rewind();
  bool has_shorter = false;
  for (Weight weight; weights.next(weight);) {
    if (n == 1) {
      weight.value = weight.key[0] == kSentenceBegin ? 0 : weight.value + weight.remainder * uniform;
    } else {
      const auto is_suffix = [&] {
        return has_shorter && std::equal(weight.key.begin(), weight.key.begin() + n - 1, shorter.key.begin());
      };
      while (!is_suffix()) {
        has_shorter = results_[length - 2].next(shorter);
        check(has_shorter, "language model: an n-gram of {} words lacks its suffix of {} words", n, n - 1);
      }
      weight.value += weight.remainder * shorter.value;
    }
    results_[length - 1].add(weight);
  }
  results_[length - 1].rewind();
  weights = ExternalSorter<Weight>(0);
}

void NgramEstimator::visit(int n, const std::function<void(const NgramEntry&)>& body) {
  Spool<Weight>& results = results_[static_cast<std::size_t>(n - 1)];
  results.rewind();
  NgramEntry entry;
  for (Weight weight; results.next(weight);) {
    entry.words.assign(weight.key.begin(), weight.key.begin() + n);
    std::reverse(entry.words.begin(), entry.words.end());
    entry.probability = weight.value;
    entry.is_context = weight.backoff >= 0;
    entry.backoff = entry.is_context ? weight.backoff : 1;
    body(entry);
  }
}

}  // namespace dragoman::smt

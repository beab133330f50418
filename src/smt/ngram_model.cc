#include "smt/ngram_model.h"

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"

namespace dragoman::smt {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
constexpr std::uint32_t kNgramFormat = 1;

// Probabilities are clamped to 10^-12 .. 1, backoff weights to 10^-8 .. 10^4. The largest probability code marks empty
// slots; the largest backoff code marks n-grams that are no context.
constexpr float kLowest = -12, kProbabilityStep = 12.0f / 65534;
constexpr float kLowestBackoff = -8, kBackoffStep = 12.0f / 65534;
constexpr std::uint32_t kNoContext = 0xFFFF;

// Tables are two thirds full, where the longest run of full slots among 10^10 is expected to be shorter than 400. A
// longer one comes from a file that was made to slow down every search.
constexpr std::size_t kLongestRun = 4096;

std::uint32_t encode(double value, float lowest, float step) {
  const double code = std::round((value - lowest) / step);
  return static_cast<std::uint32_t>(std::clamp(code, 0.0, 65534.0));
}

float probability_of(std::uint32_t value) { return kLowest + kProbabilityStep * static_cast<float>(value >> 16); }
float backoff_of(std::uint32_t value) { return kLowestBackoff + kBackoffStep * static_cast<float>(value & 0xFFFF); }
bool is_context(std::uint32_t value) { return (value & 0xFFFF) != kNoContext; }

// Hashes an n-gram from its last word to its first, so that longer contexts extend the hashes of shorter ones.
std::uint64_t extend_hash(std::uint64_t hash, std::uint32_t word) {
  hash = (hash ^ (std::uint64_t{word} + 1)) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

std::size_t place_of(std::uint64_t hash, std::size_t size) {
  return static_cast<std::size_t>((hash >> 32) * std::uint64_t{size} >> 32);
}

}  // namespace

void NgramModel::Table::reserve(std::uint64_t count) {
  // Two thirds full.
  slots.assign(count == 0 ? 0 : count + count / 2 + 1, kEmpty);
}

void NgramModel::Table::check_runs(std::size_t order) const {
  if (slots.empty()) return;
  const auto first_empty = std::find(slots.begin(), slots.end(), kEmpty);
  // The search wraps around, so that the run at the end continues at the beginning.
  std::size_t run = static_cast<std::size_t>(first_empty - slots.begin()), longest = run;
  for (std::size_t at = slots.size(); at-- > 0 && slots[at] != kEmpty;) longest = std::max(longest, ++run);
  run = 0;
  for (auto slot = first_empty; slot != slots.end(); ++slot)
    longest = std::max(longest, run = *slot == kEmpty ? 0 : run + 1);
  check(first_empty != slots.end() && longest <= kLongestRun,
        "language model: damaged: {} slots in a row are full in the table of {}-grams", longest, order);
}

void NgramModel::Table::insert(std::uint64_t hash, std::uint32_t value) {
  const std::uint64_t tag = hash & 0xFFFFFFFFu;
  std::size_t at = place_of(hash, slots.size());
  for (std::size_t tried = 0; slots[at] != kEmpty && slots[at] >> 32 != tag; ++tried) {
    check(tried < kLongestRun, "language model: {} n-grams of one order have nearly the same hash", kLongestRun);
    at = at + 1 == slots.size() ? 0 : at + 1;
  }
  slots[at] = tag << 32 | value;
}

bool NgramModel::Table::find(std::uint64_t hash, std::uint32_t& value) const {
  if (slots.empty()) return false;
  const std::uint64_t tag = hash & 0xFFFFFFFFu;
  std::size_t at = place_of(hash, slots.size());
  for (; slots[at] != kEmpty; at = at + 1 == slots.size() ? 0 : at + 1)
    if (slots[at] >> 32 == tag) {
      value = static_cast<std::uint32_t>(slots[at]);
      return true;
    }
  return false;
}

float NgramModel::score(const NgramState& state, std::uint32_t word, NgramState& next) const {
  word = word < unigrams_.size() ? word : kUnknownWord;
  std::uint32_t value = unigrams_[word];
  std::uint64_t hash = extend_hash(0, word);
  float probability = probability_of(value);
  next.length = 0;
  std::uint32_t matched = 0;  // context words of the longest matching n-gram
  for (bool extends = true;;) {
    extends = extends && is_context(value) && matched < tables_.size();
    if (extends) {
      next.words[matched] = matched == 0 ? word : state.words[matched - 1];
      next.backoffs[matched] = backoff_of(value);
      next.length = matched + 1;
    }
    if (matched == state.length) break;
    hash = extend_hash(hash, state.words[matched]);
    if (!tables_[matched].find(hash, value)) break;
    probability = probability_of(value);
    ++matched;
  }
  for (std::uint32_t i = matched; i < state.length; ++i) probability += state.backoffs[i];
  return probability;
}

void NgramModel::find_begin() {
  const NgramState nothing;
  score(nothing, kSentenceBegin, begin_);
}

std::size_t NgramModel::bytes() const {
  std::size_t total = unigrams_.size() * sizeof unigrams_[0];
  for (const Table& table : tables_) total += table.slots.size() * sizeof table.slots[0];
  return total;
}

NgramModel NgramModel::build(NgramEstimator& estimates) {
  NgramModelBuilder builder(estimates.vocabulary_size(), static_cast<std::size_t>(estimates.order()));
  for (int n = 1; n <= estimates.order(); ++n) {
    if (n > 1) builder.expect(static_cast<std::size_t>(n), estimates.count(n));
    estimates.visit(n, [&](const NgramEntry& entry) {
      builder.add(entry.words, std::log10(std::max(entry.probability, 1e-99)), std::log10(entry.backoff),
                  entry.is_context);
    });
  }
  return builder.finish();
}

std::string NgramModel::serialize() const {
  ByteWriter writer;
  writer.put(kNgramFormat);
  writer.put_array(counts_);
  writer.put_array(unigrams_);
  for (const Table& table : tables_) writer.put_array(table.slots);
  return writer.take();
}

NgramModel NgramModel::deserialize(std::string_view bytes) {
  ByteReader reader(bytes, "language model");
  const auto format = reader.get<std::uint32_t>();
  check(format == kNgramFormat, "language model: expected format {} but got {}", kNgramFormat, format);
  NgramModel model;
  model.counts_ = reader.get_array<std::uint64_t>();
  check(!model.counts_.empty() && model.counts_.size() <= kMaxNgramOrder, "language model: damaged: order {}",
        model.counts_.size());
  model.unigrams_ = reader.get_array<std::uint32_t>();
  check(model.unigrams_.size() > kSentenceBegin, "language model: damaged: {} words", model.unigrams_.size());
  for (std::size_t n = 1; n < model.counts_.size(); ++n) {
    Table& table = model.tables_.emplace_back();
    table.slots = reader.get_array<std::uint64_t>();
    check(model.counts_[n] <= table.slots.size(), "language model: damaged: {} {}-grams in {} slots", model.counts_[n],
          n + 1, table.slots.size());
    table.check_runs(n + 1);
  }
  reader.expect_end();
  model.find_begin();
  return model;
}

NgramModelBuilder::NgramModelBuilder(std::uint32_t vocabulary_size, std::size_t order) {
  const std::uint32_t unseen = encode(kLowest, kLowest, kProbabilityStep) << 16 | kNoContext;
  model_.counts_.assign(order, 0);
  model_.unigrams_.assign(vocabulary_size, unseen);
  model_.tables_.resize(order - 1);
}

void NgramModelBuilder::close_order() {
  if (pending_.empty()) return;
  NgramModel::Table& table = model_.tables_[order_ - 2];
  table.reserve(pending_.size());
  for (const auto& [hash, value] : pending_) table.insert(hash, value);
  pending_.clear();
}

bool NgramModelBuilder::add(Words words, double log10_probability, double log10_backoff, bool is_context) {
  const std::uint32_t backoff = is_context ? encode(log10_backoff, kLowestBackoff, kBackoffStep) : kNoContext;
  const std::uint32_t value = encode(log10_probability, kLowest, kProbabilityStep) << 16 | backoff;
  if (words.size() != order_) close_order();
  order_ = words.size();
  ++model_.counts_[order_ - 1];
  if (order_ == 1) {
    model_.unigrams_[words[0]] = value;
    return true;
  }
  const auto hash_of = [](Words part) {
    std::uint64_t hash = 0;
    for (std::size_t i = part.size(); i-- > 0;) hash = extend_hash(hash, part[i]);
    return hash;
  };
  const auto knows = [&](Words part) {
    std::uint32_t ignored;
    return part.size() == 1 || model_.tables_[part.size() - 2].find(hash_of(part), ignored);
  };
  NgramModel::Table& table = model_.tables_[order_ - 2];
  if (table.slots.empty())
    pending_.push_back({hash_of(words), value});
  else
    table.insert(hash_of(words), value);
  return knows(words.subspan(1)) && knows(words.first(words.size() - 1));
}

NgramModel NgramModelBuilder::finish() {
  close_order();
  model_.find_begin();
  return std::move(model_);
}

}  // namespace dragoman::smt

#include "smt/ngram_model.h"

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"

namespace dragoman::smt {
namespace {

constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
constexpr std::uint32_t kFormat = 1;

// Probabilities are clamped to 10^-12 .. 1, backoff weights to 10^-8 .. 10^4. The largest probability code marks empty
// slots; the largest backoff code marks n-grams that are no context.
constexpr float kLowest = -12, kProbabilityStep = 12.0f / 65534;
constexpr float kLowestBackoff = -8, kBackoffStep = 12.0f / 65534;
constexpr std::uint32_t kNoContext = 0xFFFF;

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

void NgramModel::Table::insert(std::uint64_t hash, std::uint32_t value) {
  const std::uint64_t tag = hash & 0xFFFFFFFFu;
  std::size_t at = place_of(hash, slots.size());
  while (slots[at] != kEmpty && slots[at] >> 32 != tag) at = at + 1 == slots.size() ? 0 : at + 1;
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
  std::vector<std::uint64_t> counts;
  for (int n = 1; n <= estimates.order(); ++n) counts.push_back(estimates.count(n));
  NgramModelBuilder builder(estimates.vocabulary_size(), counts);
  for (int n = 1; n <= estimates.order(); ++n)
    estimates.visit(n, [&](const NgramEntry& entry) {
      builder.add(entry.words, std::log10(std::max(entry.probability, 1e-99)), std::log10(entry.backoff),
                  entry.is_context);
    });
  return builder.finish();
}

std::string NgramModel::serialize() const {
  ByteWriter writer;
  writer.put(kFormat);
  writer.put_array(counts_);
  writer.put_array(unigrams_);
  for (const Table& table : tables_) writer.put_array(table.slots);
  return writer.take();
}

NgramModel NgramModel::deserialize(std::string_view bytes) {
  ByteReader reader(bytes, "language model");
  const auto format = reader.get<std::uint32_t>();
  check(format == kFormat, "language model: expected format {} but got {}", kFormat, format);
  NgramModel model;
  model.counts_ = reader.get_array<std::uint64_t>();
  check(!model.counts_.empty() && model.counts_.size() <= kMaxNgramOrder, "language model: damaged: order {}",
        model.counts_.size());
  model.unigrams_ = reader.get_array<std::uint32_t>();
  check(model.unigrams_.size() > kSentenceBegin, "language model: damaged: {} words", model.unigrams_.size());
  for (std::size_t n = 1; n < model.counts_.size(); ++n) {
    Table& table = model.tables_.emplace_back();
    table.slots = reader.get_array<std::uint64_t>();
    const bool searchable =
        table.slots.empty() || std::find(table.slots.begin(), table.slots.end(), kEmpty) != table.slots.end();
    check(searchable, "language model: damaged: no empty slot in the table of {}-grams", n + 1);
  }
  reader.expect_end();
  model.find_begin();
  return model;
}

NgramModelBuilder::NgramModelBuilder(std::uint32_t vocabulary_size, const std::vector<std::uint64_t>& counts) {
  const std::uint32_t unseen = encode(kLowest, kLowest, kProbabilityStep) << 16 | kNoContext;
  model_.counts_ = counts;
  model_.unigrams_.assign(vocabulary_size, unseen);
  for (std::size_t n = 1; n < counts.size(); ++n) {
    // Two thirds full.
    NgramModel::Table& table = model_.tables_.emplace_back();
    table.slots.assign(counts[n] == 0 ? 0 : counts[n] + counts[n] / 2 + 1, kEmpty);
  }
}

bool NgramModelBuilder::add(Words words, double log10_probability, double log10_backoff, bool is_context) {
  const std::uint32_t backoff = is_context ? encode(log10_backoff, kLowestBackoff, kBackoffStep) : kNoContext;
  const std::uint32_t value = encode(log10_probability, kLowest, kProbabilityStep) << 16 | backoff;
  if (words.size() == 1) {
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
  model_.tables_[words.size() - 2].insert(hash_of(words), value);
  return knows(words.subspan(1)) && knows(words.first(words.size() - 1));
}

NgramModel NgramModelBuilder::finish() {
  model_.find_begin();
  return std::move(model_);
}

}  // namespace dragoman::smt

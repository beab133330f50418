#include "smt/phrase_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/byte_stream.h"

namespace dragoman::smt {
namespace {

constexpr std::uint32_t kTableFormat = 1;
constexpr float kTranslationSteps = 12, kReorderingSteps = 32;

std::uint8_t encode(float logarithm, float steps) {
  return static_cast<std::uint8_t>(std::clamp(std::round(-logarithm * steps), 0.0f, 255.0f));
}
float decode(std::uint8_t code, float steps) { return -static_cast<float>(code) / steps; }

void put_number(std::uint32_t value, std::vector<std::uint8_t>& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

// Decodes what add() encoded; checks every step because the bytes may come from a damaged file.
class EntryReader {
 public:
  explicit EntryReader(const std::vector<std::uint8_t>& bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::uint8_t byte() {
    check(at_ < bytes_.size(), "phrase table: damaged: an entry exceeds the table");
    return bytes_[at_++];
  }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 7) {
      const std::uint8_t part = byte();
      value |= static_cast<std::uint32_t>(part & 0x7F) << shift;
      if (part < 0x80) return value;
    }
    fail("phrase table: damaged: a word id of more than 32 bits");
  }
  PhraseEntry entry() {
    PhraseEntry entry;
    entry.words.resize(byte());
    check(entry.words.size() <= kMaxPhraseLength, "phrase table: damaged: a phrase of {} words", entry.words.size());
    for (std::uint32_t& word : entry.words) word = number();
    for (float& score : entry.translation) score = decode(byte(), kTranslationSteps);
    for (float& score : entry.reordering) score = decode(byte(), kReorderingSteps);
    for (std::size_t i = 0; i < entry.words.size(); i += 2)
      entry.alignment |= static_cast<std::uint32_t>(byte()) << (4 * i);
    return entry;
  }

  std::size_t at() const { return at_; }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_;
};

}  // namespace

std::uint64_t phrase_hash(Words words) {
  std::uint64_t hash = kEmptyPhrase;
  for (const std::uint32_t word : words) hash = extend_phrase(hash, word);
  return hash;
}

void PhraseTable::add(std::uint64_t source, const std::vector<PhraseEntry>& entries) {
  check(hashes_.empty() || hashes_.back() < source, "phrase table: source phrases must be added in order, each once");
  check(bytes_.size() <= std::numeric_limits<std::uint32_t>::max(), "phrase table: more than 4 GiB");
  hashes_.push_back(source);
  offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  put_number(static_cast<std::uint32_t>(entries.size()), bytes_);
  for (const PhraseEntry& entry : entries) {
    bytes_.push_back(static_cast<std::uint8_t>(entry.words.size()));
    for (const std::uint32_t word : entry.words) put_number(word, bytes_);
    for (const float score : entry.translation) bytes_.push_back(encode(score, kTranslationSteps));
    for (const float score : entry.reordering) bytes_.push_back(encode(score, kReorderingSteps));
    for (std::size_t i = 0; i < entry.words.size(); i += 2)
      bytes_.push_back(static_cast<std::uint8_t>(entry.alignment >> (4 * i)));
  }
  pairs_ += entries.size();
}

void PhraseTable::find(std::uint64_t source, std::vector<PhraseEntry>& entries) const {
  const auto found = std::lower_bound(hashes_.begin(), hashes_.end(), source);
  if (found == hashes_.end() || *found != source) return;
  EntryReader reader(bytes_, offsets_[static_cast<std::size_t>(found - hashes_.begin())]);
  for (std::uint32_t left = reader.number(); left > 0; --left) entries.push_back(reader.entry());
}

std::string PhraseTable::serialize() const {
  ByteWriter writer;
  writer.put(kTableFormat);
  writer.put(pairs_);
  writer.put_array(hashes_);
  writer.put_array(offsets_);
  writer.put_array(bytes_);
  return writer.take();
}

// Phrases lie one after another, so that the time to check them is bounded by the size of the table.
void PhraseTable::check_entries(std::uint32_t target_words) const {
  EntryReader reader(bytes_, 0);
  std::uint64_t pairs = 0;
  for (const std::uint32_t offset : offsets_) {
    check(offset == reader.at(), "phrase table: damaged: a phrase at byte {} instead of {}", offset, reader.at());
    const std::uint32_t count = reader.number();
    check(count >= 1 && count <= kMaxPhraseOptions, "phrase table: damaged: a phrase with {} translations", count);
    pairs += count;
    for (std::uint32_t left = count; left > 0; --left) {
      const PhraseEntry entry = reader.entry();
      check(!entry.words.empty(), "phrase table: damaged: an empty translation");
      for (const std::uint32_t word : entry.words)
        check(word < target_words, "phrase table: damaged: word {}, but the vocabulary has {}", word, target_words);
    }
  }
  check(reader.at() == bytes_.size() && pairs == pairs_, "phrase table: damaged: {} pairs announced but {} found",
        pairs_, pairs);
}

PhraseTable PhraseTable::deserialize(std::string_view bytes, std::uint32_t target_words) {
  ByteReader reader(bytes, "phrase table");
  const auto format = reader.get<std::uint32_t>();
  check(format == kTableFormat, "phrase table: expected format {} but got {}", kTableFormat, format);
  PhraseTable table;
  table.pairs_ = reader.get<std::uint64_t>();
  table.hashes_ = reader.get_array<std::uint64_t>();
  table.offsets_ = reader.get_array<std::uint32_t>();
  table.bytes_ = reader.get_array<std::uint8_t>();
  reader.expect_end();
  check(table.hashes_.size() == table.offsets_.size(), "phrase table: damaged: {} phrases but {} offsets",
        table.hashes_.size(), table.offsets_.size());
  const bool ascends =
      std::adjacent_find(table.hashes_.begin(), table.hashes_.end(), std::greater_equal<>()) == table.hashes_.end();
  check(ascends, "phrase table: damaged: phrases out of order");
  table.check_entries(target_words);
  return table;
}

}  // namespace dragoman::smt

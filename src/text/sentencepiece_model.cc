#include "text/sentencepiece_model.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sentencepiece_processor.h>

#include "base/error.h"
#include "base/log.h"
#include "base/quote.h"

namespace dragoman::text {
namespace {

// SentencePiece trains pieces of up to 16 characters. Samplers cut each piece at each character, so long ones cost
// time.
constexpr std::size_t kLongestPiece = 512;
// The library has room for this many entries of the map that are prefixes of each other.
constexpr int kMostPrefixes = 32;
// Each occurrence of an entry in a text is replaced, so long replacements cost memory. The longest of NFKC has 33
// bytes.
constexpr std::size_t kLongestReplacement = 64;

// The fields of a protocol buffer message, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  struct Field {
    std::uint64_t number = 0;
    bool is_bytes = false;
    std::string_view bytes;  // of a text, a byte array or a message
  };

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    field = {tag >> 3, (tag & 7) == 2, {}};
    switch (tag & 7) {
      case 0: varint(); break;
      case 1: take(8); break;
      case 2: field.bytes = take(varint()); break;
      case 5: take(4); break;
      default: fail("subwords: the SentencePiece model is damaged: unknown wire type {}", tag & 7);
    }
    return true;
  }

 private:
  std::string_view take(std::uint64_t count) {
    check(count <= rest_.size(), "subwords: the SentencePiece model is truncated");
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    fail("subwords: the SentencePiece model is damaged: a number has too many bytes");
  }

  std::string_view rest_;
};

// A unit of the double-array trie (Yata's darts-clone): bits 0 to 7 and 31 are the label, bit 8 says that an entry ends
// here, the rest is the distance to the children.
struct TrieUnit {
  std::uint32_t bits;
  std::uint32_t label() const { return bits & 0x800000FFu; }
  bool has_leaf() const { return (bits >> 8 & 1) != 0; }
  std::uint32_t value() const { return bits & 0x7FFFFFFFu; }
  std::uint32_t offset() const { return bits >> 10 << ((bits & 1u << 9) >> 6); }
};

// A map of characters: the size of the trie in bytes, the trie, then the replacements, each ended by a zero byte. An
// entry's value is the position of its replacement.
class CharacterMap {
 public:
  explicit CharacterMap(std::string_view blob) {
    std::uint32_t size = 0;
    expect(blob.size() > sizeof size);
    for (std::size_t i = 0; i < sizeof size; ++i) size |= std::uint32_t{static_cast<unsigned char>(blob[i])} << (8 * i);
    blob.remove_prefix(sizeof size);
    expect(size <= blob.size() && size % sizeof(TrieUnit) == 0);
    units_.resize(size / sizeof(TrieUnit));
    if (size > 0) std::memcpy(units_.data(), blob.data(), size);
    replacements_ = blob.substr(size);
    expect(!replacements_.empty() && replacements_.back() == '\0');
  }

  // Visits every state that some text can reach. The library reads the unit of a child for any next byte, so all 256 of
  // them must exist; no path may come back to itself or pass more entries than the library has room for.
  void check_reachable() {
    entries_.assign(units_.size(), kUnseen);
    expect(!units_.empty());
    std::vector<Visit> path = {enter(0)};
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next_label == 256) {
        entries_[visit.at] = visit.deepest + (units_[visit.at].has_leaf() ? 1 : 0);
        expect(entries_[visit.at] <= kMostPrefixes);
        const int deepest = entries_[visit.at];
        path.pop_back();
        if (!path.empty()) path.back().deepest = std::max(path.back().deepest, deepest);
        continue;
      }
      const std::uint32_t label = visit.next_label++, child = visit.children ^ label;
      if (units_[child].label() != label) continue;
      expect(entries_[child] != kOnPath);
      if (entries_[child] == kUnseen)
        path.push_back(enter(child));
      else
        visit.deepest = std::max(visit.deepest, entries_[child]);
    }
  }

 private:
  static constexpr int kUnseen = -1, kOnPath = -2;
  struct Visit {
    std::uint32_t at, children;
    std::uint32_t next_label = 0;
    int deepest = 0;  // most entries on a path below
  };

  static void expect(bool condition) {
    check(condition, "subwords: the SentencePiece model is damaged: its map of characters is not consistent");
  }
  Visit enter(std::uint32_t at) {
    entries_[at] = kOnPath;
    const std::uint32_t children = at ^ units_[at].offset();
    expect((children | 255u) < units_.size());
    if (units_[at].has_leaf()) check_replacement(units_[children].value());
    return {at, children};
  }
  void check_replacement(std::size_t at) const {
    expect(at < replacements_.size());
    check(replacements_.substr(at, kLongestReplacement + 1).find('\0') != std::string_view::npos,
          "subwords: the SentencePiece model's map of characters has a replacement of more than {} bytes",
          kLongestReplacement);
  }

  std::vector<TrieUnit> units_;
  std::string_view replacements_;
  std::vector<int> entries_;  // by unit: the most entries on a path that starts there
};

void check_piece(std::string_view message) {
  Fields fields(message);
  bool found = false;
  for (Fields::Field field; fields.next(field);) {
    if (field.number != 1 || !field.is_bytes) continue;
    check(field.bytes.size() <= kLongestPiece, "subwords: a piece has {} bytes, at most {} are allowed: '{}'",
          field.bytes.size(), kLongestPiece, excerpt(field.bytes));
    check(field.bytes.find('\0') == std::string_view::npos, "subwords: the piece '{}' contains a zero byte",
          excerpt(field.bytes));
    found = !field.bytes.empty();
  }
  check(found, "subwords: the SentencePiece model has an empty piece");
}

void check_normalizer(std::string_view message) {
  Fields fields(message);
  for (Fields::Field field; fields.next(field);)
    if (field.number == 2 && field.is_bytes && !field.bytes.empty()) CharacterMap(field.bytes).check_reachable();
}

}  // namespace

// The numbers of sentencepiece_model.proto: pieces 1, normalizer_spec 3, denormalizer_spec 5; piece 1;
// precompiled_charsmap 2. A field may occur several times, and each occurrence is checked.
void check_sentencepiece_model(std::string_view model) {
  Fields fields(model);
  for (Fields::Field field; fields.next(field);) {
    if (!field.is_bytes) continue;
    if (field.number == 1) check_piece(field.bytes);
    if (field.number == 3 || field.number == 5) check_normalizer(field.bytes);
  }
}

std::vector<std::string> sentencepiece_pieces(const std::string& model) {
  const auto processor = load_sentencepiece(model);
  std::vector<std::string> pieces;
  for (int number = 0; number < processor->GetPieceSize(); ++number) pieces.push_back(processor->IdToPiece(number));
  return pieces;
}

std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& model) {
  check(!model.empty(), "subwords: the SentencePiece model is empty");
  check_sentencepiece_model(model);
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  bool loaded = false;
  try {
    const auto status = processor->LoadFromSerializedProto(model);
    loaded = status.ok();
    if (!loaded) log::debug("SentencePiece: {}", excerpt(status.message()));
  } catch (const std::exception& error) {  // of its trie
    log::debug("SentencePiece: {}", excerpt(error.what()));
  }
  check(loaded,
        "subwords: the SentencePiece model is damaged or of a kind that this version of the library does not know; get "
        "or train it again");
  return processor;
}

}  // namespace dragoman::text

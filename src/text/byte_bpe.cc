#include "text/byte_bpe.h"

#include <algorithm>
#include <optional>

#include "base/bounded_json.h"
#include "base/error.h"
#include "base/quote.h"
#include "text/byte_bpe_split.h"
#include "text/id_count.h"
#include "text/tokenizer_file.h"
#include "text/unicode.h"

namespace dragoman::text {
namespace {

bool is_printable_latin(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

const std::unordered_map<char32_t, char>& bytes_by_character() {
  static const auto table = [] {
    std::unordered_map<char32_t, char> map;
    for (int byte = 0; byte < 256; ++byte) map[code_point_at(byte_spellings()[byte], 0).code] = static_cast<char>(byte);
    return map;
  }();
  return table;
}

// The bytes that a spelling encodes; nothing if a character of it encodes no byte.
std::optional<std::string> bytes_of(std::string_view spelling) {
  std::string bytes;
  for (std::size_t at = 0; at < spelling.size();) {
    const CodePoint point = code_point_at(spelling, at);
    const auto found = bytes_by_character().find(point.code);
    if (found == bytes_by_character().end()) return std::nullopt;
    bytes += found->second;
    at += point.length;
  }
  return bytes;
}

constexpr const char* kSpecialNames[] = {"<s>", "<pad>", "</s>", "<unk>"};
constexpr const char* kCompanions[] = {"<mask>", "<reserved0>", "<reserved1>", "<reserved2>"};

bool is_special_name(std::string_view spelling) {
  return std::find(std::begin(kSpecialNames), std::end(kSpecialNames), spelling) != std::end(kSpecialNames) ||
         spelling == "<mask>" || spelling == "<|endoftext|>" || spelling.starts_with("madeupword");
}

}  // namespace

const std::array<std::string, 256>& byte_spellings() {
  static const auto table = [] {
    std::array<std::string, 256> spellings;
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte)
      append_utf8(is_printable_latin(byte) ? static_cast<char32_t>(byte) : next++, spellings[byte]);
    return spellings;
  }();
  return table;
}

ByteBpe::ByteBpe(std::string_view encoder_json, std::string_view merges, int multiple)
    : multiple_(multiple), encoder_json_(encoder_json), merges_text_(merges) {
  read_vocabulary(encoder_json);
  read_merges(merges);
  add_special();
  size_ = rounded_id_count(spellings_.size(), multiple, "byte-level BPE");
  spellings_.resize(size_);
  bytes_.resize(size_);
}

void ByteBpe::read_vocabulary(std::string_view encoder_json) {
  nlohmann::json encoder = parse_json(encoder_json, "encoder.json");
  const JsonReleaser releaser(encoder);
  check(encoder.is_object(), "encoder.json: expected a JSON object from token to id");
  constexpr std::int64_t kMostUnused = 1 << 16;  // ids without a token
  const std::int64_t most_ids = std::ssize(encoder) + kMostUnused;
  for (const auto& [spelling, id] : encoder.items()) {
    check(id.is_number_integer() && id.get<std::int64_t>() >= 0 && id.get<std::int64_t>() < most_ids,
          "encoder.json: expected an id from 0 to {} for '{}' but got {}", most_ids - 1, excerpt(spelling),
          excerpt(id.dump()));
    const auto index = id.get<std::size_t>();
    if (index >= spellings_.size()) spellings_.resize(index + 1);
    check(spellings_[index].empty(), "encoder.json: '{}' and '{}' both have id {}", excerpt(spellings_[index]),
          excerpt(spelling), index);
    spellings_[index] = spelling;
  }
  bytes_.resize(spellings_.size());
  byte_ids_.fill(-1);
  for (std::size_t id = 0; id < spellings_.size(); ++id) {
    if (is_special_name(spellings_[id])) continue;
    bytes_[id] = bytes_of(spellings_[id]).value_or("");
    if (bytes_[id].size() == 1) byte_ids_[static_cast<unsigned char>(bytes_[id][0])] = static_cast<std::int32_t>(id);
  }
  for (int byte = 0; byte < 256; ++byte)
    check(byte_ids_[byte] >= 0, "encoder.json: byte 0x{:02X}, spelled '{}', has no id", byte, byte_spellings()[byte]);
}

void ByteBpe::read_merges(std::string_view merges) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < spellings_.size(); ++id)
    if (!bytes_[id].empty()) ids.emplace(spellings_[id], static_cast<std::int32_t>(id));
  table_ = MergeTable(static_cast<std::size_t>(std::count(merges.begin(), merges.end(), '\n')) + 1);
  std::int32_t rank = 0;
  for (std::size_t begin = 0, number = 1; begin < merges.size(); ++number) {
    const std::size_t end = std::min(merges.find('\n', begin), merges.size());
    std::string_view line = merges.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t gap = line.find(' ');
    check(gap != std::string_view::npos && line.find(' ', gap + 1) == std::string_view::npos,
          "vocab.bpe:{}: expected two symbols and one space but got '{}'", number, excerpt(line));
    const std::string_view left = line.substr(0, gap), right = line.substr(gap + 1);
    const std::string joined = std::string(left).append(right);
    const auto find = [&](std::string_view symbol) {
      const auto found = ids.find(symbol);
      check(found != ids.end(), "vocab.bpe:{}: '{}' is not in encoder.json", number, excerpt(symbol));
      return found->second;
    };
    const std::int32_t left_id = find(left), right_id = find(right);
    table_.insert(left_id, right_id, {rank++, find(joined)});
  }
  const bool needs_merges =
      std::any_of(bytes_.begin(), bytes_.end(), [](const std::string& bytes) { return bytes.size() > 1; });
  check(rank > 0 || !needs_merges, "vocab.bpe: has no merges, so that most tokens of encoder.json could not occur");
}

void ByteBpe::add_special() {
  const auto find = [&](std::string_view name) {
    const auto found = std::find(spellings_.begin(), spellings_.end(), name);
    return found == spellings_.end() ? -1 : static_cast<std::int32_t>(found - spellings_.begin());
  };
  std::int32_t ids[4];
  bool none = true;
  for (int i = 0; i < 4; ++i) none &= (ids[i] = find(kSpecialNames[i])) < 0;
  const auto add = [&](const char* name) {
    spellings_.emplace_back(name);
    return static_cast<std::int32_t>(spellings_.size()) - 1;
  };
  for (int i = 0; i < 4; ++i)
    if (ids[i] < 0) ids[i] = add(kSpecialNames[i]);
  if (none)
    for (const char* name : kCompanions) add(name);
  special_ = {.unknown = ids[3], .begin = ids[0], .end = ids[2], .pad = ids[1]};
}

void ByteBpe::encode_piece(std::string_view piece, std::vector<std::int32_t>& symbols) const {
  symbols.clear();
  for (const char byte : piece) symbols.push_back(byte_ids_[static_cast<unsigned char>(byte)]);
  apply_merges(table_, MergeOrder::rounds, symbols);
}

void ByteBpe::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  if (line.empty()) return;
  PieceCaches::Loan loan(caches_);
  PieceCache& cache = *loan;
  std::vector<std::int32_t> symbols;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = byte_bpe_piece_end(line, begin);
    const std::string_view piece = line.substr(begin, end - begin);
    begin = end;
    if (piece.size() > PieceCache::kMaxBytes) {
      encode_piece(piece, symbols);
      ids.insert(ids.end(), symbols.begin(), symbols.end());
      continue;
    }
    const PieceCache::Key key = PieceCache::key_of(piece);
    PieceCache::Slot& slot = cache.slot(key);
    if (PieceCache::holds(slot, key)) {
      ids.insert(ids.end(), slot.ids, slot.ids + slot.count);
    } else {
      encode_piece(piece, symbols);
      PieceCache::store(slot, key, symbols);
      ids.insert(ids.end(), symbols.begin(), symbols.end());
    }
  }
}

Encoded ByteBpe::encode_spans(std::string_view line) const {
  Encoded encoded;
  encode(line, encoded.ids);
  std::uint32_t at = 0;
  for (const std::int32_t id : encoded.ids) {
    const auto end = at + static_cast<std::uint32_t>(bytes_[id].size());
    encoded.spans.push_back({at, end});
    at = end;
  }
  return encoded;
}

void ByteBpe::encode_sampled(std::string_view line, double strength, Random& random,
                             std::vector<std::int32_t>& ids) const {
  if (strength <= 0) return encode(line, ids);
  std::vector<std::int32_t> symbols;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = byte_bpe_piece_end(line, begin);
    symbols.clear();
    for (; begin < end; ++begin) symbols.push_back(byte_ids_[static_cast<unsigned char>(line[begin])]);
    apply_merges(table_, MergeOrder::rounds, strength, random, symbols);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
  }
}

std::string ByteBpe::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    check(id >= 0 && id < size_, "byte-level BPE: expected an id from 0 to {} but got {}", size_ - 1, id);
    if (id == special_.unknown)
      text += "<unk>";
    else
      text += bytes_[id];
  }
  return text;
}

std::string ByteBpe::piece(std::int32_t id) const {
  check(id >= 0 && id < size_, "byte-level BPE: expected an id from 0 to {} but got {}", size_ - 1, id);
  return spellings_[id];
}

std::string ByteBpe::serialize() const {
  return pack({{{"kind", "byte-bpe"}, {"multiple", multiple_}, {"encoder-bytes", encoder_json_.size()}},
               encoder_json_ + merges_text_});
}

}  // namespace dragoman::text

#include "store/checksum.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <tuple>

#include "base/quote.h"
#include "base/threads.h"

namespace dragoman::store {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;  // a multiple of every element's size
constexpr std::string_view kSecondVersion = "2:";

std::int64_t pieces_of(std::uint64_t size) { return static_cast<std::int64_t>((size + kPiece - 1) / kPiece); }

std::size_t piece_size(std::uint64_t size, std::int64_t piece) {
  return static_cast<std::size_t>(std::min(kPiece, size - static_cast<std::uint64_t>(piece) * kPiece));
}

void add_metadata(Hasher& hasher, const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (key == kChecksum) continue;
    hasher.add_text(key);
    hasher.add_text(value);
  }
}

void add_record(Hasher& hasher, const TensorRecord& tensor) {
  hasher.add_text(tensor.name);
  hasher.add_text(tensor.type);
  hasher.add_value(std::uint64_t{tensor.shape.size()});
  for (const Size size : tensor.shape) hasher.add_value(std::int64_t{size});
  hasher.add_value(tensor.size);
}

std::string show(const Hasher& hasher) { return fmt::format("{:016x}", hasher.value()); }

// Whether an element's exponent has all bits set, which infinities and NaN have.
template <class Bits>
bool has_full_exponent(std::string_view bytes, Bits exponent) {
  Bits found = 0;
  for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    found |= static_cast<Bits>((bits & exponent) == exponent);
  }
  return found != 0;
}

bool is_finite(const std::string& type, std::string_view bytes) {
  if (type == "F32") return !has_full_exponent<std::uint32_t>(bytes, 0x7F800000u);
  if (type == "F64") return !has_full_exponent<std::uint64_t>(bytes, 0x7FF0000000000000u);
  if (type == "BF16") return !has_full_exponent<std::uint16_t>(bytes, 0x7F80u);
  if (type == "F16") return !has_full_exponent<std::uint16_t>(bytes, 0x7C00u);
  return true;
}

// The checksum of versions 0.1 and 0.2.
std::string first_checksum(const SafetensorsFile& file) {
  Hasher hasher;
  add_metadata(hasher, file.metadata());
  std::string buffer(kPiece, '\0');
  for (const TensorRecord& tensor : file.tensors())
    for (std::int64_t piece = 0; piece < pieces_of(tensor.size); ++piece) {
      const std::size_t count = piece_size(tensor.size, piece);
      file.read(tensor, static_cast<std::uint64_t>(piece) * kPiece, buffer.data(), count);
      hasher.add({buffer.data(), count});
    }
  return show(hasher);
}

// Empty if the file has none.
std::string expected_checksum(const SafetensorsFile& file) {
  const auto found = file.metadata().find(kChecksum);
  return found == file.metadata().end() ? "" : found->second;
}

// Of versions 0.1 and 0.2.
bool has_first_version(const SafetensorsFile& file) {
  const std::string expected = expected_checksum(file);
  return !expected.empty() && !expected.starts_with(kSecondVersion);
}

void check_checksum(const SafetensorsFile& file, const std::string& found) {
  const std::string expected = expected_checksum(file);
  check(expected.empty() || found == expected, "{}: is damaged: its checksum does not match", file.path());
}

// `tensor` is the first one that is not finite; null: all are.
void check_finite(const SafetensorsFile& file, const TensorRecord* tensor) {
  check(!tensor, "{}: the tensor '{}' has values that are not finite; its training has diverged", file.path(),
        tensor ? excerpt(tensor->name) : excerpt(""));
}

}  // namespace

bool comes_first(const TensorRecord& a, const TensorRecord& b) {
  return std::tuple(a.begin, a.size, std::string_view(a.name)) < std::tuple(b.begin, b.size, std::string_view(b.name));
}

std::string checksum_of(const Metadata& metadata, const std::vector<StoredTensor>& tensors) {
  std::vector<std::pair<TensorRecord, std::string_view>> records;
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    records.push_back({{tensor.name, tensor.type, tensor.shape, at, tensor.bytes.size()}, tensor.bytes});
    at += tensor.bytes.size();
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return comes_first(a.first, b.first); });
  Hasher hasher;
  add_metadata(hasher, metadata);
  for (const auto& [record, bytes] : records) {
    add_record(hasher, record);
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(pieces_of(bytes.size())));
    threads::each(std::ssize(hashes), [&, all = bytes](std::int64_t piece) {
      hashes[static_cast<std::size_t>(piece)] = hash_of(all.substr(static_cast<std::size_t>(piece) * kPiece, kPiece));
    });
    for (const std::uint64_t hash : hashes) hasher.add_value(hash);
  }
  return std::string(kSecondVersion) + show(hasher);
}

PieceHashes hash_pieces(const SafetensorsFile& file, int rank, int ranks) {
  struct Piece {
    std::int64_t tensor, number;
  };
  std::vector<Piece> own;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < file.tensors().size(); ++i)
    for (std::int64_t piece = 0; piece < pieces_of(file.tensors()[i].size); ++piece)
      if (count++ % ranks == rank) own.push_back({static_cast<std::int64_t>(i), piece});
  PieceHashes result{.hashes = std::vector<std::uint64_t>(own.size())};
  std::atomic<std::int64_t> not_finite = std::ssize(file.tensors());
  threads::each(std::ssize(own), [&](std::int64_t i) {
    const auto [number, piece] = own[static_cast<std::size_t>(i)];
    const TensorRecord& tensor = file.tensors()[static_cast<std::size_t>(number)];
    std::string buffer(piece_size(tensor.size, piece), '\0');
    file.read(tensor, static_cast<std::uint64_t>(piece) * kPiece, buffer.data(), buffer.size());
    result.hashes[static_cast<std::size_t>(i)] = hash_of(buffer);
    if (is_finite(tensor.type, buffer)) return;
    for (std::int64_t known = not_finite; number < known && !not_finite.compare_exchange_weak(known, number);) continue;
  });
  if (not_finite < std::ssize(file.tensors())) result.not_finite = not_finite;
  return result;
}

PieceHashes merge(const std::vector<PieceHashes>& ranks) {
  PieceHashes all;
  for (std::size_t i = 0; i < ranks.front().hashes.size(); ++i)
    for (const PieceHashes& rank : ranks)
      if (i < rank.hashes.size()) all.hashes.push_back(rank.hashes[i]);
  for (const PieceHashes& rank : ranks)
    if (rank.not_finite >= 0 && (all.not_finite < 0 || rank.not_finite < all.not_finite))
      all.not_finite = rank.not_finite;
  return all;
}

std::string checksum_of(const SafetensorsFile& file, const PieceHashes& pieces) {
  Hasher hasher;
  add_metadata(hasher, file.metadata());
  auto hash = pieces.hashes.begin();
  for (const TensorRecord& tensor : file.tensors()) {
    add_record(hasher, tensor);
    for (std::int64_t left = pieces_of(tensor.size); left > 0; --left) {
      check(hash != pieces.hashes.end(), "{}: hashes of pieces are missing", file.path());
      hasher.add_value(*hash++);
    }
  }
  return std::string(kSecondVersion) + show(hasher);
}

void check_pieces(const SafetensorsFile& file, const PieceHashes& pieces) {
  check_checksum(file, has_first_version(file) ? first_checksum(file) : checksum_of(file, pieces));
  check_finite(file, pieces.not_finite < 0 ? nullptr : &file.tensors()[static_cast<std::size_t>(pieces.not_finite)]);
}

CheckedReading::CheckedReading(const SafetensorsFile& file, Verified verified)
    : file_(file), verified_(verified == Verified::yes) {
  add_metadata(hasher_, file.metadata());
}

void CheckedReading::read(const TensorRecord& tensor, char* to) {
  if (verified_ && !to) return;
  add_record(hasher_, tensor);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(pieces_of(tensor.size)));
  std::atomic<bool> finite = true;
  threads::each(std::ssize(hashes), [&](std::int64_t piece) {
    const std::uint64_t begin = static_cast<std::uint64_t>(piece) * kPiece;
    const std::size_t count = piece_size(tensor.size, piece);
    const auto buffer = to ? nullptr : std::make_unique_for_overwrite<char[]>(count);
    char* const place = to ? to + begin : buffer.get();
    file_.read(tensor, begin, place, count);
    if (verified_) return;
    hashes[static_cast<std::size_t>(piece)] = hash_of({place, count});
    if (!is_finite(tensor.type, {place, count})) finite = false;
  });
  for (const std::uint64_t hash : hashes) hasher_.add_value(hash);
  if (!finite && !not_finite_) not_finite_ = &tensor;
}

void CheckedReading::finish() {
  if (verified_) return;
  check_checksum(file_, has_first_version(file_) ? first_checksum(file_) : std::string(kSecondVersion) + show(hasher_));
  check_finite(file_, not_finite_);
}

}  // namespace dragoman::store

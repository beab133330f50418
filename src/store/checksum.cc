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
constexpr std::string_view kVersion = "2:";

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
  return std::string(kVersion) + show(hasher);
}

CheckedReading::CheckedReading(const SafetensorsFile& file) : file_(file) {
  const auto found = file.metadata().find(kChecksum);
  if (found != file.metadata().end()) expected_ = found->second;
  first_version_ = !expected_.empty() && !expected_.starts_with(kVersion);
  add_metadata(hasher_, file.metadata());
}

void CheckedReading::read(const TensorRecord& tensor, char* to) {
  add_record(hasher_, tensor);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(pieces_of(tensor.size)));
  std::atomic<bool> finite = true;
  threads::each(std::ssize(hashes), [&](std::int64_t piece) {
    const std::uint64_t begin = static_cast<std::uint64_t>(piece) * kPiece;
    const std::size_t count = piece_size(tensor.size, piece);
    const auto buffer = to ? nullptr : std::make_unique_for_overwrite<char[]>(count);
    char* const place = to ? to + begin : buffer.get();
    file_.read(tensor, begin, place, count);
    hashes[static_cast<std::size_t>(piece)] = hash_of({place, count});
    if (!is_finite(tensor.type, {place, count})) finite = false;
  });
  for (const std::uint64_t hash : hashes) hasher_.add_value(hash);
  if (!finite && !not_finite_) not_finite_ = &tensor;
}

void CheckedReading::finish() {
  const std::string found = first_version_ ? first_checksum(file_) : std::string(kVersion) + show(hasher_);
  check(expected_.empty() || found == expected_, "{}: is damaged: its checksum does not match", file_.path());
  check(!not_finite_, "{}: the tensor '{}' has values that are not finite; its training has diverged", file_.path(),
        not_finite_ ? excerpt(not_finite_->name) : excerpt(""));
}

}  // namespace dragoman::store

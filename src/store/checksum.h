#pragma once

#include "base/hash.h"
#include "store/safetensors.h"

// The checksum of a model file detects damage: changed bytes, tensors under another name, type, shape or place, changed
// metadata. It is not a signature; who changes a file on purpose can compute it anew.
//
// The metadata key `checksum` holds "2:" and a hash in hexadecimal of the metadata (except this key) and, for each
// tensor in the order of the file, its name, type, shape and size and the hashes of its pieces of 1 MiB, so that
// threads can share the work. Files of versions 0.1 and 0.2 have 16 digits only: a hash of the metadata and of all
// bytes.
namespace dragoman::store {

inline constexpr const char* kChecksum = "checksum";
// Takes the place of a checksum in a file that is still being written.
inline constexpr const char* kNoChecksumYet = "2:................";

// The order of the file; the name decides between tensors without elements.
bool comes_first(const TensorRecord& a, const TensorRecord& b);

std::string checksum_of(const Metadata& metadata, const std::vector<StoredTensor>& tensors);

// The hashes of some pieces of a file. Pieces are numbered through all tensors in the order of the file.
struct PieceHashes {
  std::vector<std::uint64_t> hashes;
  std::int64_t not_finite = -1;  // the first tensor with an infinite number or NaN; -1: none
};

// Reads and hashes the pieces rank, rank + ranks, rank + 2 ranks, ..., so that several processes can share the work.
PieceHashes hash_pieces(const SafetensorsFile& file, int rank, int ranks);
// The hashes of all pieces, from those of all ranks in their order.
PieceHashes merge(const std::vector<PieceHashes>& ranks);
// The checksum of a file with these pieces, all of them.
std::string checksum_of(const SafetensorsFile& file, const PieceHashes& pieces);
// Checks a file as CheckedReading::finish() does, by the hashes of all its pieces.
void check_pieces(const SafetensorsFile& file, const PieceHashes& pieces);

// Reads all tensors of a file, in its order, and checks the checksum while the bytes pass:
//
//   CheckedReading reading(file);
//   for (const TensorRecord& tensor : file.tensors()) reading.read(tensor, memory);
//   reading.finish();
//
// What was read must not be used before finish() has returned. Tensors are read by all threads.
class CheckedReading {
 public:
  // A verified file is only read.
  explicit CheckedReading(const SafetensorsFile& file, Verified verified = Verified::no);

  // Reads the whole tensor to memory of the host.
  void read(const TensorRecord& tensor, char* to);
  // Reads it only for the checksum.
  void skip(const TensorRecord& tensor) { read(tensor, nullptr); }
  // Throws Error unless the checksum matches (files of other programs have none and pass) and all floating-point
  // numbers are finite.
  void finish();

 private:
  const SafetensorsFile& file_;
  bool verified_;
  Hasher hasher_;
  const TensorRecord* not_finite_ = nullptr;
};

}  // namespace dragoman::store

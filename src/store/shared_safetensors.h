#pragma once

#include "store/checksum.h"

// A safetensors file that several processes write together; its bytes do not depend on their number.
//
// 1. The first process lays the file out (SafetensorsDraft) and tells the others its temporary name.
// 2. Each writes its parts of the tensors, which together are all of their bytes (SafetensorsParts), and syncs them.
// 3. When all have done so, each hashes some of the pieces (hash_pieces).
// 4. The first process adds the checksum and gives the file its name.
namespace dragoman::store {

// The file before it has its name. Without commit(), the destructor removes it.
class SafetensorsDraft {
 public:
  // The tensors follow each other in this order; their places are not read.
  SafetensorsDraft(const std::string& path, const Metadata& metadata, std::vector<TensorRecord> tensors);

  // The temporary name.
  const std::string& name() const { return file_.partial(); }
  // `pieces` are the hashes of all pieces.
  void commit(const PieceHashes& pieces);

 private:
  AtomicFile file_;
  Metadata metadata_;
  std::vector<TensorRecord> tensors_;
};

// The parts that one process writes to a draft.
class SafetensorsParts {
 public:
  // The temporary name of a draft.
  explicit SafetensorsParts(const std::string& name) : layout_(name), file_(name) {}

  // Writes bytes of a tensor of the file, from byte `begin` of it.
  void write(const std::string& tensor, std::uint64_t begin, std::string_view bytes);
  // The same from memory of any device.
  void write(const std::string& tensor, std::uint64_t begin, const Tensor& part);
  void sync() { file_.sync(); }

 private:
  SafetensorsFile layout_;
  SharedOutput file_;
  std::string staged_;  // on the way from a GPU
};

}  // namespace dragoman::store

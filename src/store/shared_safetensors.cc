#include "store/shared_safetensors.h"

#include <algorithm>

namespace dragoman::store {
namespace {

constexpr Size kStaged = 1 << 24;  // bytes that are copied from a GPU at a time

}  // namespace

SafetensorsDraft::SafetensorsDraft(const std::string& path, const Metadata& metadata, std::vector<TensorRecord> tensors)
    : file_(path), metadata_(metadata), tensors_(std::move(tensors)) {
  std::uint64_t at = 0;
  for (TensorRecord& tensor : tensors_) {
    tensor.begin = at;
    at += tensor.size;
  }
  metadata_[kChecksum] = kNoChecksumYet;
  const std::string header = header_of(metadata_, tensors_);
  file_.write(header);
  check(!name().empty(), "{}: expected a regular file, because several processes write it", path);
  if (at > 0) file_.write_at(std::string_view("\0", 1), header.size() + at - 1);
  SharedOutput(name()).sync();  // other machines read the header
}

void SafetensorsDraft::commit(const PieceHashes& pieces) {
  metadata_[kChecksum] = checksum_of(SafetensorsFile(name()), pieces);
  file_.write_at(header_of(metadata_, tensors_), 0);
  file_.commit();
}

void SafetensorsParts::write(const std::string& tensor, std::uint64_t begin, std::string_view bytes) {
  const TensorRecord* const record = layout_.find(tensor);
  check(record != nullptr, "{}: has no tensor '{}'", layout_.path(), tensor);
  check(begin <= record->size && bytes.size() <= record->size - begin,
        "{}: bytes {} to {} do not fit into '{}', which has {}", layout_.path(), begin, begin + bytes.size(), tensor,
        record->size);
  file_.write_at(bytes, layout_.place_of(*record) + begin);
}

void SafetensorsParts::write(const std::string& tensor, std::uint64_t begin, const Tensor& part) {
  const char* const from = static_cast<const char*>(part.raw());
  if (part.device().on_host()) return write(tensor, begin, {from, part.bytes()});
  for (std::size_t at = 0; at < part.bytes(); at += kStaged) {
    staged_.resize(std::min<std::size_t>(kStaged, part.bytes() - at));
    part.device().copy_to_host(staged_.data(), from + at, staged_.size());
    write(tensor, begin + at, staged_);
  }
}

}  // namespace dragoman::store

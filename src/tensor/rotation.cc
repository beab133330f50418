#include "tensor/rotation.h"

#include <utility>

namespace dragoman {

Context Rotation::next() {
  if (next_ == used_.size()) used_.push_back(nullptr);
  std::unique_ptr<Workspace>& mine = used_[next_++];
  if (!free_) free_ = std::make_unique<Workspace>(device_);
  std::swap(mine, free_);
  mine->reset();
  return Context(*mine);
}

std::size_t Rotation::peak() const {
  std::size_t bytes = free_ ? free_->arena.peak() : 0;
  for (const auto& one : used_) bytes += one->arena.peak();
  return bytes;
}

}  // namespace dragoman

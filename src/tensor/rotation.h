#pragma once

#include <memory>
#include <vector>

#include "tensor/context.h"

namespace dragoman {

// Memory for several tensors that are all replaced by new ones from time to time, in the same order, each computed from
// its predecessor. Every tensor has a workspace, and one more is free: the first new tensor takes that one, the second
// takes the workspace of the first one's predecessor, and so on. So only one tensor is held twice at any time.
class Rotation {
 public:
  explicit Rotation(const Device& device) : device_(device) {}

  // Begins to replace the tensors.
  void restart() { next_ = 0; }
  // The memory of the next new tensor. The predecessors of the earlier ones are lost.
  Context next();
  // The sum over all workspaces.
  std::size_t peak() const;

 private:
  const Device& device_;
  std::vector<std::unique_ptr<Workspace>> used_;
  std::unique_ptr<Workspace> free_;
  std::size_t next_ = 0;
};

}  // namespace dragoman

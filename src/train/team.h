#pragma once

#include "comm/communicator.h"
#include "data/batcher.h"
#include "train/options.h"

namespace dragoman::train {

// The ranks that train together, and how they divide an update: it has `parts` parts, and every rank computes `width()`
// consecutive ones. The gradient of an update is a balanced tree of sums over its parts.
struct Team {
  comm::Communicator& comm = comm::alone();
  int parts = 1;
  comm::Wire wire = comm::Wire::f32;
  // Whether the bits of the sum must not depend on the number of ranks (`--virtual`).
  bool ordered = false;

  // Throws Error unless the ranks can divide the parts of `options` evenly.
  static Team of(const TrainOptions& options, comm::Communicator& comm);

  int width() const { return parts / comm.size(); }
  // The first part of this rank.
  int first() const { return comm.rank() * width(); }
  // Whether this process computes whole updates, without parts.
  bool is_single() const { return comm.size() == 1 && !ordered; }
  // The batches of this rank.
  data::Shard shard() const {
    return {static_cast<std::uint32_t>(first()), static_cast<std::uint32_t>(parts),
            static_cast<std::uint32_t>(width())};
  }
};

}  // namespace dragoman::train

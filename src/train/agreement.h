#pragma once

#include <cstdint>

#include "comm/communicator.h"

namespace dragoman::train {

// How much the ranks of a team wait for the slowest one.
struct Waiting {
  int ranks = 1;
  int slowest = 0;   // the rank that computed longest
  double share = 0;  // of the time of the other ranks, on average
};

// What one rank says of the next update.
struct Announcement {
  std::uint64_t labels = 0;  // in its batches
  bool stops = false;        // it was asked to stop
  double seconds = 0;        // that it computes per update
};

// What all ranks must know of an update before they compute it.
struct Agreement {
  std::uint64_t labels = 0;  // of the whole update
  bool stops = false;        // a rank was asked to stop
  Waiting waiting{};
};

// Exchanges one small message between all ranks.
Agreement agree(comm::Communicator& comm, const Announcement& own);

}  // namespace dragoman::train

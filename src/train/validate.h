#pragma once

#include "comm/communicator.h"
#include "train/task.h"

namespace dragoman::train {

// The scores over all batches of an epoch. At most `at_once` tokens per forward pass; 0: whole batches. The ranks share
// the batches, and all get the scores; these have the same bits on any number of ranks, because the tallies of batches
// are added in the order of the batches.
Scores validate(const Task& task, Workspace& workspace, data::Batcher& batches, std::size_t at_once,
                comm::Communicator& comm = comm::alone());

}  // namespace dragoman::train

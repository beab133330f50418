#pragma once

#include "tests/faults/workshop.h"

// Each scenario adds rows to the table.
namespace dragoman::faults {

// SIGKILL at random moments of training, then --resume: nothing is lost, and the final state has the same bits.
void kill_training(Workshop& shop);
// Processes that translate many files together are killed and replaced: every line is translated once, and nothing else
// is left.
void kill_workers(Workshop& shop);
// SIGTERM and SIGINT while preparing, training, validating and saving: training ends with a checkpoint and goes on from
// there. While translating: what was printed is the beginning of the whole output.
void signal_stages(Workshop& shop);
// The disk is full from the n-th write on: a message, no file under its final name that is not complete, and with space
// again the same result.
void fill_disk(Workshop& shop);
// The output folder is on a read-only file system: a message.
void seal_folder(Workshop& shop);
// Models, corpora and token caches are replaced, truncated or removed while they are in use: a message, or the result
// of the old file.
void change_files(Workshop& shop);
// The n-th allocation of a page or more fails: a message, or the right result.
void fail_allocations(Workshop& shop);
// Little address space, a small stack, few open files: a message, or the right result.
void limit_resources(Workshop& shop);
// Reads and writes are interrupted or incomplete: the right result.
void interrupt_transfers(Workshop& shop);

}  // namespace dragoman::faults

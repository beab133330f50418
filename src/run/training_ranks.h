#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "comm/communicator.h"
#include "run/training_data.h"
#include "run/training_options.h"

// What the ranks of a training run check and share before they train. All of them call these functions.
namespace dragoman::run {

// Throws Error, naming the rank, unless all ranks have the settings and the checkpoints that the first one has. Only
// what may differ between machines is not compared.
void check_same_settings(const TrainingOptions& options, comm::Communicator& comm);
// Throws Error, naming the rank, unless all have the same data; `what` names it.
void check_same_data(const char* what, std::uint64_t hash, comm::Communicator& comm);

// The vocabularies that the first rank makes.
Vocabularies share_vocabularies(const TrainingOptions& options, comm::Communicator& comm);
// The first rank tokenises the corpora; the others then find its token files, if they share its disk.
std::unique_ptr<RunData> share_data(const TrainingOptions& options, const Vocabularies& vocabularies,
                                    comm::Communicator& comm);

// Calls `action`; if it fails, tells the other ranks and throws its error.
template <class Action>
auto reporting_failures(comm::Communicator& comm, Action action) {
  try {
    return action();
  } catch (const std::exception& error) {
    comm.report_failure(error.what());
    throw;
  }
}

}  // namespace dragoman::run

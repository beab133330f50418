#pragma once

#include <memory>

#include "comm/communicator.h"
#include "run/training_data.h"
#include "run/training_options.h"
#include "run/validation_translator.h"
#include "store/model_file.h"
#include "train/task.h"

// What a training run, its plan and the proof of its resumption are made of.
namespace dragoman::run {

// The task with its parameters, initial or of the model to fine-tune. Also fills in options.model: the vocabulary
// sizes, or the whole configuration when fine-tuning. Throws Error if weights, gradients and optimiser state exceed the
// free memory, before any of it is allocated. `ranks` processes train together.
std::unique_ptr<train::Task> make_task(TrainingOptions& options, const Vocabularies& vocabularies,
                                       const Placement& where, int ranks = 1);

// What the model file says beside the weights.
store::ModelInfo model_info(const TrainingOptions& options, const Vocabularies& vocabularies);

// Null if the validation set is not translated.
std::unique_ptr<ValidationTranslator> make_validation_translator(const TrainingOptions& options, const RunData& data,
                                                                 const Vocabularies& vocabularies,
                                                                 const train::Task& task, comm::Communicator& comm);

// Threads that the loops of a run may use.
int thread_limit(const TrainingOptions& options);

}  // namespace dragoman::run

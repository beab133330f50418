#pragma once

#include "store/stored_weights.h"

namespace dragoman::store {

// Averages the weights of several models with the same configuration and writes a model file with the vocabularies and
// the shortlist of the first. Checkpoints are accepted too; their training state is dropped.
void average_models(const std::vector<std::string>& paths, const std::string& output,
                    StoredFormat format = StoredFormat::f32);

}  // namespace dragoman::store

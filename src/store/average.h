#pragma once

#include <string>
#include <vector>

namespace dragoman::store {

// Averages the weights of several models with the same configuration and writes a model file with the vocabularies of
// the first. Checkpoints are accepted too; their training state is dropped.
void average_models(const std::vector<std::string>& paths, const std::string& output);

}  // namespace dragoman::store

#pragma once

#include <string>
#include <vector>

namespace dragoman::store {

// Averages the weights of several models of one configuration and writes a model file with the vocabularies of the
// first. Checkpoints are models too; their training state is left out.
void average_models(const std::vector<std::string>& paths, const std::string& output);

}  // namespace dragoman::store

#pragma once

#include <string>
#include <vector>

namespace dragoman::store {

// The mean of the weights of several models of one configuration, written as a model file with the vocabularies of the
// first. Checkpoints are models too; what they hold beyond is left out.
void average_models(const std::vector<std::string>& paths, const std::string& output);

}  // namespace dragoman::store

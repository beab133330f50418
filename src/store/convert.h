#pragma once

#include "store/stored_weights.h"

namespace dragoman::store {

// Writes a model file with its matrices in another number format. A checkpoint loses its training state.
void convert_model(const std::string& path, StoredFormat format, const std::string& output);

}  // namespace dragoman::store

#pragma once

#include "store/safetensors.h"
#include "store/stored_weights.h"

namespace dragoman::store {

// Writes a model file with its matrices in another number format. A checkpoint loses its training state. Entries of
// `card` replace those of the model card; an empty one deletes.
void convert_model(const std::string& path, StoredFormat format, const std::string& output, const Metadata& card = {});

}  // namespace dragoman::store

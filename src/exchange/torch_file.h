#pragma once

#include <memory>

#include "exchange/tensor_file.h"

namespace dragoman::exchange {

// The tensors of a file that torch.save() wrote from a dictionary: a zip archive or, before PyTorch 1.6, a row of
// pickles and the bytes of the tensors after them.
std::unique_ptr<TensorFile> open_torch(const std::string& path);

}  // namespace dragoman::exchange

#pragma once

#include <memory>

#include "exchange/tensor_file.h"

namespace dragoman::exchange {

// The arrays of an .npz file of NumPy, a zip archive of .npy files.
std::unique_ptr<TensorFile> open_npz(const std::string& path);

}  // namespace dragoman::exchange

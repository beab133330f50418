#pragma once

#include <memory>

#include "exchange/tensor_file.h"

namespace dragoman::exchange {

// The tensors of a safetensors file of any program.
std::unique_ptr<TensorFile> open_safetensors(const std::string& path);

// The tensors of several files, for instance the parts that a large model was split into.
std::unique_ptr<TensorFile> join_files(const std::string& path, std::vector<std::unique_ptr<TensorFile>> parts);

}  // namespace dragoman::exchange

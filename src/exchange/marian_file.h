#pragma once

#include <memory>

#include "exchange/tensor_file.h"

namespace dragoman::exchange {

// The tensors of Marian's binary format (.bin), also with matrices of 8 bits for intgemm, as in Firefox. Such matrices
// are read as floats with the shape that Marian gives them.
std::unique_ptr<TensorFile> open_marian(const std::string& path);

}  // namespace dragoman::exchange

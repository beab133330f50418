#pragma once

#include "tensor/tensor.h"

namespace dragoman {

// A view of elements [first, first + count) of a flat tensor, without gradient; undefined if `flat` is.
Tensor slice(const Tensor& flat, Size first, Size count);

}  // namespace dragoman

#include "tensor/slice.h"

namespace dragoman {

Tensor slice(const Tensor& flat, Size first, Size count) {
  if (!flat.defined()) return {};
  return {static_cast<char*>(flat.raw()) + first * size_of(flat.dtype()), flat.dtype(), {count}, flat.device()};
}

}  // namespace dragoman

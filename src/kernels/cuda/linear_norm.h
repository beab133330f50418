#pragma once

#include "kernels/contract.h"

// A linear layer whose result goes into a norm, in one launch: the layer waits until it is known what follows it.
namespace dragoman::kernels::cuda {

// The layer waits for its norm. False where that does not fit; it must be done at once then.
bool wait_for_norm(const LinearPacked<bf16>& a);
// Does the layer that waits together with this norm. False where none waits that is the norm's branch.
bool norm_of_waiting_layer(const Norm<bf16>& a);

// The layer by itself.
void run_layer(const LinearPacked<bf16>& a);

}  // namespace dragoman::kernels::cuda

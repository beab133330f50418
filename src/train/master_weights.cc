#include "train/master_weights.h"

#include "train/flat.h"

namespace dragoman::train {

MasterWeights::MasterWeights(nn::Parameters& parameters)
    : parameters_(parameters), sharding_(nullptr), share_(parameters.weights().count()) {}

MasterWeights::MasterWeights(nn::Parameters& parameters, const Sharding& sharding)
    : parameters_(parameters), sharding_(&sharding), share_(sharding.share()) {
  if (comm().size() == 1 || !parameters.copy().defined()) return;
  const Tensor weights = parameters.weights();
  own_ = Buffer(weights.device(), weights.dtype(), share_.count());
  for (const Piece& piece : share_.pieces()) copy(part(piece), slice(weights, piece.first, piece.count));
  parameters.release_weights();
}

Tensor MasterWeights::part(const Piece& piece) const {
  return is_divided() ? slice(own_.tensor(), piece.local, piece.count)
                      : slice(parameters_.weights(), piece.first, piece.count);
}

void MasterWeights::refresh() const {
  if (!parameters_.copy().defined()) return;
  for (const Piece& piece : share_.pieces()) {
    const Tensor rounded = slice(parameters_.copy(), piece.first, piece.count);
    rounded.device().kernels<float>().to_bf16({.count = piece.count, .x = part(piece).ptr(), .y = rounded.ptr()});
  }
}

void MasterWeights::gather() const {
  if (sharding_ != nullptr) sharding_->gather(used());
}

std::uint64_t MasterWeights::bytes_to_gather() const {
  return sharding_ != nullptr ? sharding_->bytes_to_gather(used()) : 0;
}

}  // namespace dragoman::train

#pragma once

#include "nn/parameters.h"
#include "train/sharding.h"

namespace dragoman::train {

// The weights that the optimiser steps, in f32 (f64 in checks of gradients).
//
// Where the model computes in f32, they are the weights of the model itself, and every rank has all of them. In mixed
// precision the model computes with a copy in bf16. Each of several ranks then keeps the f32 weights of its share only,
// and nn::Parameters::weights() has no memory (ZeRO stage 1, Rajbhandari et al. 2020).
class MasterWeights {
 public:
  // Of a process that trains alone.
  explicit MasterWeights(nn::Parameters& parameters);
  // Of a rank. All ranks must have the same weights.
  MasterWeights(nn::Parameters& parameters, const Sharding& sharding);
  MasterWeights(const MasterWeights&) = delete;
  MasterWeights& operator=(const MasterWeights&) = delete;

  nn::Parameters& parameters() const { return parameters_; }
  comm::Communicator& comm() const { return sharding_ != nullptr ? sharding_->comm() : comm::alone(); }
  // What this rank steps.
  const Share& share() const { return share_; }
  // The f32 weights of a piece of the share.
  Tensor part(const Piece& piece) const;
  // Whether other ranks have the rest.
  bool is_divided() const { return own_.defined(); }
  // Of the f32 weights on this rank.
  std::size_t bytes() const { return is_divided() ? own_.tensor().bytes() : parameters_.weights().bytes(); }

  // Call after writing to the share: rounds it to the copy that the model computes with.
  void refresh() const;
  // Gives all ranks the weights that the model computes with: those of the other shares.
  void gather() const;
  // Bytes that this rank sends to others in gather().
  std::uint64_t bytes_to_gather() const;

 private:
  // What the model computes with.
  Tensor used() const { return parameters_.copy().defined() ? parameters_.copy() : parameters_.weights(); }

  nn::Parameters& parameters_;
  const Sharding* sharding_;
  Share share_;
  Buffer own_;  // the share, if it is divided
};

}  // namespace dragoman::train

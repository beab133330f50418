#pragma once

#include <memory>
#include <string>

#include "models/seq2seq.h"
#include "store/model_file.h"

namespace dragoman::exchange {

// A model of another program as one of ours.
struct Imported {
  store::ModelInfo info;
  std::unique_ptr<models::Seq2seq> network;  // of info.config, with its weights on the host
};

// Builds the network of a configuration, for weights that will be read. Throws Error, beginning with `path`, if the
// settings are inconsistent.
std::unique_ptr<models::Seq2seq> empty_network(const models::ModelConfig& config, const std::string& path);

}  // namespace dragoman::exchange

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/config.h"
#include "store/model_file.h"
#include "tensor/shape.h"

// Describes a model file or a preset without running it.
namespace dragoman::run {

// A neural model.
struct ModelDescription {
  models::ModelConfig config;
  store::Metadata card;
  std::vector<std::pair<std::string, Shape>> parameters;
  Size count = 0;  // total number of parameters

  // Settings of the configuration by key, as text.
  std::vector<std::pair<std::string, std::string>> settings() const;
};

// `name` is a model file or a preset.
ModelDescription describe_model(const std::string& name);
nlohmann::ordered_json to_json(const ModelDescription& model);

// Whether `name` is a statistical model's file or preset.
bool is_statistical(const std::string& name);
// For a file: phrases, n-grams, weights, configuration and model card. For a preset: its configuration.
nlohmann::ordered_json describe_statistical(const std::string& name);

}  // namespace dragoman::run

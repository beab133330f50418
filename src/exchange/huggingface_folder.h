#pragma once

#include <memory>
#include <string>

#include "exchange/json_config.h"
#include "exchange/tensor_file.h"
#include "models/config.h"
#include "text/mapped_pieces.h"

namespace dragoman::exchange {

// A folder of a model of Hugging Face's transformers: config.json, the weights, and files of the tokenizer.
class HuggingFaceFolder {
 public:
  explicit HuggingFaceFolder(const std::string& path);

  const std::string& path() const { return path_; }
  const JsonConfig& config() const { return config_; }
  // Safetensors or PyTorch's format, in one file or in parts.
  std::unique_ptr<TensorFile> open_weights() const;

  bool has(const std::string& file) const;
  std::string file(const std::string& name) const;
  // The content of a file that the format needs.
  std::string read(const std::string& name) const;

  // The id of a special token: in config.json or, for later models, in generation_config.json.
  int special_id(const std::string& key) const;
  bool has_special_id(const std::string& key) const { return find(key) != nullptr; }
  // Ids that generation_config.json or config.json forbid one by one (bad_words_ids).
  std::vector<std::int32_t> bad_words() const;
  // How the authors let the model search, as text for the model card; empty if nothing is said.
  std::string search_settings() const;

 private:
  std::unique_ptr<TensorFile> open_parts(const std::string& index) const;
  const JsonConfig* find(const std::string& key) const;

  std::string path_;
  JsonConfig config_;
  std::unique_ptr<JsonConfig> generation_;  // may be missing
};

// The activation of feed-forward blocks by the name that transformers gives it.
models::FeedForwardKind activation_named(const std::string& name, const std::string& path);

}  // namespace dragoman::exchange

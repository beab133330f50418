#include "exchange/huggingface_folder.h"

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "exchange/safetensors_file.h"
#include "exchange/torch_file.h"

namespace dragoman::exchange {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSafetensors = "model.safetensors";
constexpr const char* kTorch = "pytorch_model.bin";
constexpr const char* kIndex = ".index.json";

std::unique_ptr<TensorFile> open_part(const std::string& path) {
  return path.ends_with(".safetensors") ? open_safetensors(path) : open_torch(path);
}

}  // namespace

HuggingFaceFolder::HuggingFaceFolder(const std::string& path)
    : path_(path), config_((fs::path(path) / "config.json").string()) {
  if (has("generation_config.json")) generation_ = std::make_unique<JsonConfig>(file("generation_config.json"));
}

bool HuggingFaceFolder::has(const std::string& name) const {
  std::error_code unreadable;  // a link that leads nowhere is there; reading it will say what is wrong with it
  return fs::exists(fs::symlink_status(fs::path(path_) / name, unreadable));
}

std::string HuggingFaceFolder::file(const std::string& name) const { return (fs::path(path_) / name).string(); }

std::string HuggingFaceFolder::read(const std::string& name) const {
  check(has(name), "{}: the file {} is missing; a complete download of the model has it", path_, name);
  return read_file(file(name));
}

std::unique_ptr<TensorFile> HuggingFaceFolder::open_weights() const {
  for (const char* name : {kSafetensors, kTorch}) {
    if (has(name)) return open_part(file(name));
    if (has(std::string(name) + kIndex)) return open_parts(std::string(name) + kIndex);
  }
  fail("{}: has no weights: neither {} nor {}", path_, kSafetensors, kTorch);
}

// An index maps names of tensors to names of files.
std::unique_ptr<TensorFile> HuggingFaceFolder::open_parts(const std::string& index) const {
  const JsonConfig config(file(index));
  const auto map = config.json().find("weight_map");
  check(map != config.json().end() && map->is_object(), "{}: expected an object 'weight_map'", config.path());
  std::set<std::string> names;
  for (const auto& [tensor, part] : map->items()) {
    const std::string name = part.is_string() ? part.get<std::string>() : "";
    const bool plain = !name.empty() && name != "." && name != ".." && name.find_first_of({"/\0", 2}) == name.npos;
    check(plain, "{}: the tensor '{}' is in '{}', which is not a file of this folder", config.path(), excerpt(tensor),
          excerpt(part.dump()));
    names.insert(name);
  }
  std::vector<std::unique_ptr<TensorFile>> parts;
  for (const std::string& name : names) parts.push_back(open_part(file(name)));
  return join_files(path_, std::move(parts));
}

const JsonConfig* HuggingFaceFolder::find(const std::string& key) const {
  if (generation_ && generation_->has(key)) return generation_.get();
  return config_.has(key) ? &config_ : nullptr;
}

int HuggingFaceFolder::special_id(const std::string& key) const {
  const JsonConfig* const found = find(key);
  check(found != nullptr, "{}: '{}' is missing", config_.path(), key);
  return found->first_id(key);
}

std::vector<std::int32_t> HuggingFaceFolder::bad_words() const {
  const JsonConfig* const found = find("bad_words_ids");
  std::vector<std::int32_t> ids;
  if (found == nullptr) return ids;
  for (const nlohmann::json& sequence : found->json().at("bad_words_ids"))
    if (sequence.is_array() && sequence.size() == 1 && sequence[0].is_number_unsigned() &&
        sequence[0].get<std::uint64_t>() < static_cast<std::uint64_t>(models::kMostIds))
      ids.push_back(sequence[0].get<std::int32_t>());
  return ids;
}

std::string HuggingFaceFolder::search_settings() const {
  std::string text;
  for (const char* key : {"num_beams", "max_length", "length_penalty", "early_stopping", "no_repeat_ngram_size"})
    if (const JsonConfig* const found = find(key))
      text += (text.empty() ? "" : ", ") + std::string(key) + " " + found->json().at(key).dump();
  return text;
}

models::FeedForwardKind activation_named(const std::string& name, const std::string& path) {
  using Kind = models::FeedForwardKind;
  if (name == "relu") return Kind::relu;
  if (name == "gelu") return Kind::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Kind::gelu_tanh;
  if (name == "swish" || name == "silu") return Kind::silu;
  fail("{}: the activation '{}' is not supported; expected relu, gelu, gelu_new, gelu_pytorch_tanh, swish or silu",
       path, excerpt(name));
}

}  // namespace dragoman::exchange

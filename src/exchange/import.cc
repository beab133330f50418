#include "exchange/import.h"

#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"
#include "exchange/formats.h"

namespace dragoman::exchange {
namespace {

namespace fs = std::filesystem;

// The formats of transformers by `model_type` of config.json.
struct HuggingFaceFormat {
  const char* model_type;
  const char* name;
  Imported (*import)(const HuggingFaceFolder& folder);
};
constexpr std::array kHuggingFaceFormats = {
    HuggingFaceFormat{"marian", "MarianMT", import_marian_mt}, HuggingFaceFormat{"m2m_100", "M2M100", import_m2m100},
    HuggingFaceFormat{"mbart", "mBART", import_mbart}, HuggingFaceFormat{"bart", "BART", import_bart},
    HuggingFaceFormat{"t5", "T5", import_t5}};

struct Found {
  Imported model;
  std::string format;
};

Found import_folder(const std::string& path) {
  check(fs::exists(fs::path(path) / "config.json"),
        "{}: has no config.json, so it is not a folder of a model of transformers", path);
  const HuggingFaceFolder folder(path);
  const std::string type = folder.config().text("model_type", "");
  std::vector<std::string> known;
  for (const HuggingFaceFormat& format : kHuggingFaceFormats) {
    known.emplace_back(format.model_type);
    if (type != format.model_type) continue;
    Found found{format.import(folder), std::string(format.name) + " (transformers)"};
    if (const std::string search = folder.search_settings(); !search.empty()) found.model.info.card["search"] = search;
    return found;
  }
  fail("{}: models of type '{}' are not supported; expected {}", path, excerpt(type), join(known, ", "));
}

Found import_any(const std::string& path) {
  check(fs::exists(path), "{}: there is no such file or folder", path);
  if (fs::is_directory(path)) return import_folder(path);
  fail("{}: is not a format that is known; expected a folder of a model of transformers", path);
}

// "opus-mt-en-de" for a folder of this name, also if the path ends with a slash.
std::string short_name(const std::string& path) {
  const fs::path whole = fs::weakly_canonical(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

}  // namespace

std::unique_ptr<models::Seq2seq> empty_network(const models::ModelConfig& config, const std::string& path) {
  try {
    auto network = std::make_unique<models::Seq2seq>(config);
    network->parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
    return network;
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

ImportSummary import_model(const std::string& path, const std::string& output, store::StoredFormat format) {
  Found found = import_any(path);
  store::ModelInfo& info = found.model.info;
  info.card[kImportedCard] = short_name(path) + ", " + found.format;
  const nn::Parameters& parameters = found.model.network->parameters();
  store::save_model(output, info, parameters, {}, format);
  return {.format = found.format,
          .parameters = parameters.count(),
          .source_vocabulary = info.config.source_vocabulary,
          .target_vocabulary = info.config.target_vocabulary,
          .languages = text::deserialize_tokenizer(info.source_tokenizer)->language_tags().languages.size()};
}

}  // namespace dragoman::exchange

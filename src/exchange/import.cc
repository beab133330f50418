#include "exchange/import.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/quote.h"
#include "exchange/formats.h"
#include "text/language_tags.h"

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
  std::string source{}, target{};  // languages; empty if the files do not name them
};

// "en" or "deu", not a group of languages such as "ROMANCE" or "mul".
bool is_language(std::string_view name) {
  const bool is_code = name.size() >= 2 && name.size() <= 3 && name != "mul" &&
                       std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_code;
}

// The directions of a model with tags for `targets`, as far as its files name them.
std::string directions_of(const Found& found, std::vector<std::string> targets) {
  const store::ModelInfo& info = found.model.info;
  if (!is_language(found.source) || info.language_marks != store::LanguageMarks::target_before_source) return "";
  if (targets.empty() && is_language(found.target)) targets.push_back(found.target);
  std::vector<std::string> pairs;
  for (const std::string& target : targets) {
    const std::string pair = found.source + "-" + target;
    try {
      pairs.push_back(text::LanguagePair::parse(pair).show());
    } catch (const Error&) {
      continue;  // the tag is not the name of a language
    }
  }
  return join(pairs, " ");
}

Found import_folder(const std::string& path) {
  const HuggingFaceFolder folder(path);
  const std::string type = folder.config().text("model_type", "");
  std::vector<std::string> known;
  for (const HuggingFaceFormat& format : kHuggingFaceFormats) {
    known.emplace_back(format.model_type);
    if (type != format.model_type) continue;
    Found found{format.import(folder), std::string(format.name) + " (transformers)"};
    if (folder.has("tokenizer_config.json")) {
      const JsonConfig tokenizer(folder.file("tokenizer_config.json"));
      found.source = tokenizer.text("source_lang", "");
      found.target = tokenizer.text("target_lang", "");
    }
    if (const std::string search = folder.search_settings(); !search.empty()) found.model.info.card["search"] = search;
    return found;
  }
  fail("{}: models of type '{}' are not supported; expected {}", path, excerpt(type), join(known, ", "));
}

// The files of a folder in the order of their names.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Those that begin and end like this.
std::vector<std::string> matching(const std::vector<std::string>& names, const fs::path& folder, std::string_view begin,
                                  std::string_view end) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (name.starts_with(begin) && name.ends_with(end)) found.push_back((folder / name).string());
  return found;
}

std::string find_marian_model(const std::vector<std::string>& names, const fs::path& folder) {
  std::vector<std::string> found = matching(names, folder, "", ".npz");
  std::erase_if(found, [](const std::string& name) { return name.ends_with(".optimizer.npz"); });
  if (found.empty()) found = matching(names, folder, "model", ".bin");
  check(!found.empty(), "{}: has neither the config.json of a model of transformers nor a model of Marian (.npz, .bin)",
        folder.string());
  check(found.size() == 1, "{}: has several models: {}; choose one of them", folder.string(), join(found, ", "));
  return found[0];
}

// Files that were not named are those beside the model with the usual names.
MarianFiles marian_files(const ImportFiles& files) {
  const fs::path path = files.model;
  const bool is_folder = fs::is_directory(path);
  const fs::path folder = is_folder ? path : path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::vector<std::string> names = files_in(folder);
  MarianFiles result{is_folder ? find_marian_model(names, folder) : files.model, files.vocabularies, files.subwords,
                     files.shortlist};
  const auto look = [&](std::string_view begin, std::string_view end) { return matching(names, folder, begin, end); };
  const auto look_for_two = [&](std::string_view first, std::string_view second, std::string_view end) {
    std::vector<std::string> both = look(first, end), other = look(second, end);
    if (both.size() != 1 || other.size() != 1) return std::vector<std::string>();
    both.push_back(other[0]);
    return both;
  };
  if (result.vocabularies.empty()) result.vocabularies = look_for_two("srcvocab", "trgvocab", ".spm");
  if (result.vocabularies.empty()) result.vocabularies = look("vocab", ".spm");
  if (result.vocabularies.empty()) result.vocabularies = look("", "vocab.yml");
  if (result.subwords.empty()) result.subwords = look_for_two("source", "target", ".spm");
  if (result.shortlist.empty() && look("lex", ".bin").size() == 1) result.shortlist = look("lex", ".bin")[0];
  return result;
}

// Models of Firefox are called model.deen.intgemm.alphas.bin.
std::pair<std::string, std::string> languages_in(const std::string& file) {
  constexpr std::string_view kBegin = "model.";
  constexpr std::size_t kCode = 2;
  if (!file.starts_with(kBegin) || file.find('.', kBegin.size()) != kBegin.size() + 2 * kCode) return {};
  return {file.substr(kBegin.size(), kCode), file.substr(kBegin.size() + kCode, kCode)};
}

Found import_any(const ImportFiles& files) {
  const std::string& path = files.model;
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  check(status.type() != fs::file_type::none, "{}: cannot be read: {}", path, reason.message());
  check(fs::exists(status), "{}: there is no such file or folder", path);
  if (fs::is_directory(status) && fs::exists(fs::symlink_status(fs::path(path) / "config.json")))
    return import_folder(path);
  check(fs::is_directory(status) || path.ends_with(".npz") || path.ends_with(".bin"),
        "{}: is not a format that is known; expected a folder of a model of transformers, or a model of Marian (.npz, "
        ".bin)",
        path);
  const MarianFiles found = marian_files(files);
  const auto [source, target] = languages_in(fs::path(found.model).filename().string());
  return {import_marian(found), "Marian", source, target};
}

// "opus-mt-en-de" for a folder of this name, also if the path ends with a slash.
std::string short_name(const std::string& path) {
  const fs::path whole = fs::weakly_canonical(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

// A file beside the model may be one that an earlier import wrote, but not one of the model's own.
void check_output(const ImportFiles& files, const std::string& output) {
  std::error_code absent;
  const fs::path model = files.model;
  const fs::path folder = fs::is_directory(model, absent) ? model : model.parent_path();
  const bool beside = fs::equivalent(fs::path(output).parent_path() / ".", folder / ".", absent);
  if (!beside || !fs::is_regular_file(output, absent)) return;
  bool written = true;
  try {
    const store::ModelFile ours(output);
  } catch (const Error&) {
    written = false;
  }
  check(written, "{}: is a file of the model itself and would be lost; write to another file", output);
}

}  // namespace

std::unique_ptr<models::Seq2seq> empty_network(const models::ModelConfig& config, const std::string& path) {
  try {
    // What was computed from another program's settings is within the limits of ours.
    models::ModelConfig limited = config;
    Settings settings(limited);
    for (const Setting& setting : settings.all()) settings.set(setting.key, setting.get());
    auto network = std::make_unique<models::Seq2seq>(config);
    network->parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
    return network;
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

ImportSummary import_model(const ImportFiles& files, const std::string& output, store::StoredFormat format) {
  check_output(files, output);
  Found found = import_any(files);
  store::ModelInfo& info = found.model.info;
  for (const std::int32_t id : info.target_start.value_or(std::vector<std::int32_t>()))
    check(id < info.config.target_vocabulary, "{}: translations begin with the token {}, but there are {}", files.model,
          id, info.config.target_vocabulary);
  info.card[kImportedCard] = short_name(files.model) + ", " + found.format;
  const std::vector<std::string> languages =
      text::deserialize_tokenizer(info.source_tokenizer)->language_tags().languages;
  const bool both = info.language_marks != store::LanguageMarks::target_before_source;
  if (!languages.empty()) info.card[both ? "source and target languages" : "target languages"] = join(languages, " ");
  if (const std::string directions = directions_of(found, languages); !directions.empty())
    info.card[text::kLanguagesCard] = directions;
  const nn::Parameters& parameters = found.model.network->parameters();
  store::save_model(output, info, parameters, format);
  return {.format = found.format,
          .parameters = parameters.count(),
          .source_vocabulary = info.config.source_vocabulary,
          .target_vocabulary = info.config.target_vocabulary,
          .languages = languages.size(),
          .shortlist = !info.shortlist.empty()};
}

}  // namespace dragoman::exchange

#include "store/model_file.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <set>
#include <sstream>

#include "base/quote.h"
#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/checksum.h"

namespace dragoman::store {
namespace {

constexpr const char* kFormat = "dragoman";
constexpr const char* kVersion = "1";
constexpr const char* kSourceTokenizer = "tokenizer.source";
constexpr const char* kTargetTokenizer = "tokenizer.target";
constexpr const char* kCard = "card.";
constexpr const char* kFrequent = "frequent";
constexpr const char* kBegins = "begins";
constexpr const char* kTargets = "targets";
constexpr const char* kLanguageMarks = "language_marks";
constexpr const char* kTargetStart = "target_start";
// More than any model begins its translations with.
constexpr std::size_t kMostStartTokens = 16;

std::vector<Size> sizes_of(const Shape& shape) {
  std::vector<Size> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  return sizes;
}

bool is_of_shortlist(const std::string& name) {
  const std::string_view prefix = kShortlistPrefix;
  if (!name.starts_with(prefix)) return false;
  const std::string_view part = std::string_view(name).substr(prefix.size());
  return part == kFrequent || part == kBegins || part == kTargets;
}

// Whether a tensor of a model file is a vocabulary, a shortlist or training state instead of a parameter.
bool is_companion(const std::string& name) {
  return name == kSourceTokenizer || name == kTargetTokenizer || is_of_shortlist(name) ||
         name.starts_with(kTrainingPrefix);
}

std::vector<StoredTensor> tensors_of(const align::Shortlist& shortlist) {
  std::vector<StoredTensor> tensors;
  if (shortlist.empty()) return tensors;
  const auto add = [&](const char* name, const std::vector<std::int32_t>& numbers) {
    tensors.push_back({std::string(kShortlistPrefix) + name,
                       "I32",
                       {std::ssize(numbers)},
                       {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)}});
  };
  add(kFrequent, shortlist.frequent());
  add(kBegins, shortlist.begins());
  add(kTargets, shortlist.targets());
  return tensors;
}

LanguageMarks read_language_marks(const std::string& text, const std::string& path) {
  if (text.empty()) return LanguageMarks::target_before_source;
  for (const auto& [marks, name] : EnumNames<LanguageMarks>::list)
    if (text == name) return marks;
  fail("{}: its sentences have language marks of an unknown kind, '{}'", path, excerpt(text));
}

std::string show_ids(const std::vector<std::int32_t>& ids) {
  std::string text;
  for (const std::int32_t id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

std::vector<std::int32_t> read_ids(const std::string& text, const std::string& path) {
  std::vector<std::int32_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::int64_t id = text_value::parse_integer(word);
    check(id >= 0 && id < models::kMostIds && ids.size() < kMostStartTokens,
          "{}: expected at most {} token ids that begin a translation but got '{}'", path, kMostStartTokens,
          excerpt(text));
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

template <class IsParameter>
void check_no_others(const SafetensorsFile& file, IsParameter is_parameter) {
  for (const TensorRecord& tensor : file.tensors())
    check(is_companion(tensor.name) || is_parameter(tensor.name) || is_scale(file, tensor.name),
          "{}: contains a tensor '{}' that does not belong to its configuration", file.path(), excerpt(tensor.name));
}

}  // namespace

Metadata metadata_of(const ModelInfo& info) {
  models::ModelConfig config = info.config;
  Metadata metadata = {{"format", kFormat},
                       {"version", kVersion},
                       {"config", Settings(config).dump()},
                       {"source_begin", info.source_begin ? "true" : "false"},
                       {"source_end", info.source_end ? "true" : "false"}};
  if (info.language_marks != LanguageMarks::target_before_source)
    metadata[kLanguageMarks] = name_of(info.language_marks);
  if (info.target_start) metadata[kTargetStart] = show_ids(*info.target_start);
  for (const auto& [key, value] : info.card) metadata[kCard + key] = value;
  return metadata;
}

std::vector<StoredTensor> companions_of(const ModelInfo& info) {
  std::vector<StoredTensor> tensors;
  for (const auto& [name, data] : {std::pair<const char*, const std::string&>{kSourceTokenizer, info.source_tokenizer},
                                   {kTargetTokenizer, info.target_tokenizer}})
    if (!data.empty()) tensors.push_back({name, "U8", {std::ssize(data)}, data});
  for (StoredTensor& tensor : tensors_of(info.shortlist)) tensors.push_back(std::move(tensor));
  return tensors;
}

std::vector<TensorRecord> records_of(const nn::Parameters& parameters) {
  const DType type = parameters.weights().dtype();
  std::vector<TensorRecord> records;
  for (const nn::Parameters::Entry& entry : parameters.entries())
    records.push_back({entry.name, stored_type(type), sizes_of(entry.shape), 0,
                       static_cast<std::uint64_t>(entry.shape.count() * size_of(type))});
  return records;
}

void save_model(const std::string& path, const ModelInfo& info, const nn::Parameters& parameters, StoredFormat format) {
  StoredWeights tensors(format);
  std::list<std::string> host;  // copies of the weights in host memory
  for (const nn::Parameters::Entry& entry : parameters.entries()) {
    const Tensor weights = parameters.weights_of(entry);
    std::string& bytes = host.emplace_back(weights.bytes(), '\0');
    weights.device().copy_to_host(bytes.data(), weights.raw(), weights.bytes());
    if (weights.dtype() == DType::f32)
      tensors.add(entry.name, sizes_of(entry.shape), bytes);
    else
      tensors.add({entry.name, stored_type(weights.dtype()), sizes_of(entry.shape), bytes});
  }
  for (const StoredTensor& tensor : companions_of(info)) tensors.add(tensor);
  write_safetensors(path, metadata_of(info), tensors.tensors());
}

void save_with_shortlist(const std::string& path, const align::Shortlist& shortlist, const std::string& note,
                         const std::string& output) {
  const ModelFile model(path);
  const std::map<std::string, std::string> bytes = model.file().read_all();
  std::vector<StoredTensor> tensors;
  for (const TensorRecord& tensor : model.file().tensors())
    if (!is_of_shortlist(tensor.name) && !tensor.name.starts_with(kTrainingPrefix))
      tensors.push_back({tensor.name, tensor.type, tensor.shape, bytes.at(tensor.name)});
  for (StoredTensor& tensor : tensors_of(shortlist)) tensors.push_back(std::move(tensor));
  Metadata metadata = model.file().metadata();
  metadata[kCard + std::string("shortlist")] = note;
  write_safetensors(output, metadata, tensors);
}

bool is_statistical(const SafetensorsFile& file) {
  const auto kind = file.metadata().find(kKind);
  return kind != file.metadata().end() && kind->second == kStatisticalKind;
}

ModelFile::ModelFile(const std::string& path, Configuration configuration) : file_(path) {
  const Metadata& metadata = file_.metadata();
  const auto get = [&](const std::string& key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  check(!is_statistical(file_), "{}: is a statistical model, which `dragoman translate` uses; expected a neural one",
        path);
  check(get("format") == kFormat, "{}: is a safetensors file but not a dragoman model", path);
  check(get("version") == kVersion, "{}: is a model of version '{}'; this program reads version {}", path,
        excerpt(get("version")), kVersion);
  Settings(info_.config).read_yaml(get("config"), path + ": configuration");
  if (configuration == Configuration::compared) check_configuration();
  info_.source_begin = get("source_begin") == "true";
  info_.source_end = get("source_end") != "false";
  info_.language_marks = read_language_marks(get(kLanguageMarks), path);
  if (metadata.contains(kTargetStart)) info_.target_start = read_ids(get(kTargetStart), path);
  for (const auto& [key, value] : metadata)
    if (key.starts_with(kCard)) info_.card[key.substr(std::string_view(kCard).size())] = value;
  if (const TensorRecord* source = file_.find(kSourceTokenizer)) info_.source_tokenizer = file_.read(*source);
  if (const TensorRecord* target = file_.find(kTargetTokenizer)) info_.target_tokenizer = file_.read(*target);
  info_.shortlist = read_shortlist();
}

align::Shortlist ModelFile::read_shortlist() const {
  const auto numbers = [this](const char* part) {
    const std::string name = std::string(kShortlistPrefix) + part;
    const TensorRecord* const tensor = file_.find(name);
    check(tensor != nullptr && tensor->type == "I32" && tensor->shape.size() == 1,
          "expected a tensor '{}', a list of I32, as part of the shortlist", name);
    const std::string bytes = file_.read(*tensor);
    std::vector<std::int32_t> list(bytes.size() / sizeof(std::int32_t));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  };
  const std::vector<TensorRecord>& all = file_.tensors();
  if (std::none_of(all.begin(), all.end(), [](const TensorRecord& one) { return is_of_shortlist(one.name); }))
    return {};
  try {
    return {{info_.config.source_vocabulary, info_.config.target_vocabulary},
            numbers(kFrequent),
            numbers(kBegins),
            numbers(kTargets)};
  } catch (const Error& error) {
    fail("{}: {}", file_.path(), error.what());
  }
}

const TensorRecord& ModelFile::stored(const std::string& name, const Shape& shape) const {
  const TensorRecord* const tensor = file_.find(name);
  check(tensor != nullptr, "{}: the tensor '{}' is missing", file_.path(), name);
  check(tensor->shape == sizes_of(shape), "{}: the tensor '{}' has {} bytes of {} and another shape than {}",
        file_.path(), name, tensor->size, excerpt(tensor->type), shape);
  if (tensor->type == "I8") {
    const TensorRecord* const scales = file_.find(name + std::string(kScaleSuffix));
    check(shape.rank() == 2 && scales != nullptr && scales->type == "F32" && scales->shape == std::vector{shape.rows()},
          "{}: the int8 tensor '{}' has no scales of {} rows", file_.path(), name, shape.rows());
  }
  return *tensor;
}

StoredFormat ModelFile::format() const {
  StoredFormat narrowest = StoredFormat::f32;
  for (const TensorRecord& tensor : file_.tensors()) {
    if (is_companion(tensor.name)) continue;
    const StoredFormat format = tensor.type == "I8"     ? StoredFormat::int8
                                : tensor.type == "BF16" ? StoredFormat::bf16
                                : tensor.type == "F16"  ? StoredFormat::f16
                                                        : StoredFormat::f32;
    narrowest = std::max(narrowest, format);
  }
  return narrowest;
}

Placement ModelFile::placed(Placement where) const {
  if (!where.as_stored) return where;
  const StoredFormat stored_as = format();
  const WeightFormat weights = stored_as == StoredFormat::int8   ? WeightFormat::int8
                               : stored_as == StoredFormat::bf16 ? WeightFormat::bf16
                                                                 : WeightFormat::same;
  return {.device = where.device, .type = where.type, .tf32 = where.tf32, .weights = weights};
}

// Declares the parameters of a model and compares each with the file at once; nothing is allocated for them.
void ModelFile::check_configuration() const {
  try {
    models::check_config(info_.config);
  } catch (const Error& error) {
    fail("{}: {}", file_.path(), error.what());
  }
  std::set<std::string> declared;
  const nn::Parameters::Admission admit = [&](const std::string& name, const Shape& shape) {
    stored(name, shape);
    declared.insert(name);
  };
  if (info_.config.classes > 0)
    models::Classifier(info_.config, admit);
  else
    models::Seq2seq(info_.config, admit);
  check_no_others(file_, [&](const std::string& name) { return declared.contains(name); });
}

void ModelFile::check_fits(const nn::Parameters& parameters) const {
  check_no_others(file_, [&](const std::string& name) { return parameters.find(name) != nullptr; });
  const std::string type = stored_type(parameters.weights().dtype());
  for (const nn::Parameters::Entry& entry : parameters.entries()) {
    const std::string& found = stored(entry.name, entry.shape).type;
    check(found == type || (type == "F32" && is_weight_type(found)), "{}: the tensor '{}' has another type than {}",
          file_.path(), entry.name, type);
  }
}

void ModelFile::load(nn::Parameters& parameters, Verified verified) const {
  check_fits(parameters);
  const std::string type = stored_type(parameters.weights().dtype());
  const bool direct = parameters.weights().device().on_host();
  CheckedReading reading(file_, verified);
  std::map<std::string, std::string> scales, unscaled;  // int8 tensors wait for their scales, and scales for them
  std::uint64_t largest = 0;
  for (const TensorRecord& tensor : file_.tensors())
    if (!is_companion(tensor.name)) largest = std::max(largest, tensor.size);
  const auto memory = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(largest));
  std::vector<float> wide;
  for (const TensorRecord& tensor : file_.tensors()) {
    const nn::Parameters::Entry* const entry = parameters.find(tensor.name);
    const bool is_scales = entry == nullptr && is_scale(file_, tensor.name);
    if (entry == nullptr && !is_scales) {
      reading.skip(tensor);
      continue;
    }
    const bool ready = !is_scales && tensor.type == type && !entry->packed_only;
    if (ready && direct) {
      reading.read(tensor, static_cast<char*>(parameters.weights_of(*entry).raw()));
      continue;
    }
    const std::string_view staged(memory.get(), static_cast<std::size_t>(tensor.size));
    reading.read(tensor, memory.get());
    if (ready) {
      parameters.weights_of(*entry).copy_from(staged.data());
    } else if (is_scales) {
      const std::string of = tensor.name.substr(0, tensor.name.size() - kScaleSuffix.size());
      const auto waiting = unscaled.find(of);
      if (waiting == unscaled.end()) {
        scales[of] = staged;
      } else {
        convert(*file_.find(of), waiting->second, staged, parameters, wide);
        unscaled.erase(waiting);
      }
    } else if (tensor.type == "I8" && !scales.contains(tensor.name)) {
      unscaled[tensor.name] = staged;
    } else {
      convert(tensor, staged, scales[tensor.name], parameters, wide);
    }
  }
  reading.finish();
  parameters.refresh();
}

void ModelFile::convert(const TensorRecord& tensor, std::string_view bytes, std::string_view scales,
                        nn::Parameters& parameters, std::vector<float>& wide) const {
  const nn::Parameters::Entry& entry = *parameters.find(tensor.name);
  try {
    // Their type is that of the packed format (see load_packed).
    if (entry.packed_only && tensor.type == "I8")
      return parameters.pack_rows(entry, reinterpret_cast<const std::int8_t*>(bytes.data()),
                                  checked_scales(tensor, scales).data());
    if (entry.packed_only) return parameters.pack_rows(entry, reinterpret_cast<const kernels::bf16*>(bytes.data()));
    wide.resize(static_cast<std::size_t>(entry.shape.count()));
    widen(tensor, bytes, scales, wide.data());
  } catch (const Error& error) {
    fail("{}: {}", file_.path(), error.what());
  }
  parameters.weights_of(entry).copy_from(wide.data());
}

void ModelFile::load_packed(nn::Parameters& parameters, const Placement& where) const {
  const char* const type = where.weights == WeightFormat::int8 ? "I8" : "BF16";
  if (where.device.on_host() && where.weights != WeightFormat::same)
    parameters.allocate_packed(where.device, where.weights, [&](const nn::Parameters::Entry& entry) {
      return stored(entry.name, entry.shape).type == type;
    });
  else
    parameters.allocate(where.device, where.type, std::nullopt, false);
  load(parameters);
  parameters.pack(where.weights);
  where.device.wait();  // other threads will read them
}

}  // namespace dragoman::store

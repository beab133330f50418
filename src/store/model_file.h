#pragma once

#include <optional>
#include <string>
#include <vector>

#include "align/shortlist.h"
#include "models/config.h"
#include "nn/parameters.h"
#include "store/stored_weights.h"
#include "tensor/placement.h"

namespace dragoman::store {

// How a model with a choice of languages is told which ones to translate between: by tags in its sentences.
enum class LanguageMarks {
  target_before_source,      // the target language before the source (Johnson et al. 2017)
  source_and_target_before,  // the source language before the source, the target language before the target
  source_after_end           // the source language after the end of the source, the target language before the target
};

// The contents of a model file beside its weights. A model file contains everything that translation needs.
struct ModelInfo {
  models::ModelConfig config;
  std::string source_tokenizer, target_tokenizer;  // from text::Tokenizer::serialize; may be empty
  Metadata card;                                 // model card for the reader: data, steps, scores with their signatures
  bool source_begin = false, source_end = true;  // BOS and EOS marks around the source in training
  align::Shortlist shortlist{};                  // of tokens of these tokenizers; may be empty
  LanguageMarks language_marks = LanguageMarks::target_before_source;
  // What the decoder reads before the tag of the target language, if there is one, and the first word; without a value,
  // the BOS token of the target's tokenizer.
  std::optional<std::vector<std::int32_t>> target_start{};
};

// The entry of the card with the number of tokens of the longest source sentences in training.
inline constexpr const char* kLongestCard = "longest-source";

// Prefix of tensors that belong to the training state, not to the model: moments, averages, the state of the run.
inline constexpr const char* kTrainingPrefix = "train.";

// Prefix of the tensors of a shortlist.
inline constexpr const char* kShortlistPrefix = "shortlist.";

// The metadata of a model file.
Metadata metadata_of(const ModelInfo& info);
// The tensors of a model file beside its parameters: vocabularies and shortlist. Their bytes are those of `info`.
std::vector<StoredTensor> companions_of(const ModelInfo& info);
// The parameters as tensors of a file, in the type of their weights, without places.
std::vector<TensorRecord> records_of(const nn::Parameters& parameters);

// Writes one valid safetensors file.
void save_model(const std::string& path, const ModelInfo& info, const nn::Parameters& parameters,
                StoredFormat format = StoredFormat::f32);

// Copies a model file with another shortlist, which the card describes as `note`; the weights keep their bytes. A
// checkpoint loses its training state.
void save_with_shortlist(const std::string& path, const align::Shortlist& shortlist, const std::string& note,
                         const std::string& output);

// The entry of the metadata that marks a statistical model, which is also a safetensors file but none of these.
inline constexpr const char* kKind = "dragoman.kind";
inline constexpr const char* kStatisticalKind = "statistical";
bool is_statistical(const SafetensorsFile& file);

// An open model file. The constructor checks format and version.
class ModelFile {
 public:
  // Whether the configuration must describe the tensors. A file whose configuration claims more layers, words or units
  // than it stores is refused at the first tensor that is missing, before a model is built from it. Only who loads the
  // weights into parameters that exist already has no use for the configuration.
  enum class Configuration { compared, unused };
  explicit ModelFile(const std::string& path, Configuration configuration = Configuration::compared);

  const ModelInfo& info() const { return info_; }
  const SafetensorsFile& file() const { return file_; }
  // The narrowest format of its matrices.
  StoredFormat format() const;
  // Where to compute with it: in its own format, if that was left open.
  Placement placed(Placement where) const;
  // Reads the weights into parameters allocated for this configuration. Throws if one is missing or has another shape,
  // if the file contains an unknown tensor, if the checksum does not match, or if a weight is not finite.
  // Reads only these tensors if the file has been verified.
  void load(nn::Parameters& parameters, Verified verified = Verified::no) const;
  // Allocates parameters for inference, reads the weights and packs them. A matrix that is stored in the format in
  // which it is multiplied goes from the file to its packed form and has no other.
  void load_packed(nn::Parameters& parameters, const Placement& where) const;
  // Throws if load() would throw for what the header says.
  void check_fits(const nn::Parameters& parameters) const;

 private:
  void check_configuration() const;
  // Passes a tensor of another type than that of the parameters to its entry. `scales` are for int8 only.
  void convert(const TensorRecord& tensor, std::string_view bytes, std::string_view scales, nn::Parameters& parameters,
               std::vector<float>& wide) const;
  align::Shortlist read_shortlist() const;
  // The stored tensor of a parameter. Throws if there is none, if it has another shape, or if its scales are missing.
  const TensorRecord& stored(const std::string& name, const Shape& shape) const;

  SafetensorsFile file_;
  ModelInfo info_;
};

}  // namespace dragoman::store

template <>
struct dragoman::EnumNames<dragoman::store::LanguageMarks> {
  using Marks = dragoman::store::LanguageMarks;
  static constexpr std::pair<Marks, const char*> list[] = {
      {Marks::target_before_source, "target before source"},
      {Marks::source_and_target_before, "source and target before"},
      {Marks::source_after_end, "source after end"}};
};

// Weights under their own names as an archive of NumPy, with the configuration and the vocabularies as text.
#include "base/error.h"
#include "exchange/export_folder.h"
#include "exchange/export_formats.h"
#include "exchange/exported_vocabulary.h"
#include "exchange/little_endian.h"
#include "exchange/zip_writer.h"
#include "text/vocabulary.h"

namespace dragoman::exchange {
namespace {

using nlohmann::ordered_json;

// What precedes the numbers of a .npy file of version 1: the magic bytes, the version, the length of the description,
// and the description, filled with spaces to a multiple of 64 bytes.
std::string npy_head(const Shape& shape) {
  std::string sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes += fmt::format("{}, ", shape[axis]);
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", sizes);
  constexpr std::size_t kBefore = 10, kMultiple = 64;
  while ((kBefore + text.size() + 1) % kMultiple != 0) text += ' ';
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of(static_cast<std::uint16_t>(text.size())) + text;
}

void write_weights(const ExportedModel& model, const std::string& path) {
  ZipWriter archive(path);
  for (const nn::Parameters::Entry& entry : model.parameters().entries()) {
    const std::span<const float> values = model.weights(entry);
    archive.add(entry.name + ".npy", npy_head(entry.shape),
                {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  archive.commit();
}

ordered_json describe(const ExportedVocabulary& vocabulary) {
  const text::SpecialIds& special = vocabulary.special;
  ordered_json json = {{"unknown", special.unknown},
                       {"begin", special.begin},
                       {"end", special.end},
                       {"padding", special.pad},
                       {"never_written", vocabulary.never}};
  if (!vocabulary.tags.languages.empty())
    json["languages"] = {{"names", vocabulary.tags.languages}, {"ids", vocabulary.tags.ids}};
  json["tokens"] = vocabulary.pieces;
  return json;
}

// The labels of a classifier, by class. They are the words of its target vocabulary.
std::vector<std::string> labels_of(const ExportedModel& model) {
  std::vector<std::string> labels;
  const std::unique_ptr<text::Tokenizer> words = text::deserialize_tokenizer(model.info().target_tokenizer);
  for (std::int32_t id = text::Vocabulary::kSpecial; id < words->size(); ++id) labels.push_back(words->piece(id));
  return labels;
}

}  // namespace

void export_numpy(const ExportedModel& model, ExportFolder& folder) {
  models::ModelConfig config = model.config();
  const store::ModelInfo& info = model.info();
  ordered_json marks = {{"source_begin", info.source_begin}, {"source_end", info.source_end}};
  std::vector<std::pair<std::string, ExportedVocabulary>> vocabularies;
  vocabularies.emplace_back("source", vocabulary_of(model, Side::source));
  if (config.classes == 0) {
    vocabularies.emplace_back("target", vocabulary_of(model, Side::target));
    marks["language_marks"] = name_of(info.language_marks);
    marks["target_start"] =
        info.target_start.value_or(std::vector<std::int32_t>{vocabularies.back().second.special.begin});
  } else if (!info.target_tokenizer.empty()) {
    marks["labels"] = labels_of(model);
  }
  folder.write("config.yaml", Settings(config).dump());
  folder.write_json("marks.json", marks);
  folder.write_json("card.json", info.card);
  for (const auto& [side, vocabulary] : vocabularies) {
    folder.write_json(side + "_vocabulary.json", describe(vocabulary));
    if (!vocabulary.subwords.empty()) folder.write(side + ".spm", vocabulary.subwords);
  }
  write_weights(model, folder.file("weights.npz"));
}

}  // namespace dragoman::exchange

#include "store/average.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/model_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

void save(const std::string& path, int size, float value) {
  models::ModelConfig config = models::preset("lstm-luong");
  config.source_vocabulary = config.target_vocabulary = 10;
  config.embedding = config.recurrent.encoder_hidden = size;
  config.recurrent.decoder_hidden = 2 * size;
  models::Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  const std::vector<float> values(static_cast<std::size_t>(model.parameters().weights().count()), value);
  model.parameters().weights().copy_from(values.data());
  ModelInfo info;
  info.config = config;
  info.source_tokenizer = "words";
  save_model(path, info, model.parameters());
  // As in a checkpoint.
  const SafetensorsFile file(path);
  const std::map<std::string, std::string> bytes = file.read_all();
  std::vector<StoredTensor> tensors;
  for (const TensorRecord& one : file.tensors()) tensors.push_back({one.name, one.type, one.shape, bytes.at(one.name)});
  tensors.push_back({"train.first", "U8", {3}, "abc"});
  write_safetensors(path, file.metadata(), tensors);
}

float weight_of(const ModelFile& model) {
  float value;
  const TensorRecord* const tensor = model.file().find("output.weight");
  model.file().read(*tensor, 0, reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

TEST(Average, IsTheMeanOfTheWeightsWithoutTrainingState) {
  const support::TempFolder folder;
  save(folder.file("a"), 4, 1);
  save(folder.file("b"), 4, 2);
  save(folder.file("c"), 4, 6);
  average_models({folder.file("a"), folder.file("b"), folder.file("c")}, folder.file("mean"));
  const ModelFile mean(folder.file("mean"));
  EXPECT_TRUE(mean.file().verify());
  EXPECT_EQ(weight_of(mean), 3);
  EXPECT_EQ(mean.info().source_tokenizer, "words");
  EXPECT_EQ(mean.file().find("train.first"), nullptr);
}

TEST(Average, RefusesModelsOfDifferentShapesAndNamesThem) {
  const support::TempFolder folder;
  save(folder.file("a"), 4, 1);
  save(folder.file("b"), 5, 1);
  const std::string words = support::message([&] {
    average_models({folder.file("a"), folder.file("b")}, folder.file("mean"));
  });
  EXPECT_NE(words.find("differ in '"), std::string::npos) << words;
  EXPECT_FALSE(std::filesystem::exists(folder.file("mean")));
}

TEST(Average, MayBeStoredInANarrowFormatButNotMadeFromOne) {
  const support::TempFolder folder;
  save(folder.file("a"), 4, 1);
  save(folder.file("b"), 4, 2);
  average_models({folder.file("a"), folder.file("b")}, folder.file("mean"), StoredFormat::int8);
  EXPECT_EQ(ModelFile(folder.file("mean")).format(), StoredFormat::int8);
  EXPECT_EQ(ModelFile(folder.file("mean")).info().card.at("weights"), "int8");
  const std::string words = support::message([&] {
    average_models({folder.file("mean"), folder.file("b")}, folder.file("again"));
  });
  EXPECT_NE(words.find("its weights are stored in int8, which is too coarse for a mean"), std::string::npos) << words;
}

TEST(Average, NeverSignsADamagedFileAnew) {
  const support::TempFolder folder;
  save(folder.file("a"), 4, 1);
  save(folder.file("b"), 4, 2);
  std::string bytes = support::read_all(folder.file("b"));
  bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
  folder.write("b", bytes);
  EXPECT_EQ(support::message([&] {
              average_models({folder.file("a"), folder.file("b")}, folder.file("mean"));
            }),
            folder.file("b") + ": is damaged: its checksum does not match");
  EXPECT_FALSE(std::filesystem::exists(folder.file("mean")));
}

}  // namespace
}  // namespace dragoman::store

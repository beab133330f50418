#include "store/average.h"

#include <gtest/gtest.h>

#include <cstring>

#include "store/model_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

void save(const std::string& path, Size size, float value) {
  nn::Parameters parameters;
  parameters.add("layer.weight", {size}, nn::Init::ones());
  parameters.allocate(cpu_device(), DType::f32, 1, false);
  const std::vector<float> values(static_cast<std::size_t>(size), value);
  parameters.entries()[0].tensor.copy_from(values.data());
  ModelInfo info;
  info.source_tokenizer = "words";
  save_model(path, info, parameters, {{"train.first", "U8", {3}, "abc"}});
}

TEST(Average, IsTheMeanOfTheWeightsWithoutTrainingState) {
  const support::TempFolder folder;
  save(folder.file("a"), 4, 1);
  save(folder.file("b"), 4, 2);
  save(folder.file("c"), 4, 6);
  average_models({folder.file("a"), folder.file("b"), folder.file("c")}, folder.file("mean"));
  const ModelFile mean(folder.file("mean"));
  mean.file().verify();
  float value;
  std::memcpy(&value, mean.file().find("layer.weight")->bytes.data(), sizeof value);
  EXPECT_EQ(value, 3);
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
  EXPECT_NE(words.find("differ in 'layer.weight'"), std::string::npos) << words;
  EXPECT_FALSE(std::filesystem::exists(folder.file("mean")));
}

}  // namespace
}  // namespace dragoman::store

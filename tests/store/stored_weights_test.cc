#include "store/stored_weights.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/convert.h"
#include "store/model_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The values of a [rows, cols] matrix after they were stored in a format.
std::vector<float> stored_and_read(StoredFormat format, Size rows, Size cols, const std::vector<float>& values) {
  StoredWeights weights(format);
  weights.add("w", {rows, cols}, bytes_of(values));
  const StoredTensor& tensor = weights.tensors().back();
  const std::string_view scales = weights.tensors().front().bytes;
  std::vector<float> read(values.size());
  widen({tensor.name, tensor.type, tensor.shape, 0, tensor.bytes.size()}, tensor.bytes, scales, read.data());
  return read;
}

TEST(StoredWeights, HalvesAreReadAsTheyWereWrittenAndRoundedToTheNearest) {
  // All positive halves from the smallest on, as sums of powers of two.
  std::vector<float> halves;
  for (int exponent = -14; exponent <= 15; ++exponent)
    for (int fraction = 0; fraction < 1024; ++fraction)
      halves.push_back(std::ldexp(1 + static_cast<float>(fraction) / 1024, exponent));
  for (int fraction = 0; fraction < 1024; ++fraction) halves.push_back(std::ldexp(static_cast<float>(fraction), -24));
  const auto count = std::ssize(halves);
  EXPECT_EQ(stored_and_read(StoredFormat::f16, count, 1, halves), halves);
  for (float& value : halves) value = -value;
  EXPECT_EQ(stored_and_read(StoredFormat::f16, count, 1, halves), halves);
  // Ties go to the even fraction; numbers beyond the range become the largest.
  EXPECT_EQ(stored_and_read(StoredFormat::f16, 1, 4, {1 + 0x1p-11f, 1 + 0x3p-11f, 1e6f, 0x1p-25f}),
            (std::vector<float>{1, 1 + 0x1p-9f, 65504, 0}));
}

TEST(StoredWeights, BeyondTheRangeOfTheirFormatBecomeTheLargest) {
  const float most = std::numeric_limits<float>::max();
  for (const auto format : {StoredFormat::f16, StoredFormat::bf16, StoredFormat::int8}) {
    const std::vector<float> read = stored_and_read(format, 2, 2, {most, 0, -most, most});
    EXPECT_EQ(read[0], read[3]);
    EXPECT_EQ(read[2], -read[0]);
    EXPECT_EQ(read[1], 0);
    EXPECT_GE(read[0], format == StoredFormat::f16 ? 65504 : 0.98f * most);
    EXPECT_LE(read[0], most) << name_of(format) << " became infinite";
  }
}

TEST(StoredWeights, OfInt8AreWithinHalfAStepOfTheLargestInTheirRow) {
  Random random(7);
  std::vector<float> values(60 * 40);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.normal()) * std::ldexp(1.0f, static_cast<int>(i / 40 % 9) - 4);
  std::fill_n(values.begin() + 40, 40, 0.0f);
  const std::vector<float> read = stored_and_read(StoredFormat::int8, 60, 40, values);
  for (std::size_t row = 0; row < 60; ++row) {
    float largest = 0;
    for (std::size_t i = 40 * row; i < 40 * row + 40; ++i) largest = std::max(largest, std::abs(values[i]));
    for (std::size_t i = 40 * row; i < 40 * row + 40; ++i)
      EXPECT_NEAR(read[i], values[i], largest / 127 / 2 * 1.0001f) << i;
  }
}

TEST(StoredWeights, OfInt8AreNeverInfinite) {
  const std::string numbers(2, 127);
  std::vector<float> to(2);
  for (const float scale : {3e38f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    const std::vector<float> scales = {1, scale};
    const std::string words = support::message([&] {
      widen({"w", "I8", {2, 1}, 0, 2}, numbers, bytes_of(scales), to.data());
    });
    EXPECT_NE(words.find("the scales of the int8 tensor 'w' are not between 0 and"), std::string::npos) << words;
  }
}

TEST(StoredWeights, VectorsStayAsTheyAre) {
  const std::vector<float> values = {0.1f, 2e-9f, -3};
  StoredWeights weights(StoredFormat::int8);
  weights.add("b", {3}, bytes_of(values));
  ASSERT_EQ(weights.tensors().size(), 1u);
  EXPECT_EQ(weights.tensors()[0].type, "F32");
  EXPECT_EQ(weights.tensors()[0].bytes, bytes_of(values));
}

class ConvertedModels : public ::testing::Test {
 protected:
  ConvertedModels() : network_(config()) {
    network_.parameters().allocate(cpu_device(), DType::f32, 1, false);
    save_model(folder_.file("m"), {network_.config(), "source", "target", {{"steps", "7"}}}, network_.parameters());
  }
  static models::ModelConfig config() {
    models::ModelConfig config = models::preset("transformer-tiny");
    config.source_vocabulary = 20;
    config.target_vocabulary = 24;
    return config;
  }
  static std::vector<float> weights_of(const std::string& path) {
    models::Seq2seq network(config());
    network.parameters().allocate(cpu_device(), DType::f32, 2, false);
    ModelFile(path).load(network.parameters());
    return network.parameters().weights().to_host<float>();
  }

  support::TempFolder folder_;
  models::Seq2seq network_;
};

TEST_F(ConvertedModels, AreSmallerAndKeepEverythingElse) {
  const auto size = std::filesystem::file_size(folder_.file("m"));
  const std::vector<float> exact = network_.parameters().weights().to_host<float>();
  for (const auto& [format, share, most] : {std::tuple{StoredFormat::f16, 0.52, 1e-3f},
                                            {StoredFormat::bf16, 0.52, 8e-3f},
                                            {StoredFormat::int8, 0.28, 2e-2f}}) {
    SCOPED_TRACE(name_of(format));
    convert_model(folder_.file("m"), format, folder_.file("n"));
    EXPECT_LT(static_cast<double>(std::filesystem::file_size(folder_.file("n"))), share * static_cast<double>(size));
    const ModelFile file(folder_.file("n"));
    EXPECT_EQ(file.format(), format);
    EXPECT_EQ(file.info().source_tokenizer, "source");
    EXPECT_EQ(file.info().card.at("steps"), "7");
    EXPECT_EQ(file.info().card.at("weights"), name_of(format));
    EXPECT_TRUE(file.file().verify());
    const std::vector<float> read = weights_of(folder_.file("n"));
    float error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) error = std::max(error, std::abs(read[i] - exact[i]));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, most);
  }
}

TEST_F(ConvertedModels, OfInt8AreTheSameAfterAnotherConversion) {
  convert_model(folder_.file("m"), StoredFormat::int8, folder_.file("a"));
  convert_model(folder_.file("a"), StoredFormat::f32, folder_.file("b"));
  convert_model(folder_.file("b"), StoredFormat::int8, folder_.file("c"));
  const SafetensorsFile first(folder_.file("a")), second(folder_.file("c"));
  for (const TensorRecord& tensor : first.tensors())
    if (tensor.type == "I8") {
      EXPECT_EQ(first.read(tensor), second.read(*second.find(tensor.name))) << tensor.name;
    }
}

TEST_F(ConvertedModels, AreComputedInTheirOwnFormatUnlessAnotherIsAskedFor) {
  convert_model(folder_.file("m"), StoredFormat::int8, folder_.file("n"));
  const ModelFile file(folder_.file("n"));
  EXPECT_EQ(file.placed(find_placement({.device = "cpu"})).weights, WeightFormat::int8);
  EXPECT_EQ(file.placed(find_placement({.device = "cpu", .precision = Precision::f32})).weights, WeightFormat::same);
  EXPECT_EQ(ModelFile(folder_.file("m")).placed(find_placement({.device = "cpu"})).weights, WeightFormat::same);
}

// The numbers of a matrix of a packed model.
std::vector<float> numbers_of(const nn::Parameters::Entry& entry) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  return plain_weight(cx, entry.tensor).to_host<float>();
}

TEST_F(ConvertedModels, HoldTheirMatricesPackedAndInNoOtherForm) {
  for (const auto& [format, bytes] : {std::pair{StoredFormat::int8, 1.2}, {StoredFormat::bf16, 2.2}}) {
    SCOPED_TRACE(name_of(format));
    convert_model(folder_.file("m"), format, folder_.file("n"));
    const ModelFile file(folder_.file("n"));
    models::Seq2seq packed(config()), plain(config());
    file.load_packed(packed.parameters(), file.placed(find_placement({.device = "cpu"})));
    plain.parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
    file.load(plain.parameters());
    double elements = 0, vectors = 0;
    for (const nn::Parameters::Entry& entry : packed.parameters().entries()) {
      (entry.packed_only ? elements : vectors) += static_cast<double>(entry.shape.count());
      if (!entry.packed_only || entry.tensor.packed() == nullptr) continue;
      EXPECT_EQ(numbers_of(entry), plain.parameters().weights_of(*plain.parameters().find(entry.name)).to_host<float>())
          << entry.name;
    }
    EXPECT_GT(elements, 20 * vectors);
    const auto tables = static_cast<double>(2 * config().transformer.max_positions * config().transformer.size);
    EXPECT_LT(static_cast<double>(packed.parameters().bytes()), bytes * elements + 4.1 * (vectors + tables));
    EXPECT_THROW(save_model(folder_.file("o"), file.info(), packed.parameters()), Error);
  }
}

TEST_F(ConvertedModels, MayHaveTheirScalesBehindTheNumbers) {
  convert_model(folder_.file("m"), StoredFormat::int8, folder_.file("n"));
  const SafetensorsFile file(folder_.file("n"));
  const std::map<std::string, std::string> all = file.read_all();
  std::vector<StoredTensor> tensors;
  for (const bool scales : {false, true})
    for (const TensorRecord& tensor : file.tensors())
      if (is_scale(file, tensor.name) == scales)
        tensors.push_back({tensor.name, tensor.type, tensor.shape, all.at(tensor.name)});
  Metadata metadata = file.metadata();
  metadata.erase("checksum");
  write_safetensors(folder_.file("o"), metadata, tensors);
  EXPECT_EQ(weights_of(folder_.file("o")), weights_of(folder_.file("n")));
}

TEST_F(ConvertedModels, WithoutTheirScalesAreRefused) {
  convert_model(folder_.file("m"), StoredFormat::int8, folder_.file("n"));
  const SafetensorsFile file(folder_.file("n"));
  const std::map<std::string, std::string> all = file.read_all();
  std::vector<StoredTensor> tensors;
  for (const TensorRecord& tensor : file.tensors())
    if (tensor.name != "encoder.layers.0.linear1.weight.scale")
      tensors.push_back({tensor.name, tensor.type, tensor.shape, all.at(tensor.name)});
  Metadata metadata = file.metadata();
  metadata.erase("checksum");
  write_safetensors(folder_.file("o"), metadata, tensors);
  EXPECT_NE(support::message([&] {
              ModelFile(folder_.file("o"));
            }).find("the int8 tensor 'encoder.layers.0.linear1.weight' has no scales"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::store

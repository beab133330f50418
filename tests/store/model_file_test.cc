#include "store/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "base/hash.h"
#include "models/classifier.h"
#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/average.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

class ModelFiles : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  static models::ModelConfig small(const std::string& name) {
    models::ModelConfig config = models::preset(name);
    config.source_vocabulary = 20;
    config.target_vocabulary = 24;
    if (config.tied == models::Tie::all) config.source_vocabulary = config.target_vocabulary;
    config.embedding = config.family == models::family_named("transformer") ? 16 : 10;
    config.transformer.size = 16;
    config.transformer.feed_forward = 20;
    config.recurrent.encoder_hidden = 6;
    config.recurrent.decoder_hidden = 12;
    return config;
  }

  void write(const std::string& name, const std::string& bytes) const { folder_.write(name, bytes); }

  std::string error_of(const std::string& name) const {
    return support::message([&] {
      ModelFile file(path(name));
      models::Seq2seq model(file.info().config);
      model.parameters().allocate(cpu_device(), DType::f32, 1, false);
      file.load(model.parameters());
    });
  }

  support::TempFolder folder_;
};

TEST_F(ModelFiles, SaveAndLoadGiveTheSameBitsForEveryPreset) {
  for (const std::string& name : models::preset_names()) {
    SCOPED_TRACE(name);
    models::Seq2seq saved(small(name)), loaded(small(name));
    saved.parameters().allocate(cpu_device(), DType::f32, 1, false);
    loaded.parameters().allocate(cpu_device(), DType::f32, 2, false);
    const ModelInfo info{
        saved.config(), std::string("\0binary\xff", 8), "target", {{"steps", "100"}, {"note", "ä\"x\""}}};
    save_model(path("m.safetensors"), info, saved.parameters());
    const ModelFile file(path("m.safetensors"));
    file.load(loaded.parameters());
    EXPECT_EQ(saved.parameters().weights().to_host<float>(), loaded.parameters().weights().to_host<float>());
    EXPECT_EQ(file.info().source_tokenizer, info.source_tokenizer);
    EXPECT_EQ(file.info().target_tokenizer, info.target_tokenizer);
    EXPECT_EQ(file.info().card, info.card);
    models::ModelConfig before = saved.config(), after = file.info().config;
    EXPECT_EQ(Settings(before).dump(), Settings(after).dump());
  }
  EXPECT_EQ(folder_.names().size(), 1u) << "nothing is left behind";
}

TEST_F(ModelFiles, BadFilesAreRefusedWithTheReason) {
  models::Seq2seq model(small("transformer-tiny"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  save_model(path("good"), {model.config(), "", "", {}}, model.parameters());
  const std::string good = support::read_all(path("good"));
  EXPECT_EQ(error_of("good"), "nothing was thrown");
  EXPECT_NE(error_of("missing").find("cannot be opened"), std::string::npos);
  write("empty", "");
  EXPECT_NE(error_of("empty").find("only 0 bytes"), std::string::npos);
  write("text", "this is a text file, not a model");
  EXPECT_NE(error_of("text").find("does not start like"), std::string::npos);
  write("header", good.substr(0, 100));
  EXPECT_NE(error_of("header").find("truncated"), std::string::npos);
  write("short", good.substr(0, good.size() - 1));
  EXPECT_NE(error_of("short").find("truncated"), std::string::npos);
  write("long", good + "x");
  EXPECT_NE(error_of("long").find("its last 1 bytes belong to no tensor"), std::string::npos) << error_of("long");
  std::string newer = good;
  newer.replace(newer.find("\"version\":\"1\""), 13, "\"version\":\"7\"");
  write("newer", newer);
  EXPECT_NE(error_of("newer").find("version '7'; this program reads version 1"), std::string::npos)
      << error_of("newer");
  write_safetensors(path("other"), {}, {{"x", "U8", {3}, "abc"}});
  EXPECT_NE(error_of("other").find("not a dragoman model"), std::string::npos);
  std::string renamed = good;
  renamed.replace(renamed.find("encoder.norm.bias"), 17, "encoder.norm.bios");
  write("renamed", renamed);
  EXPECT_NE(error_of("renamed").find("the tensor 'encoder.norm.bias' is missing"), std::string::npos);
}

TEST_F(ModelFiles, DamagedHeadersNeverCrash) {
  models::Seq2seq model(small("lstm-luong"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  save_model(path("good"), {model.config(), "", "", {}}, model.parameters());
  const std::string good = support::read_all(path("good"));
  Random random(1);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bad = good.substr(0, 9000);
    for (int i = 0; i < 3; ++i) bad[random.below(4000)] = static_cast<char>(random.below(256));
    write("bad", bad);
    refused += error_of("bad") != "nothing was thrown";
  }
  EXPECT_EQ(refused, 300);
}

// Replaces a part of the header by another of the same length.
std::string with(std::string bytes, const std::string& part, const std::string& other) {
  const std::size_t at = bytes.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  EXPECT_EQ(part.size(), other.size());
  return bytes.replace(at, part.size(), other);
}

TEST_F(ModelFiles, AChangedBitIsNoticedWhereverItIs) {
  models::Seq2seq model(small("lstm-luong"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  save_model(path("good"), {model.config(), "source", "target", {{"steps", "100"}}}, model.parameters());
  const std::string good = support::read_all(path("good"));
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    std::string bad = good;
    // Half of them in the header.
    const std::size_t at = random.below(round % 2 == 0 ? 4000 : bad.size());
    bad[at] = static_cast<char>(bad[at] ^ 1 << random.below(8));
    write("bad", bad);
    // Only in the word "checksum" itself: then there is none to check, and everything else is intact.
    const bool in_key = std::string_view(good).substr(at, 8).find("\":\"2:") != std::string_view::npos ||
                        std::string_view("checksum").find(good[at]) != std::string_view::npos;
    EXPECT_TRUE(in_key || error_of("bad") != "nothing was thrown") << "byte " << at;
  }
}

TEST_F(ModelFiles, SwappedOverlappingAndDetachedTensorsAreRefused) {
  models::ModelConfig config = small("transformer-tiny");
  config.target_vocabulary = config.source_vocabulary;
  models::Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  save_model(path("good"), {config, "", "", {}}, model.parameters());
  const std::string good = support::read_all(path("good"));
  const std::string a = "encoder.layers.0.norm1.weight", b = "encoder.layers.1.norm1.weight";
  write("swapped", with(with(with(good, a, std::string(a.size(), '#')), b, a), std::string(a.size(), '#'), b));
  EXPECT_NE(error_of("swapped").find("checksum does not match"), std::string::npos) << error_of("swapped");
  const auto place = [&](std::size_t begin) {
    std::string header = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                         R"("b":{"dtype":"U8","shape":[4],"data_offsets":[)" +
                         fmt::format("{},{}]}}}}", begin, begin + 4);
    header.resize(128, ' ');
    write("file", std::string("\x80\0\0\0\0\0\0\0", 8) + header + std::string(begin + 4, 'x'));
    return support::message([&] { SafetensorsFile file(path("file")); });
  };
  EXPECT_EQ(place(4), "nothing was thrown");
  EXPECT_NE(place(2).find("the tensor 'b' overlaps another one"), std::string::npos) << place(2);
  EXPECT_NE(place(6).find("the tensor 'b' follows bytes that belong to no tensor"), std::string::npos) << place(6);
}

TEST_F(ModelFiles, WeightsThatAreNotFiniteAreRefusedByName) {
  models::Seq2seq model(small("transformer-tiny"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    model.parameters().find("output.bias")->tensor.data<float>()[3] = bad;
    save_model(path("m"), {model.config(), "", "", {}}, model.parameters());
    EXPECT_NE(error_of("m").find("the tensor 'output.bias' has values that are not finite"), std::string::npos);
    EXPECT_NE(support::message([&] { SafetensorsFile(path("m")).verify(); }).find("not finite"), std::string::npos);
    const std::string average = support::message([&] { average_models({path("m")}, path("mean")); });
    EXPECT_NE(average.find("not finite"), std::string::npos) << average;
    EXPECT_FALSE(std::filesystem::exists(path("mean")));
  }
}

TEST_F(ModelFiles, AConfigurationThatClaimsMoreThanTheFileStoresIsRefusedBeforeAModelIsBuilt) {
  models::Seq2seq model(small("transformer-tiny"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  for (const auto& [key, value] : std::map<std::string, std::string>{{"transformer.encoder-layers", "1000"},
                                                                     {"target-vocabulary", "40000000"},
                                                                     {"source-vocabulary", "40000000"},
                                                                     {"transformer.feed-forward", "1000000"},
                                                                     {"transformer.max-positions", "1000000"}}) {
    models::ModelConfig config = model.config();
    Settings(config).set(key, value);
    if (key == "transformer.max-positions") config.transformer.positions = nn::PositionKind::learned;
    save_model(path("m"), {config, "", "", {}}, model.parameters());
    const std::string problem = support::message([&] { ModelFile file(path("m")); });
    EXPECT_TRUE(problem.find("is missing") != std::string::npos || problem.find("another shape") != std::string::npos ||
                problem.find("does not belong") != std::string::npos)
        << key << ": " << problem;
  }
  models::ModelConfig config = model.config();
  config.transformer.positions = nn::PositionKind::sinusoidal;
  config.transformer.max_positions = 30'000'000;
  EXPECT_NE(support::message([&] { models::check_config(config); }).find("is a table of more than 16777216 numbers"),
            std::string::npos);
}

// A file as versions 0.1 and 0.2 wrote it: the checksum covers the metadata and all bytes.
TEST_F(ModelFiles, TheChecksumOfOlderVersionsIsCheckedToo) {
  Hasher hasher;
  hasher.add_text("a");
  hasher.add_text("b");
  hasher.add("tensor");
  const auto make = [&](const std::string& checksum) {
    std::string header =
        R"({"__metadata__":{"a":"b")" + checksum + R"(},"t":{"dtype":"U8","shape":[6],)" + R"("data_offsets":[0,6]}})";
    header.resize(128, ' ');
    return std::string("\x80\0\0\0\0\0\0\0", 8) + header;
  };
  const std::string first = fmt::format(",\"checksum\":\"{:016x}\"", hasher.value());
  write("old", make(first) + "tensor");
  write("none", make("") + "tensor");
  write("damaged", make(first) + "tenser");
  EXPECT_TRUE(SafetensorsFile(path("old")).verify());
  EXPECT_FALSE(SafetensorsFile(path("none")).verify());
  EXPECT_EQ(SafetensorsFile(path("none")).read_all().at("t"), "tensor");
  EXPECT_EQ(support::message([&] { SafetensorsFile(path("damaged")).verify(); }),
            path("damaged") + ": is damaged: its checksum does not match");
}

TEST_F(ModelFiles, AFileThatIsTruncatedWhileItIsReadIsRefused) {
  models::Seq2seq model(small("transformer-tiny"));
  model.parameters().allocate(cpu_device(), DType::f32, 1, false);
  save_model(path("m"), {model.config(), "", "", {}}, model.parameters());
  const ModelFile file(path("m"));
  std::filesystem::resize_file(path("m"), std::filesystem::file_size(path("m")) / 2);
  EXPECT_NE(support::message([&] { file.load(model.parameters()); }).find("has become shorter while it was read"),
            std::string::npos);
}

TEST_F(ModelFiles, AHeaderOfBracketsIsRefusedWithoutBuildingThem) {
  const std::size_t size = 40'000'000;
  std::string header = "{\"a\":" + std::string(size - 5, '[');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  write("deep", length + header);
  EXPECT_NE(error_of("deep").find("JSON nested deeper than 32 levels"), std::string::npos) << error_of("deep");
}

}  // namespace
}  // namespace dragoman::store

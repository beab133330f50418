#include "store/model_file.h"

#include <gtest/gtest.h>

#include "models/classifier.h"
#include "models/presets.h"
#include "models/seq2seq.h"
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
  EXPECT_NE(error_of("renamed").find("'encoder.norm.bios' that does not belong to its configuration"),
            std::string::npos);
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

}  // namespace
}  // namespace dragoman::store

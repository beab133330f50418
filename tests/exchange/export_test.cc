// Exported models, read back: by `dragoman import`, by a reader of CTranslate2's format, by NumPy's format.
#include "exchange/export.h"

#include <gtest/gtest.h>

#include "exchange/import.h"
#include "exchange/npz_file.h"
#include "models/classifier.h"
#include "models/presets.h"
#include "nn/positions.h"
#include "tests/exchange/case.h"
#include "tests/exchange/ctranslate2_reader.h"
#include "tests/exchange/exported_case.h"
#include "tests/support/errors.h"

namespace dragoman::exchange {
namespace {

// The logits of a model for one pair of sentences.
std::vector<float> logits_of(const search::Model& model, const std::vector<std::int32_t>& source,
                             const std::vector<std::int32_t>& target) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const auto packed = [&](const std::vector<std::int32_t>& ids) {
    return Packed::from_host(cx, ids, std::vector<std::int32_t>{0, static_cast<std::int32_t>(ids.size())});
  };
  const models::Memory memory = model.network().encode(cx, packed(source));
  models::State state = model.network().start(cx, memory, false);
  const models::Decoded decoded = model.network().decode(cx, packed(target), memory, state);
  return model.network().logits(cx, decoded.features).to_host<float>();
}

void expect_same_logits(const search::Model& a, const search::Model& b, double tolerance) {
  const std::vector<std::int32_t> source = a.encode_source("the red dog sees a house", {});
  ASSERT_EQ(source, b.encode_source("the red dog sees a house", {}));
  std::vector<std::int32_t> target = a.target_start({});
  ASSERT_EQ(target, b.target_start({}));
  target.insert(target.end(), {7, 5, 9, 4, 7, 6});
  const std::vector<float> expected = logits_of(a, source, target), found = logits_of(b, source, target);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], tolerance) << i;
}

// ---- transformers ----

TEST(ExportToHuggingFace, AModelOfEverySettingComesBackWithTheSameLogits) {
  for (const models::Tie tied : {models::Tie::none, models::Tie::target, models::Tie::all})
    for (const nn::Sinusoids sinusoids : {nn::Sinusoids::alternating, nn::Sinusoids::halves}) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(tied), name_of(sinusoids)));
      ExportedCase one;
      one.info.config.tied = tied;
      one.info.config.transformer.sinusoids = sinusoids;
      one.info.config.transformer.scale_embeddings = tied != models::Tie::target;
      one.info.config.transformer.activation =
          tied == models::Tie::all ? models::FeedForwardKind::silu : models::FeedForwardKind::gelu_tanh;
      if (tied != models::Tie::none) one.share_vocabulary();
      one.write();
      one.write_as(ExportFormat::huggingface);
      const std::string again = one.folder.file("again.safetensors");
      import_model({one.exported()}, again, store::StoredFormat::f32);
      const Placement host = find_placement({.device = "cpu"});
      expect_same_logits(search::Model(one.path(), host), search::Model(again, host), 1e-5);
    }
}

TEST(ExportToHuggingFace, TheBasePresetCanBeWritten) {
  ExportedCase one;
  const models::ModelConfig preset = models::preset("transformer-base");
  one.info.config.tied = preset.tied;
  one.info.config.attention.score = preset.attention.score;
  models::TransformerConfig& t = one.info.config.transformer;
  const models::TransformerConfig small = t;
  t = preset.transformer;
  t.size = small.size, t.feed_forward = small.feed_forward;
  t.encoder_layers = t.decoder_layers = 1;
  one.write();
  EXPECT_EQ(one.write_as(ExportFormat::huggingface).files.back(), "model.safetensors");
}

TEST(ExportToHuggingFace, ImportedModelsGoOutAsTheyCameIn) {
  for (const char* name : {"marian", "marian_tags", "marian_separate"}) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    const support::TempFolder folder;
    export_model(one.path(), ExportFormat::huggingface, folder.file("model"));
    const std::string again = folder.file("again.safetensors");
    import_model({folder.file("model")}, again, store::StoredFormat::f32);
    const search::Model model(again, find_placement({.device = "cpu"}));
    for (const nlohmann::json& golden : one.expected()["logits"]) {
      const std::vector<float> expected = golden["values"];
      const std::vector<float> found = logits_of(model, golden["source"], golden["target"]);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-4) << i;
    }
    for (const nlohmann::json& sentence : one.expected()["sentences"])
      EXPECT_EQ(model.encode_source(sentence["text"].get<std::string>(), {.to = one.to()}),
                sentence["ids"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(model.target().never_written(), one.model().target().never_written());
  }
}

TEST(ExportToHuggingFace, TagsOfLanguagesAreSpelledAsItsTokenizerExpectsThem) {
  ExportedCase one;
  one.share_vocabulary();
  one.add_languages({"de", "fr"});
  one.info.card[text::kLanguagesCard] = "en-de en-fr";
  one.write();
  one.write_as(ExportFormat::huggingface);
  const nlohmann::json ids = one.json("vocab.json");
  EXPECT_EQ(one.json("tokenizer_config.json").at("source_lang"), "en");
  EXPECT_TRUE(one.json("tokenizer_config.json").at("target_lang").is_null());
  const text::LanguageTags tags = text::deserialize_tokenizer(one.info.source_tokenizer)->language_tags();
  EXPECT_EQ(ids.at(">>de<<"), tags.ids[0]);
  EXPECT_EQ(ids.at(">>fr<<"), tags.ids[1]);
  const std::string again = one.folder.file("again.safetensors");
  import_model({one.exported()}, again, store::StoredFormat::f32);
  EXPECT_EQ(store::ModelFile(again).info().card.at(text::kLanguagesCard), "en-de en-fr");
  const Placement host = find_placement({.device = "cpu"});
  EXPECT_EQ(search::Model(one.path(), host).encode_source("the red dog", {.to = "fr"}),
            search::Model(again, host).encode_source("the red dog", {.to = "fr"}));
}

TEST(ExportToHuggingFace, ForbiddenTokensAreForbiddenThereToo) {
  ExportedCase one;
  one.write();
  one.write_as(ExportFormat::huggingface);
  const nlohmann::json generation = one.json("generation_config.json"), config = one.json("config.json");
  EXPECT_EQ(generation.at("bad_words_ids"), nlohmann::json::parse("[[1],[3]]"));
  EXPECT_EQ(generation.at("decoder_start_token_id"), 1);
  EXPECT_EQ(generation.at("eos_token_id"), 2);
  EXPECT_TRUE(config.at("forced_eos_token_id").is_null());
  EXPECT_EQ(one.json("vocab.json").size(), static_cast<std::size_t>(one.info.config.source_vocabulary));
}

std::string refusal_to_write(const ExportedCase& one, ExportFormat format) {
  const std::string text = support::message([&] { one.write_as(format); });
  EXPECT_FALSE(std::filesystem::exists(one.exported()));
  return text;
}

TEST(ExportToHuggingFace, WhatMarianMTLacksIsRefusedWithAllReasons) {
  ExportedCase one;
  models::TransformerConfig& t = one.info.config.transformer;
  t.norm = models::NormOrder::pre;
  t.positions = nn::PositionKind::rotary;
  t.activation = models::FeedForwardKind::swiglu;
  one.info.source_begin = true;
  one.write();
  const std::string text = refusal_to_write(one, ExportFormat::huggingface);
  for (const char* reason :
       {"cannot be written as a MarianMT model", "model.transformer.norm is pre instead of post",
        "model.transformer.activation is swiglu instead of relu, gelu, gelu_tanh or silu",
        "model.transformer.positions is rotary instead of sinusoidal", "batch.source-begin is true instead of false"})
    EXPECT_NE(text.find(reason), std::string::npos) << text;
}

TEST(ExportToHuggingFace, SingleSettingsAreRefusedByName) {
  const auto refused = [](const std::function<void(ExportedCase&)>& change) {
    ExportedCase one;
    change(one);
    one.write();
    return refusal_to_write(one, ExportFormat::huggingface);
  };
  const std::pair<const char*, std::function<void(ExportedCase&)>> cases[] = {
      {"norm-kind is rms", [](ExportedCase& one) { one.transformer().norm_kind = nn::NormKind::rms; }},
      {"norm-epsilon is 1e-06", [](ExportedCase& one) { one.transformer().norm_epsilon = 1e-6; }},
      {"sinusoids is tensor2tensor",
       [](ExportedCase& one) { one.transformer().sinusoids = nn::Sinusoids::tensor2tensor; }},
      {"first-position is 2", [](ExportedCase& one) { one.transformer().first_position = 2; }},
      {"embedding-norm is true", [](ExportedCase& one) { one.transformer().embedding_norm = true; }},
      {"decoder-past is ssru", [](ExportedCase& one) { one.transformer().decoder_past = models::DecoderPast::ssru; }},
      {"attention.score is dot", [](ExportedCase& one) { one.info.config.attention.score = nn::Score::dot; }},
      {"head-size is 3", [](ExportedCase& one) { one.info.config.attention.head_size = 3; }},
      {"linformer is 4", [](ExportedCase& one) { one.info.config.attention.linformer = 4; }},
      {"model.lexical is true", [](ExportedCase& one) { one.info.config.lexical = true; }},
      {"source-end is false", [](ExportedCase& one) { one.info.source_end = false; }},
      {"starts with 2 tokens",
       [](ExportedCase& one) {
         one.info.target_start = {2, 1};
       }},
      {"detach-marks of the source is true",
       [](ExportedCase& one) { one.use_subwords({.signs = {.detach_marks = true}}); }},
      {"lower of the source is true", [](ExportedCase& one) { one.use_subwords({.prepare = {.lower = true}}); }},
      {"normalize of the target is nfkc",
       [](ExportedCase& one) { one.use_subwords({.prepare = {.normalize = text::NormalForm::nfkc}}); }},
      {"the source is not split by a SentencePiece model", [](ExportedCase& one) { one.use_words(); }}};
  for (const auto& [reason, change] : cases) EXPECT_NE(refused(change).find(reason), std::string::npos) << reason;
}

// ---- CTranslate2 ----

TEST(ExportToCTranslate2, VariablesHaveTheWeightsUnderItsNames) {
  ExportedCase one;
  one.info.config.tied = models::Tie::none;
  one.write();
  one.write_as(ExportFormat::ctranslate2);
  const CTranslate2Variables read(one.exported() + "/model.bin");
  EXPECT_EQ(read.specification(), "TransformerSpec");
  EXPECT_EQ(read.revision(), 7u);
  EXPECT_EQ(read.number("encoder/num_heads"), 2);
  EXPECT_EQ(read.number("decoder/alignment_heads"), 2);
  EXPECT_EQ(read.number("decoder/alignment_layer"), -1);
  EXPECT_EQ(read.number("encoder/pre_norm"), 0);
  EXPECT_EQ(read.number("encoder/scale_embeddings"), 1);
  EXPECT_EQ(read.number("decoder/start_from_zero_embedding"), 0);
  EXPECT_EQ(read.floats("encoder/embeddings_0/weight"), one.weights("encoder.embed_tokens.weight"));
  EXPECT_EQ(read.floats("decoder/embeddings/weight"), one.weights("decoder.embed_tokens.weight"));
  EXPECT_EQ(read.floats("decoder/projection/weight"), one.weights("output.weight"));
  for (const std::string layer : {"0", "1"}) {
    const std::string from = "decoder.layers." + layer, to = "decoder/layer_" + layer;
    EXPECT_EQ(read.floats(to + "/self_attention/linear_0/weight"), one.weights(from + ".self_attn.in_proj_weight"));
    EXPECT_EQ(read.floats(to + "/self_attention/linear_1/bias"), one.weights(from + ".self_attn.out_proj.bias"));
    std::vector<float> projections = read.floats(to + "/attention/linear_0/weight");
    const std::vector<float> keys_and_values = read.floats(to + "/attention/linear_1/weight");
    EXPECT_EQ(keys_and_values.size(), 2 * projections.size());
    projections.insert(projections.end(), keys_and_values.begin(), keys_and_values.end());
    EXPECT_EQ(projections, one.weights(from + ".multihead_attn.in_proj_weight"));
    EXPECT_EQ(read.floats(to + "/attention/layer_norm/gamma"), one.weights(from + ".norm2.weight"));
    EXPECT_EQ(read.floats(to + "/ffn/layer_norm/beta"), one.weights(from + ".norm3.bias"));
    EXPECT_EQ(read.floats(to + "/ffn/linear_0/weight"), one.weights(from + ".linear1.weight"));
    EXPECT_EQ(read.floats(to + "/ffn/linear_1/weight"), one.weights(from + ".linear2.weight"));
  }
  EXPECT_EQ(read.shape("decoder/layer_0/ffn/linear_0/weight"), (std::vector<std::uint32_t>{12, 8}));
}

// Words, positions and the settings that choose among CTranslate2's variants.
TEST(ExportToCTranslate2, EveryPositionAndTieHasItsVariables) {
  ExportedCase one;
  one.share_vocabulary();
  one.info.config.tied = models::Tie::all;
  one.transformer().sinusoids = nn::Sinusoids::tensor2tensor;
  one.transformer().first_position = 2;
  one.write();
  one.write_as(ExportFormat::ctranslate2);
  const CTranslate2Variables tied(one.exported() + "/model.bin");
  EXPECT_EQ(tied.alias("encoder/embeddings_0/weight"), "decoder/embeddings/weight");
  EXPECT_EQ(tied.alias("decoder/projection/weight"), "decoder/embeddings/weight");
  const std::vector<double> rows = nn::sinusoidal_rows(2, 32, 8, nn::Sinusoids::tensor2tensor);
  EXPECT_EQ(tied.floats("encoder/position_encodings/encodings"), std::vector<float>(rows.begin(), rows.end()));

  ExportedCase other;
  other.transformer().positions = nn::PositionKind::relative;
  other.transformer().norm = models::NormOrder::pre;
  other.transformer().norm_kind = nn::NormKind::rms;
  other.transformer().activation = models::FeedForwardKind::geglu_tanh;
  other.info.config.attention.score = nn::Score::dot;
  other.info.config.attention.head_size = 3;
  other.write();
  other.write_as(ExportFormat::ctranslate2);
  const CTranslate2Variables relative(other.exported() + "/model.bin");
  EXPECT_FALSE(relative.has("encoder/position_encodings/encodings"));
  EXPECT_EQ(relative.floats("decoder/layer_0/self_attention/relative_attention_bias"),
            other.weights("decoder.relative_positions.weight"));
  EXPECT_EQ(relative.alias("decoder/layer_1/self_attention/relative_attention_bias"),
            "decoder/layer_0/self_attention/relative_attention_bias");
  EXPECT_EQ(relative.number("encoder/layer_0/self_attention/head_dim"), 3);
  EXPECT_EQ(relative.floats("encoder/layer_0/self_attention/queries_scale"), std::vector<float>{1});
  EXPECT_FALSE(relative.has("encoder/layer_norm/beta"));
  EXPECT_EQ(relative.number("decoder/activation"), 1);
  EXPECT_EQ(relative.floats("encoder/layer_0/ffn/linear_0/weight"), other.weights("encoder.layers.0.linear3.weight"));
  EXPECT_EQ(relative.floats("encoder/layer_0/ffn/linear_0_noact/weight"),
            other.weights("encoder.layers.0.linear1.weight"));
}

TEST(ExportToCTranslate2, ForbiddenTokensHaveNoChance) {
  ExportedCase one;
  one.write();
  one.write_as(ExportFormat::ctranslate2);
  const CTranslate2Variables read(one.exported() + "/model.bin");
  std::vector<float> expected = one.weights("output.bias");
  expected[1] = expected[3] = -10000;  // BOS and padding
  EXPECT_EQ(read.floats("decoder/projection/bias"), expected);
}

TEST(ExportToCTranslate2, VocabulariesAndMarksAreInTheFolder) {
  ExportedCase one;
  one.use_words();
  one.info.source_begin = true;
  one.write();
  one.write_as(ExportFormat::ctranslate2);
  const nlohmann::json source = one.json("source_vocabulary.json"), config = one.json("config.json");
  ASSERT_EQ(source.size(), static_cast<std::size_t>(one.info.config.source_vocabulary));
  const auto tokenizer = text::deserialize_tokenizer(one.info.source_tokenizer);
  for (std::int32_t id = 0; id < tokenizer->size(); ++id)
    if (!tokenizer->piece(id).empty()) {
      EXPECT_EQ(source[static_cast<std::size_t>(id)], tokenizer->piece(id));
    }
  EXPECT_EQ(config.at("add_source_bos"), true);
  EXPECT_EQ(config.at("add_source_eos"), true);
  EXPECT_EQ(config.at("decoder_start_token"), "<s>");
  EXPECT_EQ(config.at("eos_token"), "</s>");
  EXPECT_EQ(config.at("layer_norm_epsilon"), 1e-5);
}

TEST(ExportToCTranslate2, ImportedModelsOfEveryFamilyCanBeWritten) {
  for (const char* name : {"marian", "marian_npz", "marian_prenorm", "nllb", "mbart", "bart", "t5", "madlad"}) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    const support::TempFolder folder;
    export_model(one.path(), ExportFormat::ctranslate2, folder.file("model"));
    const CTranslate2Variables read(folder.file("model/model.bin"));
    EXPECT_EQ(read.shape("decoder/embeddings/weight")[0],
              static_cast<std::uint32_t>(one.model().info().config.target_vocabulary));
  }
  const ImportedCase firefox("marian_firefox");
  const support::TempFolder folder;
  EXPECT_NE(support::message([&] {
              export_model(firefox.path(), ExportFormat::ctranslate2, folder.file("model"));
            }).find("model.transformer.decoder-past is ssru instead of attention"),
            std::string::npos);
}

// ---- NumPy ----

TEST(ExportToNumPy, EveryParameterIsAnArrayOfItsName) {
  for (const char* preset : {"transformer-fast", "lstm-luong", "transformer-modern"}) {
    SCOPED_TRACE(preset);
    ExportedCase one;
    one.use_preset(preset);
    one.write();
    const ExportSummary summary = one.write_as(ExportFormat::numpy);
    EXPECT_EQ(summary.files.back(), "weights.npz");
    const std::unique_ptr<TensorFile> arrays = open_npz(one.exported() + "/weights.npz");
    std::int64_t numbers = 0;
    for (const TensorFile::Entry& entry : arrays->entries()) {
      EXPECT_EQ(arrays->read(entry.name), one.weights(entry.name));
      EXPECT_EQ(entry.shape, one.shape(entry.name));
      numbers += std::ssize(one.weights(entry.name));
    }
    EXPECT_EQ(numbers, summary.parameters);
    EXPECT_EQ(one.json("target_vocabulary.json")["tokens"].size(),
              static_cast<std::size_t>(one.info.config.target_vocabulary));
    EXPECT_EQ(one.json("marks.json")["target_start"], nlohmann::json::parse("[1]"));
    models::ModelConfig config;
    Settings(config).read_yaml(read_file(one.exported() + "/config.yaml"), "config.yaml");
    EXPECT_EQ(Settings(config).dump(), Settings(one.info.config).dump());
  }
}

// ---- folders ----

TEST(Export, AFolderWithFilesIsLeftAlone) {
  ExportedCase one;
  one.write();
  std::filesystem::create_directory(one.exported());
  std::ofstream(one.exported() + "/notes.txt") << "mine";
  EXPECT_NE(support::message([&] { one.write_as(ExportFormat::numpy); }).find("exists already"), std::string::npos);
  EXPECT_EQ(read_file(one.exported() + "/notes.txt"), "mine");
  std::filesystem::remove(one.exported() + "/notes.txt");
  one.write_as(ExportFormat::numpy);  // an empty one is as good as a new one
}

TEST(Export, WhatIsLeftOutIsSaid) {
  const ImportedCase one("marian_firefox");
  const support::TempFolder folder;
  EXPECT_EQ(export_model(one.path(), ExportFormat::numpy, folder.file("model")).left_out,
            std::vector<std::string>{"the lexical shortlist"});
}

}  // namespace
}  // namespace dragoman::exchange

// BART (Lewis et al. 2020) and mBART (Liu et al. 2020, Tang et al. 2020) in transformers.
#include "base/error.h"
#include "exchange/bart_layout.h"
#include "exchange/formats.h"
#include "exchange/huggingface_vocabulary.h"
#include "text/byte_bpe.h"

namespace dragoman::exchange {
namespace {

models::ModelConfig bart_config(const HuggingFaceFolder& folder, models::NormOrder norm) {
  models::ModelConfig result = bart_config(folder);
  models::TransformerConfig& t = result.transformer;
  t.norm = norm;
  t.positions = nn::PositionKind::learned;
  t.embedding_norm = true;
  return result;
}

void load(Imported& model, const HuggingFaceFolder& folder) {
  model.network = empty_network(model.info.config, folder.path());
  const std::unique_ptr<TensorFile> weights = folder.open_weights();
  WeightMap map(*weights, model.network->parameters());
  put_bart_weights(map, model.info.config);
  map.finish();
}

}  // namespace

Imported import_bart(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = bart_config(folder, models::NormOrder::post);
  info.source_tokenizer = info.target_tokenizer =
      text::ByteBpe(folder.read("vocab.json"), folder.read("merges.txt"), 1).serialize();
  info.source_begin = true;
  info.target_start = std::vector<std::int32_t>{folder.special_id("decoder_start_token_id")};
  if (folder.has_special_id("forced_bos_token_id"))
    info.target_start->push_back(folder.special_id("forced_bos_token_id"));
  load(result, folder);
  return result;
}

// mBART-50 marks sentences as M2M100 does. The first mBART put the source language after the sentence and starts the
// target with its language.
Imported import_mbart(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = bart_config(folder, models::NormOrder::pre);
  const std::string model = folder.read("sentencepiece.bpe.model");
  const std::vector<std::string> languages = added_tokens(folder);
  check(!languages.empty(),
        "{}: names no languages in special_tokens_map.json, tokenizer_config.json or tokenizer.json", folder.path());
  info.source_tokenizer = info.target_tokenizer = mapped_tokenizer(
      folder, model, fairseq_map(fairseq_pieces(model), languages, [](const std::string& token) { return token; }));
  const int end = folder.special_id("eos_token_id");
  const bool starts_with_end =
      folder.has_special_id("decoder_start_token_id") && folder.special_id("decoder_start_token_id") == end;
  info.language_marks =
      starts_with_end ? store::LanguageMarks::source_and_target_before : store::LanguageMarks::source_after_end;
  info.target_start = starts_with_end ? std::vector<std::int32_t>{end} : std::vector<std::int32_t>{};
  load(result, folder);
  return result;
}

}  // namespace dragoman::exchange

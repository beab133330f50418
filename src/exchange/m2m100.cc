// M2M100 (Fan et al. 2021) and NLLB-200 (NLLB team 2022) in transformers.
#include "base/error.h"
#include "exchange/bart_layout.h"
#include "exchange/formats.h"
#include "exchange/huggingface_vocabulary.h"

namespace dragoman::exchange {
namespace {

constexpr const char* kSubwords = "sentencepiece.bpe.model";

models::ModelConfig m2m100_config(const HuggingFaceFolder& folder) {
  models::ModelConfig result = bart_config(folder);
  models::TransformerConfig& t = result.transformer;
  t.norm = models::NormOrder::pre;
  t.positions = nn::PositionKind::sinusoidal;
  t.sinusoids = nn::Sinusoids::tensor2tensor;
  t.first_position = folder.special_id("pad_token_id") + 1;
  return result;
}

// M2M100 lists its pieces in vocab.json and calls the tag of English __en__; NLLB shifts the numbers of the
// SentencePiece model and calls it eng_Latn.
text::PieceMap m2m100_pieces(const HuggingFaceFolder& folder, const std::string& model) {
  const std::vector<std::string> added = added_tokens(folder);
  check(!added.empty(), "{}: names no languages in special_tokens_map.json, tokenizer_config.json or tokenizer.json",
        folder.path());
  if (!folder.has("vocab.json"))
    return fairseq_map(fairseq_pieces(model), added, [](const std::string& token) { return token; });
  return fairseq_map(read_vocabulary(folder.file("vocab.json")), added, [](const std::string& token) {
    const bool is_tag = token.size() > 4 && token.starts_with("__") && token.ends_with("__");
    return is_tag ? token.substr(2, token.size() - 4) : std::string();
  });
}

}  // namespace

Imported import_m2m100(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = m2m100_config(folder);
  const std::string model = folder.read(kSubwords);
  info.source_tokenizer = info.target_tokenizer = mapped_tokenizer(folder, model, m2m100_pieces(folder, model));
  info.language_marks = store::LanguageMarks::source_and_target_before;
  info.target_start = std::vector<std::int32_t>{folder.special_id("decoder_start_token_id")};
  result.network = empty_network(info.config, folder.path());
  const std::unique_ptr<TensorFile> weights = folder.open_weights();
  WeightMap map(*weights, result.network->parameters());
  put_bart_weights(map, info.config);
  map.finish();
  return result;
}

}  // namespace dragoman::exchange

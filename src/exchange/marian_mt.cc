// MarianMT in transformers, the format of the OPUS-MT models (Tiedemann and Thottingal 2020).
#include "base/error.h"
#include "exchange/bart_layout.h"
#include "exchange/formats.h"
#include "exchange/huggingface_vocabulary.h"

namespace dragoman::exchange {
namespace {

// Tags of languages are pieces such as >>deu<<.
text::LanguageTags tags_in(const std::vector<std::string>& pieces) {
  text::LanguageTags tags;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string& piece = pieces[id];
    if (piece.size() <= 4 || !piece.starts_with(">>") || !piece.ends_with("<<")) continue;
    tags.languages.push_back(piece.substr(2, piece.size() - 4));
    tags.ids.push_back(static_cast<std::int32_t>(id));
  }
  return tags;
}

models::ModelConfig config_of(const HuggingFaceFolder& folder) {
  const JsonConfig& config = folder.config();
  models::ModelConfig result = bart_config(folder);
  for (const char* key : {"normalize_before", "add_final_layer_norm", "normalize_embedding"})
    check(!config.flag(key, false), "{}: '{}' is set, which no MarianMT model of transformers computes", config.path(),
          key);
  result.transformer.positions = nn::PositionKind::sinusoidal;
  result.transformer.sinusoids = nn::Sinusoids::halves;
  result.target_vocabulary = config.integer("decoder_vocab_size", result.source_vocabulary);
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  const bool tied = config.flag("tie_word_embeddings", true);
  result.tied = !tied ? models::Tie::none : shared ? models::Tie::all : models::Tie::target;
  return result;
}

std::string tokenizer(const HuggingFaceFolder& folder, const std::string& model, const std::string& vocabulary,
                      int most, bool with_tags) {
  const std::string subwords = folder.read(model);
  folder.read(vocabulary);
  text::PieceMap map{.pieces = read_vocabulary(folder.file(vocabulary)), .never = folder.bad_words()};
  const auto unknown = std::find(map.pieces.begin(), map.pieces.end(), "<unk>");
  check(unknown != map.pieces.end(), "{}: has no piece <unk>", folder.file(vocabulary));
  // Ids that the tables of the model have but the vocabulary lacks.
  const int padding = folder.special_id("pad_token_id");
  if (static_cast<int>(map.pieces.size()) <= padding && padding < most)
    map.pieces.resize(static_cast<std::size_t>(padding) + 1);
  map.special = {.unknown = static_cast<std::int32_t>(unknown - map.pieces.begin()),
                 .begin = folder.special_id("decoder_start_token_id"),
                 .end = folder.special_id("eos_token_id"),
                 .pad = padding};
  if (with_tags) map.tags = tags_in(map.pieces);
  return mapped_tokenizer(folder, subwords, std::move(map));
}

}  // namespace

Imported import_marian_mt(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = config_of(folder);
  const char* const target_vocabulary = folder.has("target_vocab.json") ? "target_vocab.json" : "vocab.json";
  info.source_tokenizer = tokenizer(folder, "source.spm", "vocab.json", info.config.source_vocabulary, true);
  info.target_tokenizer = tokenizer(folder, "target.spm", target_vocabulary, info.config.target_vocabulary, false);
  result.network = empty_network(info.config, folder.path());
  const std::unique_ptr<TensorFile> weights = folder.open_weights();
  WeightMap map(*weights, result.network->parameters());
  put_bart_weights(map, info.config);
  map.finish();
  return result;
}

}  // namespace dragoman::exchange

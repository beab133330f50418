// MarianMT in transformers, the format of the OPUS-MT models (Tiedemann and Thottingal 2020).
#include <algorithm>

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

models::ModelConfig marian_config(const HuggingFaceFolder& folder) {
  const JsonConfig& config = folder.config();
  models::ModelConfig result = bart_config(folder);
  for (const char* key : {"normalize_before", "add_final_layer_norm", "normalize_embedding"})
    check(!config.flag(key, false), "{}: '{}' is set, which no MarianMT model of transformers computes", config.path(),
          key);
  result.transformer.positions = nn::PositionKind::sinusoidal;
  result.transformer.sinusoids = nn::Sinusoids::halves;
  result.target_vocabulary = config.integer("decoder_vocab_size", result.source_vocabulary);
  if (result.tied == models::Tie::all && !config.flag("share_encoder_decoder_embeddings", true))
    result.tied = models::Tie::target;
  return result;
}

std::int32_t find(const std::vector<std::string>& pieces, const char* piece) {
  const auto found = std::find(pieces.begin(), pieces.end(), piece);
  return found == pieces.end() ? -1 : static_cast<std::int32_t>(found - pieces.begin());
}

// The ids of the configuration are those of the target. A source with a vocabulary of its own may number padding
// differently, and never begins a sentence.
std::string tokenizer(const HuggingFaceFolder& folder, bool is_source, const std::string& vocabulary) {
  const std::string subwords = folder.read(is_source ? "source.spm" : "target.spm");
  folder.read(vocabulary);
  text::PieceMap map{.pieces = read_vocabulary(folder.file(vocabulary)), .never = {}};
  const std::int32_t unknown = find(map.pieces, "<unk>"), padding = find(map.pieces, "<pad>");
  check(unknown >= 0, "{}: has no piece <unk>", folder.file(vocabulary));
  map.special = {.unknown = unknown,
                 .begin = folder.special_id("decoder_start_token_id"),
                 .end = folder.special_id("eos_token_id"),
                 .pad = folder.special_id("pad_token_id")};
  if (is_source) {
    if (padding >= 0) map.special.pad = padding;
    map.special.begin = map.special.pad;
    map.tags = tags_in(map.pieces);
  } else {
    map.never = folder.bad_words();
  }
  return mapped_tokenizer(folder, subwords, std::move(map));
}

}  // namespace

Imported import_marian_mt(const HuggingFaceFolder& folder) {
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = marian_config(folder);
  const char* const target_vocabulary = folder.has("target_vocab.json") ? "target_vocab.json" : "vocab.json";
  info.source_tokenizer = tokenizer(folder, true, "vocab.json");
  info.target_tokenizer = tokenizer(folder, false, target_vocabulary);
  result.network = empty_network(info.config, folder.path());
  const std::unique_ptr<TensorFile> weights = folder.open_weights();
  WeightMap map(*weights, result.network->parameters());
  put_bart_weights(map, info.config);
  map.finish();
  return result;
}

}  // namespace dragoman::exchange

// Models of Marian (Junczys-Dowmunt et al. 2018) and of Firefox, which are Marian's.
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "exchange/formats.h"
#include "exchange/marian_config.h"
#include "exchange/marian_file.h"
#include "exchange/marian_shortlist.h"
#include "exchange/npz_file.h"
#include "exchange/weight_map.h"
#include "text/mapped_pieces.h"
#include "text/sentencepiece_model.h"

namespace dragoman::exchange {
namespace {

// Before the first word the decoder reads zeros. They are one more row of the word vectors of both sides, which the
// output layer, tied or not, never chooses.
constexpr float kNever = -1000;

// Fills the parameters by Marian's names. Its matrices are [in, out].
class MarianWeights {
 public:
  MarianWeights(const TensorFile& file, nn::Parameters& parameters, const MarianConfig& config)
      : map_(file, parameters), config_(config) {
    map_.ignore(kMarianSettings);
    for (const TensorFile::Entry& entry : file.entries())
      if (entry.name.ends_with("_QuantMultA")) map_.ignore(entry.name);  // how to round activations
  }

  void put_all() {
    const models::TransformerConfig& t = config_.model.transformer;
    for (int i = 1; i <= t.encoder_layers; ++i) put_encoder_layer(i);
    for (int i = 1; i <= t.decoder_layers; ++i) put_decoder_layer(i);
    for (const char* side : {"encoder", "decoder"}) {
      const std::string name = side;
      if (is_pre()) put_norm(name + ".norm", name + "_top", "");
      if (t.embedding_norm) put_norm(name + ".embed_norm", name + "_emb", "_pre");
      if (t.positions == nn::PositionKind::learned) map_.put(name + ".embed_positions.weight", {"Wpos"});
    }
    put_words();
    map_.finish();
  }

 private:
  bool is_pre() const { return config_.model.transformer.norm == models::NormOrder::pre; }

  void put_linear(const std::string& to, const std::string& weight, const std::string& bias) {
    map_.put_transposed(to + ".weight", {weight});
    map_.put(to + ".bias", {bias});
  }

  void put_norm(const std::string& to, const std::string& from, const std::string& suffix) {
    map_.put(to + ".weight", {from + "_ln_scale" + suffix});
    map_.put(to + ".bias", {from + "_ln_bias" + suffix});
  }
  void put_block_norm(const std::string& to, const std::string& from) { put_norm(to, from, is_pre() ? "_pre" : ""); }

  void put_attention(const std::string& to, const std::string& from) {
    map_.put_transposed(to + ".in_proj_weight", {from + "_Wq", from + "_Wk", from + "_Wv"});
    map_.put(to + ".in_proj_bias", {from + "_bq", from + "_bk", from + "_bv"});
    if (config_.projects) return put_linear(to + ".out_proj", from + "_Wo", from + "_bo");
    const auto size = static_cast<std::size_t>(config_.model.transformer.size);
    std::vector<float> identity(size * size, 0);
    for (std::size_t i = 0; i < size; ++i) identity[i * size + i] = 1;
    map_.put(to + ".out_proj.weight", identity);
    map_.fill(to + ".out_proj.bias", 0);
  }

  void put_feed_forward(const std::string& to, const std::string& from, const char* norm) {
    put_linear(to + ".linear1", from + "_W1", from + "_b1");
    put_linear(to + ".linear2", from + "_W2", from + "_b2");
    put_block_norm(to + norm, from + "_ffn");
  }

  void put_encoder_layer(int number) {
    const std::string to = "encoder.layers." + std::to_string(number - 1), from = "encoder_l" + std::to_string(number);
    put_attention(to + ".self_attn", from + "_self");
    put_block_norm(to + ".norm1", from + "_self_Wo");
    put_feed_forward(to, from + "_ffn", ".norm2");
  }

  void put_decoder_layer(int number) {
    const std::string to = "decoder.layers." + std::to_string(number - 1), from = "decoder_l" + std::to_string(number);
    if (config_.model.transformer.decoder_past == models::DecoderPast::ssru) {
      map_.put_transposed(to + ".ssru.weight", {from + "_rnn_Wf", from + "_rnn_W"});
      std::vector<float> bias = map_.read(from + "_rnn_bf");
      bias.resize(2 * bias.size(), 0);
      map_.put(to + ".ssru.bias", bias);
      put_block_norm(to + ".norm1", from + (is_pre() ? "_rnn" : "_rnn_ffn"));
    } else {
      put_attention(to + ".self_attn", from + "_self");
      put_block_norm(to + ".norm1", from + "_self_Wo");
    }
    put_attention(to + ".multihead_attn", from + "_context");
    put_block_norm(to + ".norm2", from + "_context_Wo");
    put_feed_forward(to, from + "_ffn", ".norm3");
  }

  // A table with one more row.
  std::vector<float> with_row(std::vector<float> table, float value) const {
    table.resize(table.size() + static_cast<std::size_t>(config_.model.embedding), value);
    return table;
  }

  void put_words() {
    const bool untied = config_.model.tied == models::Tie::none;
    const std::string target = config_.shares_words ? "Wemb" : "decoder_Wemb";
    map_.put("decoder.embed_tokens.weight", with_row(map_.read(target), 0));
    if (config_.model.tied != models::Tie::all)
      map_.put("encoder.embed_tokens.weight", with_row(map_.read(config_.shares_words ? "Wemb" : "encoder_Wemb"), 0));
    const auto words = static_cast<std::size_t>(config_.model.target_vocabulary),
               size = static_cast<std::size_t>(config_.model.embedding);
    if (untied) {
      const std::vector<float> columns = map_.read("decoder_ff_logit_out_W");
      check(columns.size() == words * size, "the tensor 'decoder_ff_logit_out_W' has another shape than [{}, {}]", size,
            words);
      std::vector<float> rows((words + 1) * size, 0);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t word = 0; word < words; ++word) rows[word * size + i] = columns[i * words + word];
      map_.put("output.weight", rows);
    }
    std::vector<float> bias =
        map_.has("decoder_ff_logit_out_b") ? map_.read("decoder_ff_logit_out_b") : std::vector<float>(words, 0);
    bias.push_back(kNever);
    map_.put("output.bias", bias);
  }

  WeightMap map_;
  const MarianConfig& config_;
};

// A line of a vocabulary in YAML: a piece, with or without quotes, and its id.
std::vector<std::string> read_yaml_vocabulary(const std::string& path) {
  std::vector<std::string> pieces;
  const std::string text = read_file(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.rfind(": ");
    if (line.empty() || line == "---" || line.starts_with('#')) continue;
    check(colon != std::string_view::npos && colon > 0, "{}: expected lines 'piece: id' but got '{}'", path,
          excerpt(line));
    std::size_t id = 0;
    for (const char c : line.substr(colon + 2)) {
      check(c >= '0' && c <= '9' && id < 1'000'000, "{}: the id of '{}' is not a number", path,
            excerpt(line.substr(0, colon)));
      id = 10 * id + static_cast<std::size_t>(c - '0');
    }
    std::string_view quoted = line.substr(0, colon);
    std::string piece(quoted);
    if (quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"') {
      piece.clear();
      quoted = quoted.substr(1, quoted.size() - 2);
      for (std::size_t i = 0; i < quoted.size(); ++i)
        piece += quoted[i] == '\\' && i + 1 < quoted.size() ? quoted[++i] : quoted[i];
    } else if (quoted.size() >= 2 && quoted.front() == '\'' && quoted.back() == '\'') {
      piece = quoted.substr(1, quoted.size() - 2);
    }
    if (pieces.size() <= id) pieces.resize(id + 1);
    pieces[id] = std::move(piece);
  }
  return pieces;
}

std::int32_t id_of(const std::vector<std::string>& pieces, const char* piece, const std::string& path) {
  const auto found = std::find(pieces.begin(), pieces.end(), piece);
  check(found != pieces.end(), "{}: has no {}", path, piece);
  return static_cast<std::int32_t>(found - pieces.begin());
}

// `start` is the id of the row of zeros.
std::string tokenizer(const std::string& vocabulary, const std::string& subwords, int start) {
  const bool listed = !vocabulary.ends_with(".spm");
  check(!listed || !subwords.empty(),
        "{}: lists pieces but does not say how text is split; expected the SentencePiece models as well (--subwords)",
        vocabulary);
  const std::string model = read_file(listed ? subwords : vocabulary);
  text::PieceMap map{.pieces = listed ? read_yaml_vocabulary(vocabulary) : text::sentencepiece_pieces(model)};
  check(std::ssize(map.pieces) <= start, "{}: has {} pieces, more than the {} of the model", vocabulary,
        map.pieces.size(), start);
  map.special = {.unknown = id_of(map.pieces, "<unk>", vocabulary),
                 .begin = start,
                 .end = id_of(map.pieces, "</s>", vocabulary),
                 .pad = start};
  map.pieces.resize(static_cast<std::size_t>(start) + 1);
  try {
    return text::MappedPieces(model, std::move(map)).serialize();
  } catch (const Error& error) {
    fail("{}: {}", vocabulary, error.what());
  }
}

}  // namespace

Imported import_marian(const MarianFiles& files) {
  const std::unique_ptr<TensorFile> weights =
      files.model.ends_with(".npz") ? open_npz(files.model) : open_marian(files.model);
  const MarianConfig config = read_marian_config(*weights);
  Imported result;
  store::ModelInfo& info = result.info;
  info.config = config.model;
  ++info.config.source_vocabulary;
  ++info.config.target_vocabulary;
  check(!files.vocabularies.empty() && files.vocabularies.size() <= 2,
        "{}: expected its vocabularies, one for both sides or two (--vocabulary)", files.model);
  const auto at = [](const std::vector<std::string>& list, std::size_t side) {
    return list.empty() ? std::string() : list[std::min(side, list.size() - 1)];
  };
  info.source_tokenizer = tokenizer(at(files.vocabularies, 0), at(files.subwords, 0), config.model.source_vocabulary);
  info.target_tokenizer = tokenizer(at(files.vocabularies, 1), at(files.subwords, 1), config.model.target_vocabulary);
  if (!files.shortlist.empty())
    info.shortlist =
        read_marian_shortlist(files.shortlist, {info.config.source_vocabulary, info.config.target_vocabulary});
  result.network = empty_network(info.config, files.model);
  MarianWeights(*weights, result.network->parameters(), config).put_all();
  return result;
}

}  // namespace dragoman::exchange

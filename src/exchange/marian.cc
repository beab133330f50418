// Models of Marian (Junczys-Dowmunt et al. 2018) and of Firefox, which are Marian's.
#include "base/error.h"
#include "exchange/formats.h"
#include "exchange/marian_config.h"
#include "exchange/marian_file.h"
#include "exchange/marian_shortlist.h"
#include "exchange/marian_vocabulary.h"
#include "exchange/npz_file.h"
#include "exchange/weight_map.h"

namespace dragoman::exchange {
namespace {

// The output layer, tied or not, never chooses the row of zeros.
constexpr float kNever = -1000;

// The rows of Marian's tables in the order of our ids.
struct MarianRows {
  std::vector<std::int32_t> source, target;
};

// Fills the parameters by Marian's names. Its matrices are [in, out].
class MarianWeights {
 public:
  MarianWeights(const TensorFile& file, nn::Parameters& parameters, const MarianConfig& config)
      : map_(file, parameters), config_(config) {
    map_.ignore(kMarianSettings);
    for (const TensorFile::Entry& entry : file.entries())
      if (entry.name.ends_with("_QuantMultA")) map_.ignore(entry.name);  // how to round activations
  }

  void put_all(const MarianRows& rows) {
    const models::TransformerConfig& t = config_.model.transformer;
    for (int i = 1; i <= t.encoder_layers; ++i) put_encoder_layer(i);
    for (int i = 1; i <= t.decoder_layers; ++i) put_decoder_layer(i);
    for (const char* side : {"encoder", "decoder"}) {
      const std::string name = side;
      if (is_pre()) put_norm(name + ".norm", name + "_top", "");
      if (t.embedding_norm) put_norm(name + ".embed_norm", name + "_emb", "_pre");
      if (t.positions == nn::PositionKind::learned) map_.put(name + ".embed_positions.weight", {"Wpos"});
    }
    put_words(rows);
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

  // The rows of a table [words, columns] in the order of our ids.
  static std::vector<float> ordered(const std::vector<float>& table, const std::vector<std::int32_t>& rows, float zeros,
                                    std::size_t columns) {
    std::vector<float> result;
    result.reserve(rows.size() * columns);
    for (const std::int32_t row : rows) {
      const std::size_t begin = static_cast<std::size_t>(std::max(row, 0)) * columns;
      check(begin + columns <= table.size(), "a table of words has fewer rows than the vocabulary");
      if (row == kZeros)
        result.insert(result.end(), columns, zeros);
      else
        result.insert(result.end(), table.begin() + static_cast<std::ptrdiff_t>(begin),
                      table.begin() + static_cast<std::ptrdiff_t>(begin + columns));
    }
    return result;
  }

  void put_words(const MarianRows& rows) {
    const bool untied = config_.model.tied == models::Tie::none;
    const auto size = static_cast<std::size_t>(config_.model.embedding),
               words = static_cast<std::size_t>(config_.model.target_vocabulary);
    const std::string target = config_.shares_words ? "Wemb" : "decoder_Wemb";
    map_.put("decoder.embed_tokens.weight", ordered(map_.read(target), rows.target, 0, size));
    if (config_.model.tied != models::Tie::all)
      map_.put("encoder.embed_tokens.weight",
               ordered(map_.read(config_.shares_words ? "Wemb" : "encoder_Wemb"), rows.source, 0, size));
    if (untied) {
      const std::vector<float> columns = map_.read("decoder_ff_logit_out_W");
      check(columns.size() == words * size, "the tensor 'decoder_ff_logit_out_W' has another shape than [{}, {}]", size,
            words);
      std::vector<float> weight(words * size, 0);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t word = 0; word < words; ++word) weight[word * size + i] = columns[i * words + word];
      map_.put("output.weight", ordered(weight, rows.target, 0, size));
    }
    const std::vector<float> bias =
        map_.has("decoder_ff_logit_out_b") ? map_.read("decoder_ff_logit_out_b") : std::vector<float>(words, 0);
    map_.put("output.bias", ordered(bias, rows.target, kNever, 1));
  }

  WeightMap map_;
  const MarianConfig& config_;
};

}  // namespace

Imported import_marian(const MarianFiles& files) {
  const std::unique_ptr<TensorFile> weights =
      files.model.ends_with(".npz") ? open_npz(files.model) : open_marian(files.model);
  const MarianConfig config = read_marian_config(*weights);
  Imported result;
  store::ModelInfo& info = result.info;
  check(!files.vocabularies.empty() && files.vocabularies.size() <= 2,
        "{}: expected its vocabularies, one for both sides or two (--vocabulary)", files.model);
  const auto at = [](const std::vector<std::string>& list, std::size_t side) {
    return list.empty() ? std::string() : list[std::min(side, list.size() - 1)];
  };
  const MarianVocabulary source =
      read_marian_vocabulary(at(files.vocabularies, 0), at(files.subwords, 0), config.model.source_vocabulary);
  const MarianVocabulary target =
      read_marian_vocabulary(at(files.vocabularies, 1), at(files.subwords, 1), config.model.target_vocabulary);
  check(config.model.tied != models::Tie::all || source.rows == target.rows,
        "{}: both sides share their word vectors, but have different vocabularies: {} and {}", files.model,
        files.vocabularies.front(), files.vocabularies.back());
  info.config = config.model;
  info.config.source_vocabulary = static_cast<int>(source.rows.size());
  info.config.target_vocabulary = static_cast<int>(target.rows.size());
  info.source_tokenizer = source.tokenizer;
  info.target_tokenizer = target.tokenizer;
  if (!files.shortlist.empty()) {
    check(!source.words && !target.words, "{}: a shortlist of words is not supported, only one of subwords",
          files.shortlist);
    info.shortlist =
        read_marian_shortlist(files.shortlist, {info.config.source_vocabulary, info.config.target_vocabulary});
  }
  result.network = empty_network(info.config, files.model);
  MarianWeights(*weights, result.network->parameters(), config).put_all({source.rows, target.rows});
  return result;
}

}  // namespace dragoman::exchange

#include "exchange/marian_config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "base/yaml.h"

namespace dragoman::exchange {
namespace {

// Marian has no limit. Longer inputs are split.
constexpr int kPositions = 1024;

// Settings as Marian writes them. A missing one has its default.
class Settings {
 public:
  explicit Settings(const TensorFile& file) : where_(file.path() + ": " + kMarianSettings) {
    check(file.find(kMarianSettings) != nullptr, "{}: has no settings ({}), so it is not a model that Marian trained",
          file.path(), kMarianSettings);
    std::string text;
    for (const float code : file.read(kMarianSettings)) {
      check(code >= -128 && code <= 255, "{}: expected the bytes of a text", where_);  // signed or not
      text += static_cast<char>(static_cast<int>(code));
    }
    while (!text.empty() && text.back() == '\0') text.pop_back();
    all_ = load_yaml(text, where_);
    check(all_.IsMap(), "{}: expected settings", where_);
  }

  const std::string& where() const { return where_; }
  std::string text(const char* key, const std::string& usual) const { return get(key, usual, "a text"); }
  int integer(const char* key, int usual) const { return get(key, usual, "a number"); }
  bool flag(const char* key, bool usual) const { return get(key, usual, "true or false"); }
  int vocabulary(std::size_t side) const {
    const YAML::Node sizes = all_["dim-vocabs"];
    check(sizes && sizes.IsSequence() && sizes.size() == 2, "{}: 'dim-vocabs' must have two sizes", where_);
    int size = 0;
    check(YAML::convert<int>::decode(sizes[side], size) && size > 0 && size < models::kMostIds,
          "{}: 'dim-vocabs' must be sizes", where_);
    return size;
  }
  // A setting that must have this value.
  void expect(const char* key, const std::string& value) const {
    const std::string found = text(key, value);
    check(found == value, "{}: '{}' is '{}', which is not supported; expected '{}'", where_, key, excerpt(found),
          value);
  }

 private:
  template <class T>
  T get(const char* key, const T& usual, const char* what) const {
    const YAML::Node value = all_[key];
    if (!value || value.IsNull()) return usual;
    T result{};
    check(value.IsScalar() && YAML::convert<T>::decode(value, result), "{}: '{}' must be {}", where_, key, what);
    return result;
  }

  std::string where_;
  YAML::Node all_;
};

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

// Letters name what is done before and after each block: d dropout, a add the input, n normalise.
models::NormOrder norm_order(const Settings& settings) {
  const std::string before = settings.text("transformer-preprocess", ""),
                    after = settings.text("transformer-postprocess", "dan"),
                    top = settings.text("transformer-postprocess-top", "");
  for (const std::string& letters : {before, after, top})
    for (const char letter : letters)
      check(letter == 'd' || letter == 'a' || letter == 'n',
            "{}: the step '{}' of transformer-preprocess or -postprocess is not supported; expected d, a and n",
            settings.where(), letter);
  const bool adds = has(after, 'a') && !has(before, 'a') && !has(top, 'a');
  if (adds && !has(before, 'n') && after.find('n') != std::string::npos && after.find('a') < after.find('n') &&
      !has(top, 'n'))
    return models::NormOrder::post;
  check(adds && has(before, 'n') && !has(after, 'n') && has(top, 'n'),
        "{}: the order of norms '{}', '{}', '{}' (transformer-preprocess, -postprocess, -postprocess-top) is not "
        "supported; expected norms after each block ('', 'dan', '') or before it ('n', 'da', 'n')",
        settings.where(), excerpt(before), excerpt(after), excerpt(top));
  return models::NormOrder::pre;
}

models::FeedForwardKind activation(const Settings& settings) {
  const std::string name = settings.text("transformer-ffn-activation", "swish");
  if (name == "swish") return models::FeedForwardKind::silu;
  if (name == "relu") return models::FeedForwardKind::relu;
  fail("{}: transformer-ffn-activation '{}' is not supported; expected swish or relu", settings.where(), excerpt(name));
}

models::DecoderPast decoder_past(const Settings& settings) {
  const std::string kind = settings.text("transformer-decoder-autoreg", "self-attention");
  if (kind == "self-attention") return models::DecoderPast::attention;
  check(kind == "rnn", "{}: transformer-decoder-autoreg '{}' is not supported; expected self-attention or rnn",
        settings.where(), excerpt(kind));
  settings.expect("dec-cell", "ssru");
  check(!settings.flag("transformer-rnn-projection", false) && !settings.flag("layer-normalization", false),
        "{}: recurrent units with projections or norms are not supported", settings.where());
  return models::DecoderPast::ssru;
}

models::Tie tie(const Settings& settings) {
  if (settings.flag("tied-embeddings-all", false)) return models::Tie::all;
  return settings.flag("tied-embeddings", false) && !settings.flag("tied-embeddings-src", false) ? models::Tie::target
                                                                                                 : models::Tie::none;
}

}  // namespace

MarianConfig read_marian_config(const TensorFile& file) {
  const Settings settings(file);
  settings.expect("type", "transformer");
  check(settings.integer("transformer-ffn-depth", 2) == 2, "{}: transformer-ffn-depth must be 2", settings.where());
  MarianConfig result;
  models::ModelConfig& model = result.model;
  models::TransformerConfig& t = model.transformer;
  t.encoder_layers = settings.integer("enc-depth", 6);
  t.decoder_layers = settings.integer("dec-depth", 6);
  t.size = model.embedding = settings.integer("dim-emb", 512);
  t.feed_forward = settings.integer("transformer-dim-ffn", 2048);
  t.norm = norm_order(settings);
  t.norm_epsilon = 1e-6;
  t.activation = activation(settings);
  t.decoder_past = decoder_past(settings);
  t.embedding_norm = has(settings.text("transformer-postprocess-emb", "d"), 'n');
  t.max_positions = kPositions;
  // Learned positions come with word vectors as they are.
  const bool learned = settings.flag("transformer-train-positions", false);
  t.positions = learned ? nn::PositionKind::learned : nn::PositionKind::sinusoidal;
  t.sinusoids = nn::Sinusoids::tensor2tensor;
  t.scale_embeddings = !learned;
  if (learned && file.find("Wpos") != nullptr && !file.find("Wpos")->shape.empty())
    t.max_positions = static_cast<int>(std::min<Size>(file.find("Wpos")->shape[0], models::kMostUnits));
  model.attention.heads = settings.integer("transformer-heads", 8);
  model.source_vocabulary = settings.vocabulary(0);
  model.target_vocabulary = settings.vocabulary(1);
  model.tied = tie(settings);
  result.projects = !settings.flag("transformer-no-projection", false);
  result.shares_words = model.tied == models::Tie::all || settings.flag("tied-embeddings-src", false);
  return result;
}

}  // namespace dragoman::exchange

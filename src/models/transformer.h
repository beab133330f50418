#pragma once

#include "models/embedding.h"
#include "models/lexical.h"
#include "models/parts.h"
#include "nn/norm.h"
#include "nn/relative_positions.h"
#include "nn/ssru.h"

// The Transformer (Vaswani et al. 2017) and its variants: post-norm or pre-norm, several activations and kinds of
// positions, any attention of nn/attention, and decoders with recurrent units instead of self-attention.
namespace dragoman::models {

const Family& transformer_family();

class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(nn::Parameters& list, const std::string& name, const TransformerConfig& config);
  Tensor operator()(RowProgram& program, const Tensor& x) const;

 private:
  FeedForwardKind kind_ = FeedForwardKind::relu;
  double dropout_ = 0;
  nn::Linear up_, gate_, down_;
};

// The residual stream between blocks. A post-norm stream is the normalised sum. A pre-norm stream is the plain sum;
// each block reads its layer norm, so the norm computed after a block is that of the next block.
class Stream {
 public:
  Stream(NormOrder order, double dropout) : order_(order), dropout_(dropout) {}
  // `first` is the norm before the first block; post-norm does not use it.
  void begin(Context& cx, const Tensor& x, const nn::Norm& first);
  void add(RowProgram& program, const Tensor& branch, const nn::Norm& after);
  // The input of the next block; after the last block, the result.
  const Tensor& input() const { return input_; }
  // The residual stream.
  const Tensor& sum() const { return sum_; }

 private:
  NormOrder order_;
  double dropout_;
  Tensor sum_, input_;
};

// Token embeddings with positions, as the first layer reads them.
class TokenInput {
 public:
  TokenInput() = default;
  // `side` is the prefix of its parameters, encoder or decoder.
  TokenInput(nn::Parameters& list, const std::string& side, const WordEmbedding& words,
             const TransformerConfig& config);
  // Throws if a sentence would have more tokens, `past` (one number per sentence, or empty) plus `tokens`, than there
  // are positions.
  void check_length(const Segments& tokens, std::span<const std::int32_t> past = {}) const;
  // `positions` (i32 [N]) gives each token's position in its sentence.
  Tensor operator()(Context& cx, const Packed& tokens, const Tensor& positions) const;

 private:
  WordEmbedding words_;
  nn::Parameter positions_;
  nn::Norm norm_;
  bool normalises_ = false;
  double scale_ = 1, dropout_ = 0;
  Size max_positions_ = 0;
};

class TransformerEncoder final : public Encoder {
 public:
  TransformerEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  EncodedSource encode(Context& cx, const Packed& source) const override;
  Size size() const override { return config_.size; }

 private:
  struct Layer {
    nn::Attention attention;
    FeedForward feed_forward;
    nn::Norm norm1, norm2;
  };
  TransformerConfig config_;
  bool keeps_embeddings_ = false;
  TokenInput input_;
  nn::RelativeBias relative_;
  std::vector<Layer> layers_;
  nn::Norm norm_;  // pre-norm: after the last block
};

class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words, Size encoder_size);
  Memory remember(Context& cx, const EncodedSource& source) const override;
  State start(Context& cx, const Memory& memory, bool continues) const override;
  Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const override;
  Size size() const override { return features_; }

 private:
  struct Layer {
    nn::Attention self;  // this one or the next
    nn::Ssru recurrent;
    nn::Attention source;
    FeedForward feed_forward;
    nn::Norm norm1, norm2, norm3;
  };
  // What self-attention needs to know of the tokens' places: see nn::Attention::Ask.
  struct Places {
    Tensor positions, bias;
  };
  Layer make_layer(nn::Parameters& list, const ModelConfig& config, int index) const;
  // The first block of a layer, which reads the words so far.
  Tensor read_past(Context& cx, RowProgram& program, std::size_t layer, const Tensor& x, const Segments& tokens,
                   const Places& places, State& state) const;
  bool recurrent() const { return config_.decoder_past == DecoderPast::ssru; }

  TransformerConfig config_;
  TokenInput input_;
  nn::RelativeBias relative_;
  std::vector<Layer> layers_;
  nn::Norm norm_;
  // The heads of the last layer give no single alignment, so the lexical model has its own attention. Its keys are the
  // last ones of a Memory.
  nn::Attention lexical_attention_;
  LexicalModel lexical_model_;
  Size features_ = 0;
};

}  // namespace dragoman::models

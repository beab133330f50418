#pragma once

#include "models/embedding.h"
#include "models/parts.h"

// The Transformer of Vaswani et al. and its variants: post-norm or pre-norm, several activations and kinds of
// positions, and any attention of the family.
namespace dragoman::models {

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

// The residual stream between blocks. Post-norm carries the normalised sum on; pre-norm carries the sum and lets each
// block read its norm, so the norm that follows a block is that of the next one.
class Stream {
 public:
  Stream(NormOrder order, double dropout) : order_(order), dropout_(dropout) {}
  // `first` is the norm of the first block; post-norm has none there.
  void begin(Context& cx, const Tensor& x, const nn::LayerNorm& first);
  void add(RowProgram& program, const Tensor& branch, const nn::LayerNorm& after);
  // What the next block reads, and in the end the result.
  const Tensor& input() const { return input_; }

 private:
  NormOrder order_;
  double dropout_;
  Tensor sum_, input_;
};

// Token embeddings with positions, as the first layer reads them.
class TokenInput {
 public:
  TokenInput() = default;
  TokenInput(nn::Parameters& list, const std::string& name, const WordEmbedding& words,
             const TransformerConfig& config);
  // `positions` (i32 [N]) says where in its sentence each token stands.
  Tensor operator()(Context& cx, const Packed& tokens, const Tensor& positions) const;

 private:
  WordEmbedding words_;
  nn::Parameter positions_;
  double scale_ = 1, dropout_ = 0;
  Size max_positions_ = 0;
};

class TransformerEncoder final : public Encoder {
 public:
  TransformerEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  Encoded encode(Context& cx, const Packed& source) const override;
  Size size() const override { return config_.size; }

 private:
  struct Layer {
    nn::Attention attention;
    FeedForward feed_forward;
    nn::LayerNorm norm1, norm2;
  };
  TransformerConfig config_;
  bool keeps_embeddings_ = false;
  TokenInput input_;
  std::vector<Layer> layers_;
  nn::LayerNorm norm_;  // pre-norm: after the last block
};

class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  Memory remember(Context& cx, const Encoded& source) const override;
  State start(Context& cx, const Memory& memory, bool continues) const override;
  Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const override;
  Size size() const override { return config_.size; }

 private:
  struct Layer {
    nn::Attention self, source;
    FeedForward feed_forward;
    nn::LayerNorm norm1, norm2, norm3;
  };
  TransformerConfig config_;
  TokenInput input_;
  std::vector<Layer> layers_;
  nn::LayerNorm norm_;
};

}  // namespace dragoman::models

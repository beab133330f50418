#pragma once

#include "models/embedding.h"
#include "models/parts.h"

// LSTM and GRU models with every attention of S3 and S4.
namespace dragoman::models {

// Bidirectional layers; the two directions are concatenated and, by choice, projected.
class RecurrentEncoder final : public Encoder {
 public:
  RecurrentEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  Encoded encode(Context& cx, const Packed& source) const override;
  Size size() const override;

 private:
  struct Layer {
    nn::RecurrentLayer forward, backward;
    nn::Parameter h_forward, c_forward, h_backward, c_backward;  // learned first states, [1, hidden]
  };
  nn::CellState first(Context& cx, nn::Parameter h, nn::Parameter c, const Tensor& index) const;

  RecurrentConfig config_;
  bool keeps_embeddings_ = false;
  WordEmbedding words_;
  std::vector<Layer> layers_;
  nn::Linear project_states_;
  nn::Attention self_attention_;
};

class RecurrentDecoder final : public Decoder {
 public:
  RecurrentDecoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words, Size encoder_size);
  Memory remember(Context& cx, const Encoded& source) const override;
  State start(Context& cx, const Memory& memory, bool continues) const override;
  Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const override;
  Size size() const override { return features_; }

 private:
  // A state's vectors: h (and c) of every layer, then what is fed or attended to next.
  nn::CellState layer_state(const State& state, std::size_t layer) const;
  void set_layer_state(State& state, std::size_t layer, const nn::CellState& value) const;
  std::size_t extra_vector() const;
  bool attends_source() const { return config_.attention_over != AttentionOver::nothing; }
  bool attends_past() const { return config_.attention_over == AttentionOver::source_and_past; }

  Decoded decode_at_once(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const;
  Decoded decode_feeding(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const;
  Decoded learn_feeding(Context& cx, const Packed& tokens, const Memory& memory, State& state) const;
  Tensor past_context(Context& cx, const Tensor& x, const Segments& rows, State& state) const;
  struct StepMemory;
  struct Contexts {
    Tensor context, lexical;
  };
  Contexts contexts_of(Context& cx, const Tensor& attended) const;
  // The attentional output tanh(W [state; contexts]), and the lexical features beside it.
  Tensor attentional(Context& cx, const Tensor& x, std::vector<Tensor> contexts) const;
  Tensor with_lexical(Context& cx, const Tensor& output, const Tensor& lexical) const;

  RecurrentConfig config_;
  Size features_ = 0, lexical_ = 0;
  WordEmbedding words_;
  std::vector<nn::RecurrentLayer> layers_;
  std::vector<nn::Linear> start_h_, start_c_;
  nn::Attention source_attention_, past_attention_, self_attention_;
  nn::Linear hidden_, lexical_hidden_;
};

}  // namespace dragoman::models

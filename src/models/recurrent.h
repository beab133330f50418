#pragma once

#include "models/embedding.h"
#include "models/lexical.h"
#include "models/parts.h"

// LSTM and GRU models with attention over the source (Bahdanau et al. 2015; Luong et al. 2015) and over their own past
// (Daniluk et al. 2017).
namespace dragoman::models {

const Family& recurrent_family();

// Bidirectional layers; the two directions are concatenated and optionally projected.
class RecurrentEncoder final : public Encoder {
 public:
  RecurrentEncoder(nn::Parameters& list, const ModelConfig& config, const WordEmbedding& words);
  EncodedSource encode(Context& cx, const Packed& source) const override;
  Size size() const override;

 private:
  struct Layer {
    nn::RecurrentLayer forward, backward;
    nn::Parameter h_forward, c_forward, h_backward, c_backward;  // learned initial states, [1, hidden]
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
  Memory remember(Context& cx, const EncodedSource& source) const override;
  State start(Context& cx, const Memory& memory, bool continues) const override;
  Decoded decode(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const override;
  Size size() const override { return features_; }

 private:
  // State::vectors holds h (and c) of every layer, then one more (extra_vector()): the output that is fed back, or the
  // last state for attention over the past.
  nn::CellState layer_state(const State& state, std::size_t layer) const;
  void set_layer_state(State& state, std::size_t layer, const nn::CellState& value) const;
  std::size_t extra_vector() const;
  bool attends_source() const { return config_.attention_over != AttentionOver::nothing; }
  bool attends_past() const { return config_.attention_over == AttentionOver::source_and_past; }

  // Without input feeding: all words of a layer at once.
  Decoded decode_at_once(Context& cx, const Packed& tokens, const Memory& memory, State& state, bool weights) const;
  // With input feeding (input_feeding.cc): chooses one of the two implementations below.
  Decoded decode_with_input_feeding(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                                    bool weights) const;
  Decoded decode_step_by_step(Context& cx, const Packed& tokens, const Memory& memory, State& state,
                              bool weights) const;
  Decoded decode_fused(Context& cx, const Packed& tokens, const Memory& memory, State& state) const;
  struct StepSource;
  Attended attend_past(Context& cx, const Tensor& x, const Segments& rows, State& state, bool weights) const;
  struct Contexts {
    Tensor context, lexical;
  };
  Contexts contexts_of(Context& cx, const Tensor& attended) const;
  // The decoder's output for states x and their contexts: the attentional output tanh(W [x; contexts]), or
  // [x; contexts] itself if the prediction is direct.
  Tensor output_of(Context& cx, const Tensor& x, std::vector<Tensor> contexts) const;

  RecurrentConfig config_;
  Size features_ = 0, lexical_ = 0;
  WordEmbedding words_;
  std::vector<nn::RecurrentLayer> layers_;
  std::vector<nn::Linear> start_h_, start_c_;
  nn::Attention source_attention_, past_attention_, self_attention_;
  nn::Linear hidden_;  // undefined if the prediction is direct
  LexicalModel lexical_model_;
};

// Self-attention between the states of a layer (scaled dot product).
nn::Attention self_attention_over_states(nn::Parameters& list, const std::string& name, Size size,
                                         const RecurrentConfig& config, bool causal);
Tensor join_columns(Context& cx, const Tensor& a, const Tensor& b);

}  // namespace dragoman::models

#pragma once

#include <span>
#include <vector>

#include "tensor/ops.h"

// An LSTM decoder with input feeding (Luong et al. 2015, section 3.3) over all target words of a batch, as one op.
//
// Step t reads the word w_t and the attentional output of the previous step:
//   gates = W_w w_t + b + W_fed fed_{t-1} + W_h h_{t-1}      first layer; the layers above read dropout(h) of the one
//                                                            below instead of w_t and fed
//   h_t, c_t = LSTM cell(gates, c_{t-1})                     every layer
//   context_t = softmax(scale * h_t K^T) V                   h_t of the top layer; K, V of the sentence's source
//   fed_t = dropout(tanh(W [h_t; context_t] + b))
//
// Since fed_{t-1} enters step t, the steps run one after the other. Everything else is independent of the previous
// step: the caller computes W_w w + b of all words in one product, and backward computes the gradients of weights, keys
// and values for all steps at once. A step is then one kernel per layer (lstm_step), one for attention and one for
// fed_t (tanh_step), and the whole decoder is one node of the tape.
//
// Sentences are in the order of `time` and each has at least one word. Rows are time-major: first one row per sentence
// for the first words, then one row for each sentence that has a second word, and so on. B counts sentences and N rows.
namespace dragoman::input_feeding {

struct Layer {
  Tensor input,
      bias;          // [4 hidden, hidden], [4 hidden]: for the output of the layer below; undefined in the first layer
  Tensor recurrent;  // [4 hidden, hidden]
  LstmState first;   // [B, hidden]
};

struct Weights {
  Tensor fed;             // [4 hidden, hidden]: from fed to the gates of the first layer
  Tensor state, context;  // [hidden, hidden], [hidden, columns]: W; a context is the first `columns` of a value
  Tensor bias;            // [hidden]
};

struct Source {
  Tensor keys, values;           // [Nk, hidden], [Nk, d]
  bool values_are_keys = false;  // both are the same tensor
  Segments rows;                 // of keys and values
  Segments queries;              // one per sentence
  double scale = 1;              // of the dot products of states and keys
};

struct DropoutRates {
  double between = 0, out = 0;
};

struct Result {
  Tensor fed;      // [N, hidden]
  Tensor context;  // [N, d]
  // The states before the first step (B rows) and after each step: [B + N, hidden]. No gradient flows through them.
  Tensor fed_states;
  std::vector<LstmState> states;  // of each layer
};

// word_gates [N, 4 hidden] are W_w w + b; the op overwrites them with the activated gates of the first layer. `fed`
// [B, hidden] enters the first step; no gradient flows to it.
Result unroll(Context& cx, const Tensor& word_gates, const Tensor& fed, std::span<const Layer> layers,
              const Weights& weights, const Source& source, const TimeOrder& time, const DropoutRates& dropout);

}  // namespace dragoman::input_feeding

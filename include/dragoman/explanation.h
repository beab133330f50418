#pragma once

#include <limits>
#include <string>
#include <vector>

#include "dragoman/alignment.h"

// How a translation came about: SearchOptions::explain.
namespace dragoman {

// A hypothesis that was in the beam, as a node of the tree of all hypotheses. Its parent comes before it.
struct TreeNode {
  int parent = -1;
  std::string token;
  double log_probability = 0;  // of the whole hypothesis
  double score = 0;
  bool finished = false;
  bool best = false;  // on the path to the best translation
};

// A token and its place in a text: bytes [begin, end). Marks, such as EOS or the tag of a language, cover no bytes.
struct TextToken {
  std::string token;  // as the vocabulary spells it
  int begin = 0, end = 0;
  int word = -1;  // index of the word, between spaces, that it belongs to; -1 if it belongs to none
};

// A token that the model could have written, given the tokens before it.
struct Alternative {
  std::string token;
  double probability = 0;
  // The text of the translation up to this token. With it as Request::prefix, the model translates the rest anew. Empty
  // for EOS.
  std::string prefix;
};

// A token that the model wrote.
struct WrittenToken {
  TextToken place;
  double log_probability = std::numeric_limits<double>::quiet_NaN();  // NaN if the model has no such probabilities
  std::vector<Alternative> alternatives{};  // the likeliest tokens here, best first; this one may be among them
};

enum class AttentionKind {
  encoder,  // of source tokens to source tokens
  source,   // of written tokens to source tokens
  past      // of written tokens to the decoder's own past
};

// The weights of one attention layer. A row belongs to a source token (encoder) or to a written token, EOS included,
// and sums to 1. Its columns are source tokens; over the past, column 0 is the beginning of the sentence and column j
// the written token j - 1, so row i has i + 1 columns.
struct AttentionLayer {
  AttentionKind kind = AttentionKind::source;
  int layer = 0;     // among those of this kind, from the input to the output
  std::string name;  // of its parameters, such as "decoder.layers.0.self_attn"
  // The columns are mixtures of all source tokens (Linformer) and have no place in the text.
  bool mixtures = false;
  std::vector<std::vector<std::vector<float>>> heads{};  // [heads][rows][columns]
};

// The best translation of a text, or of one part of a text that was split. An ensemble has the attention of its first
// model. A statistical model has neither probabilities nor attention nor a tree.
struct Explanation {
  std::string source, text;
  std::vector<TextToken> source_tokens;  // marks included
  std::vector<WrittenToken> tokens;      // the last one is EOS, unless the model is statistical
  std::vector<AlignmentLink> alignment;  // empty if the model does not attend to single source words
  std::vector<AttentionLayer> attention;
  bool attention_left_out = false;  // the layers have more than two million weights for these sentences
  std::vector<TreeNode> tree;
};

}  // namespace dragoman

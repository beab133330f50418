#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "search/decode/attention.h"
#include "search/decode/sentence_search.h"

namespace dragoman::search {

// One sentence to decode: its source, its search and what the decoder records for it.
struct DecodingTask {
  std::vector<Tokens> sources;  // per model: token ids, with the BOS and EOS marks that the model was trained with
  Tokens start;                 // what the decoder reads before the translation; at least one token
  Tokens prefix;                // forced start of the translation
  // The only tokens that the translation may consist of, with EOS and those of the prefix and the terms: `words`, in
  // increasing order, and those of `common`, which other sentences have too. Without both, the whole vocabulary. For a
  // single model on the host.
  Tokens words;
  const PickedLayer* common = nullptr;
  std::unique_ptr<SentenceSearch> search;
  bool wants_attention = false;
  // Once it is set, the decoder drops the sentence at the next step: it sets `abandoned` and calls `finished`.
  std::shared_ptr<const std::atomic<bool>> cancelled;
  bool abandoned = false;
  // Per node of the search tree, the first model's attention weights over the source tokens when it wrote the token.
  // Empty if not requested, or if the model does not attend to single tokens.
  Attention attention;
  // Per node, the weights over the decoder's past (see read_past_attention). Empty if the model does not attend to it.
  Attention past_attention;
  // Called once, when the search is done. Several threads may call it for sentences that end in the same step.
  std::function<void(DecodingTask&)> finished;
  std::unique_ptr<const PickedLayer> output{};  // the output layer of `words`; made by the decoder
};

// Decodes a batch of sentences with one model or an ensemble, one step at a time (continuous batching): sentences may
// be added between any two steps and leave when they are done. A sentence's translation does not depend on the others
// in the batch. For use by one thread.
class BatchDecoder {
 public:
  // The models share a target vocabulary and must outlive the decoder.
  explicit BatchDecoder(std::vector<const models::Seq2seq*> models);

  // Encodes the sources. On the host, the next step() takes a sentence's first step together with the sentences that
  // are being decoded, since a step reads all weights for few rows or many. On a GPU, and for a sentence whose first
  // step reads several tokens, add() takes it.
  void add(std::vector<DecodingTask> tasks);
  // Extends every live hypothesis by one token.
  void step();
  // Unfinished sentences.
  Size size() const;
  // Peak device memory in bytes.
  std::size_t peak() const;

 private:
  // One model's encoder output and decoder state for the sentences of a batch.
  struct Member {
    const models::Seq2seq* model;
    models::Memory memory;
    models::State state;
  };
  // Scores of the next tokens, one row per appended token, and the arrays that the rows point to.
  struct Scores {
    std::vector<Row> rows;
    Attention attention, past_attention;  // one row each; empty unless requested
    std::vector<std::int32_t> ids;
    std::vector<float> best, all;
  };
  // The scores that the searches need.
  struct Wanted {
    int best = 1;
    bool end = false, attention = false;
  };
  // The rows of a sentence that is not finished.
  struct SentenceRows {
    const DecodingTask* task;
    Size first, count;
  };
  struct Batch {
    std::vector<DecodingTask> tasks;  // one per sentence; `search` is null once the sentence is finished
    std::vector<Member> members;
  };

  // Room for sentences that are encoded later: their source tokens by model, and their number.
  struct Room {
    std::vector<Size> tokens;
    Size sentences = 0;
  };

  // Encodes sentences that take their first step with the batch.
  void encode(std::span<DecodingTask> tasks);
  // Sentences that are encoded together and take their first step before they join the batch.
  void enter(std::vector<DecodingTask> tasks);
  Batch read(Context& cx, std::vector<DecodingTask> tasks) const;
  // What the decoder reads next: the start and the prefix of a new sentence, or the last token of each hypothesis.
  static Packed next_tokens(const Context& cx, const Batch& batch);
  // Hypotheses that the next step extends.
  static Size live_count(const Batch& batch);
  static Wanted wanted(const Batch& batch);
  static Scores score(Context& cx, Batch& batch, const Packed& tokens);
  static std::vector<SentenceRows> rows_of(const Batch& batch, const Segments& tokens);
  // The words of each row; empty if no sentence has a list.
  static std::vector<PickedRows> picked_rows(std::span<const SentenceRows> sentences);
  static Scores score_alone(Context& cx, const models::Seq2seq& model, const Tensor& features,
                            std::span<const SentenceRows> sentences, const Wanted& wanted, std::int32_t end);
  // Scores of all tokens, for the sentences that need them.
  static void score_all(Context& cx, const models::Seq2seq& model, const Tensor& features,
                        std::span<const SentenceRows> sentences, Scores& scores);
  static Scores score_together(Context& cx, const std::vector<Member>& members, const std::vector<Tensor>& features,
                               const Wanted& wanted, std::int32_t end);
  static void remember_attention(DecodingTask& task, const Scores& scores, Size first_row);
  // `cx` has the memory for the states of the chosen hypotheses.
  static void advance(Context& cx, Batch& batch, const Segments& tokens, const Scores& scores);
  void move_in(Batch& batch, const Room& later);
  void append(Batch& batch);
  void keep_cache();

  std::vector<const models::Seq2seq*> models_;
  Batch batch_;
  Workspace step_;        // temporaries of a step, or of the encoder
  Rotation keys_, past_;  // keys and values of the source, and of the past; copied when the batch changes
  Workspace lasting_[2];  // what else lasts until the batch changes
  Workspace passing_[2];  // states of recurrent layers; a step reads those of one and writes those of the other
  int lasting_now_ = 0, passing_now_ = 0;
};

}  // namespace dragoman::search

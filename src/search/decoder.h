#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "search/attention.h"
#include "search/sentence_search.h"

namespace dragoman::search {

// A sentence on its way through the decoder.
struct Task {
  std::vector<Tokens> sources;  // for each model: ids with their marks, as it was trained on
  Tokens prefix;                // what the translation begins with
  std::unique_ptr<SentenceSearch> search;
  bool wants_attention = false;
  // For each node of the search's tree: what the first model attended to when it wrote it, [source tokens]; empty
  // unless wanted and where the model does not attend to single tokens.
  std::vector<std::vector<float>> attention;
  // Called once, when the search is done; for sentences that are done in one step by several threads.
  std::function<void(Task&)> finished;
};

// Translates sentences with one model or the mean of several, a step at a time for all of them together. Sentences
// come in whenever there is room and leave when they are done; neighbours never change a sentence's translation. For
// use by one thread.
class Decoder {
 public:
  // The models share a target vocabulary and its begin mark, and outlive the decoder.
  Decoder(std::vector<const models::Seq2seq*> models, std::int32_t begin);

  // Reads the sources and takes each sentence's first step.
  void add(std::vector<Task> tasks);
  // One token more for every live hypothesis.
  void step();
  // Sentences underway.
  Size size() const;
  // The most bytes of its device that were in use.
  std::size_t peak() const;

 private:
  // One model's side of some sentences.
  struct Member {
    const models::Seq2seq* model;
    models::Memory memory;
    models::State state;
  };
  // What the models say after each of some tokens: rows, and the memory they point to.
  struct Scores {
    std::vector<Row> rows;
    Attention attention;  // of each row; empty where nobody wants it
    std::vector<std::int32_t> ids;
    std::vector<float> best, all;
  };
  // What the searches need to be told.
  struct Wanted {
    int best = 1;
    bool all = false, end = false, attention = false;
  };
  struct Batch {
    std::vector<Task> tasks;  // one a sentence; those that are done have no search
    std::vector<Member> members;
  };

  Batch read(Context& cx, std::vector<Task> tasks) const;
  static Packed first_tokens(const Context& cx, const Batch& batch, std::int32_t begin);
  static Packed last_tokens(const Context& cx, const Batch& batch);
  static Wanted wanted(const Batch& batch);
  static Scores score(Context& cx, Batch& batch, const Packed& tokens);
  static Scores score_alone(Context& cx, const models::Seq2seq& model, const Tensor& features, const Wanted& wanted,
                            std::int32_t end);
  static Scores score_together(Context& cx, const std::vector<Member>& members, const std::vector<Tensor>& features,
                               const Wanted& wanted, std::int32_t end);
  static void remember_attention(Task& task, const Scores& scores, Size first_row);
  static void advance(Context& cx, Batch& batch, const Segments& tokens, const Scores& scores);
  void move_in(Batch& batch);

  std::vector<const models::Seq2seq*> models_;
  std::int32_t begin_;
  Batch batch_;
  Workspace entry_;       // newcomers' first step
  Workspace lasting_[2];  // memories and pasts; sentences move from one to the other when the batch changes
  Workspace passing_[2];  // what a step computes; the next one still reads it
  int lasting_now_ = 0, passing_now_ = 0;
};

}  // namespace dragoman::search

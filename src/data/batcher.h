#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "data/batch.h"
#include "data/batch_plan.h"
#include "data/split.h"
#include "data/token_store.h"
#include "text/tokenizer.h"

namespace dragoman::data {

enum class TooLong { truncate, drop };

// How sentence pairs become rows of a batch.
struct RowOptions {
  std::int64_t max_source_length = 0, max_target_length = 0;
  TooLong too_long = TooLong::truncate;
  bool source_begin = false, source_end = true, target_marks = true;
  double mask_source = 0, drop_source = 0, sample_source = 0, sample_target = 0;

  template <class V>
  void visit(V& v) {
    v("max-source-length", max_source_length,
      "maximum number of source tokens, without begin and end tokens; 0 means no limit", at_least(0));
    v("max-target-length", max_target_length,
      "maximum number of target tokens, without begin and end tokens; 0 means no limit", at_least(0));
    v("too-long", too_long, "what to do with longer sentences: truncate them or drop the pair");
    v("source-begin", source_begin, "prepend the begin-of-sentence token to the source");
    v("source-end", source_end, "append the end-of-sentence token to the source");
    v("target-marks", target_marks,
      "use begin and end tokens in the target; without them the labels are the target itself");
    v("mask-source", mask_source,
      "fraction of source tokens to replace by the unknown token, sampled anew in each epoch", between(0, 1));
    v("drop-source", drop_source, "fraction of source tokens to drop, sampled anew in each epoch", between(0, 1));
    v("sample-source", sample_source,
      "strength of subword regularisation of the source (BPE-dropout or unigram sampling); 0 is off", between(0, 1));
    v("sample-target", sample_target,
      "strength of subword regularisation of the target (BPE-dropout or unigram sampling); 0 is off", between(0, 1));
    v.only_if(
        "too-long", [this] { return max_source_length > 0 || max_target_length > 0; },
        "there is no limit (--batch.max-source-length, --batch.max-target-length)");
  }
};

struct BatchOptions {
  PlanOptions plan;
  RowOptions rows;

  template <class V>
  void visit(V& v) {
    plan.visit(v);
    rows.visit(v);
  }
};

// Whether a length limit of `RowOptions` is exceeded.
constexpr bool exceeds(std::uint32_t length, std::int64_t most) { return most > 0 && length > most; }

// The pairs that batches are made of: part of a tokenised corpus.
struct BatchSource {
  TokenStore store;
  double weight = 1;
  SplitOptions split = {};
  bool held_out = false;                         // use the held-out part of the split instead of the rest
  std::int32_t tag = text::LanguageTags::kNone;  // prepended to every source sentence, after the begin token
  std::string languages = "";                    // as in en-de; validation scores each pair separately
};

// One of several workers that share every epoch, or several consecutive ones: workers [rank, rank + width).
struct Shard {
  std::uint32_t rank = 0, world = 1, width = 1;
};

// The tokenizers of both sides, for special ids and sampling. They must outlive the batcher.
struct TokenizerPair {
  const text::Tokenizer* source = nullptr;
  const text::Tokenizer* target = nullptr;
};

// An endless sequence of packed batches, epoch by epoch. It is a pure function of (stores, options, epoch, step), so
// resumed, prefetching and distributed runs see the same batches. Every worker makes the same number of steps; in the
// last step of an epoch some may get an empty batch. A batcher of several workers returns their batches of a step one
// after the other.
class Batcher {
 public:
  Batcher(std::vector<BatchSource> sources, TokenizerPair sides, const BatchOptions& options, Shard shard = {});

  // Returns the batch at the cursor and advances the cursor, into the next epoch after the last step.
  void next(Batch& batch);
  // Moves the cursor anywhere, without a pass over tokens.
  void seek(std::uint64_t epoch, std::uint64_t step);
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t step() const { return step_; }
  // Number of steps in an epoch.
  std::uint64_t steps(std::uint64_t epoch);
  // A batch of the longest sentences: about the largest that can occur.
  Batch largest();

  // The source that a sentence of a batch (a number in Batch::sentences) belongs to.
  const BatchSource& source_of(std::uint32_t sentence) const { return sources_[index_of(sentence)]; }

  // Number of pairs in use, and the effect of the length limits on the others.
  std::uint64_t sentences() const { return rows_.size(); }
  std::uint64_t truncated() const { return truncated_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Row {
    const TokenStore* store;
    std::uint64_t row;       // in its store
    std::uint32_t sentence;  // across all stores
    RowLengths planned;
    std::int32_t tag;  // of its source

    bool is_tagged() const { return tag != text::LanguageTags::kNone; }
  };

  void add_source(const BatchSource& source, std::uint64_t first_sentence);
  void check_budget(std::uint64_t row, const RowLengths& lengths) const;
  RowLengths planned_lengths(const BatchSource& source, std::uint64_t row) const;
  std::uint32_t planned_length(std::uint32_t tokens, std::uint32_t marks, double strength) const;
  const BatchPlan& plan(std::uint64_t epoch);
  std::size_t index_of(std::uint32_t sentence) const;
  void gather(std::span<const std::uint32_t> positions);
  void add_row(const Row& row, Batch& batch);
  void put_source(const Row& row, std::vector<std::int32_t>& out);
  void put_target(const Row& row, std::vector<std::int32_t>& out);
  bool sample(std::string_view line, const Row& row, bool is_source);
  void add_noise(std::uint32_t sentence, std::vector<std::int32_t>& tokens, std::size_t begin) const;

  std::vector<BatchSource> sources_;
  std::vector<std::uint64_t> first_sentence_;  // of each source, and the end
  TokenizerPair sides_;
  text::SpecialIds source_ids_, target_ids_;
  BatchOptions options_;
  Shard shard_;
  std::vector<std::uint32_t> rows_;    // sentences in use
  std::vector<RowLengths> lengths_;    // of rows_, as planned
  std::vector<WeightedRange> ranges_;  // of rows_, one per source
  std::uint64_t truncated_ = 0, dropped_ = 0;
  std::optional<BatchPlan> plan_;
  std::uint64_t planned_epoch_ = 0, epoch_ = 0, step_ = 0;
  std::uint32_t worker_ = 0;  // of the shard's width, whose batch is next
  std::vector<Row> batch_rows_;
  std::vector<std::int32_t> sampled_;
};

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::TooLong> {
  using TooLong = dragoman::data::TooLong;
  static constexpr std::pair<TooLong, const char*> list[] = {{TooLong::truncate, "truncate"}, {TooLong::drop, "drop"}};
};

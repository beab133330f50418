#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/options.h"
#include "data/batch.h"
#include "data/batch_plan.h"
#include "data/split.h"
#include "data/token_store.h"
#include "text/tokenizer.h"

namespace dragoman::data {

enum class TooLong { truncate, drop };

// How sentences become rows of a batch, beyond their order.
struct RowOptions {
  std::int64_t max_source_length = 0, max_target_length = 0;
  TooLong too_long = TooLong::truncate;
  bool source_begin = false, source_end = true, target_marks = true;
  double mask_source = 0, drop_source = 0, sample_source = 0, sample_target = 0;

  template <class V>
  void visit(V& v) {
    v("max-source-length", max_source_length, "most source tokens, marks not counted; 0 means no limit", at_least(0));
    v("max-target-length", max_target_length, "most target tokens, marks not counted; 0 means no limit", at_least(0));
    v("too-long", too_long, "what happens to longer sentences: they are cut, or the pair is left out");
    v("source-begin", source_begin, "put the begin mark before the source");
    v("source-end", source_end, "put the end mark behind the source");
    v("target-marks", target_marks, "begin and end marks around the target; without them labels are the target itself");
    v("mask-source", mask_source, "share of source tokens replaced by the unknown token, drawn anew each epoch",
      between(0, 1));
    v("drop-source", drop_source, "share of source tokens left out, drawn anew each epoch", between(0, 1));
    v("sample-source", sample_source, "strength of random source segmentation (BPE-dropout)", between(0, 1));
    v("sample-target", sample_target, "strength of random target segmentation (BPE-dropout)", between(0, 1));
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

// Pairs that batches are made of: a part of a tokenised corpus.
struct BatchSource {
  TokenStore store;
  double weight = 1;
  SplitOptions split = {};
  bool held_out = false;  // the part that the split sets aside, instead of the rest
};

// One worker of several that share every epoch.
struct Shard {
  std::uint32_t rank = 0, world = 1;
};

// The tokenizers of both sides, for marks, the unknown token and sampling. They must outlive the batcher.
struct Sides {
  const text::Tokenizer* source = nullptr;
  const text::Tokenizer* target = nullptr;
};

// Packed batches without end, epoch after epoch. All of it is a pure function of (stores, options, epoch, step), so a
// resumed run, a prefetching one and one of several workers see what a plain run sees. Every worker makes the same
// number of steps; in an epoch's last step some may get an empty batch.
class Batcher {
 public:
  Batcher(std::vector<BatchSource> sources, Sides sides, const BatchOptions& options, Shard shard = {});

  // The batch at the cursor; moves the cursor on, into the next epoch after the last step.
  void next(Batch& batch);
  // Puts the cursor anywhere; costs no pass over tokens.
  void seek(std::uint64_t epoch, std::uint64_t step);
  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t step() const { return step_; }
  // How many steps an epoch has.
  std::uint64_t steps(std::uint64_t epoch);
  // The longest sentences in one batch, as many as a batch holds: about as large as one can become.
  Batch largest();

  // Pairs that take part, and what length limits did to the others.
  std::uint64_t sentences() const { return rows_.size(); }
  std::uint64_t truncated() const { return truncated_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Row {
    const TokenStore* store;
    std::uint64_t row;       // in the store
    std::uint32_t sentence;  // through all stores
    RowLengths planned;
  };

  void add_source(const BatchSource& source, std::uint64_t first_sentence);
  void check_budget(std::uint64_t row, const RowLengths& lengths) const;
  RowLengths planned_lengths(const TokenStore& store, std::uint64_t row) const;
  std::uint32_t planned_length(std::uint32_t tokens, std::uint32_t marks, double strength) const;
  const BatchPlan& plan(std::uint64_t epoch);
  void gather(std::span<const std::uint32_t> positions);
  void add_row(const Row& row, Batch& batch);
  void put_source(const Row& row, std::vector<std::int32_t>& out);
  void put_target(const Row& row, std::vector<std::int32_t>& out);
  bool sample(std::string_view line, const Row& row, bool is_source);
  void add_noise(std::uint32_t sentence, std::vector<std::int32_t>& tokens, std::size_t begin) const;

  std::vector<BatchSource> sources_;
  std::vector<std::uint64_t> first_sentence_;  // of each source, and the end
  Sides sides_;
  text::SpecialIds source_ids_, target_ids_;
  BatchOptions options_;
  Shard shard_;
  std::vector<std::uint32_t> rows_;    // sentences that take part
  std::vector<RowLengths> lengths_;    // of rows_, as planned
  std::vector<WeightedRange> ranges_;  // of rows_, one a source
  std::uint64_t truncated_ = 0, dropped_ = 0;
  std::optional<BatchPlan> plan_;
  std::uint64_t planned_epoch_ = 0, epoch_ = 0, step_ = 0;
  std::vector<Row> batch_rows_;
  std::vector<std::int32_t> sampled_;
};

}  // namespace dragoman::data

template <>
struct dragoman::EnumNames<dragoman::data::TooLong> {
  using TooLong = dragoman::data::TooLong;
  static constexpr std::pair<TooLong, const char*> list[] = {{TooLong::truncate, "truncate"}, {TooLong::drop, "drop"}};
};

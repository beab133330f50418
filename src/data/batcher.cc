#include "data/batcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/counted.h"
#include "base/error.h"
#include "base/random.h"

namespace dragoman::data {
namespace {

// Random streams, one per purpose; BatchPlan has its own.
enum SampleStream : std::uint64_t { kNoise = 11, kSampleSource = 12, kSampleTarget = 13 };

std::uint32_t limited(std::uint32_t length, std::int64_t most) {
  return most > 0 ? static_cast<std::uint32_t>(std::min<std::int64_t>(length, most)) : length;
}

std::uint32_t source_marks(const RowOptions& rows, bool tagged) {
  return (rows.source_begin ? 1 : 0) + (tagged ? 1 : 0) + (rows.source_end ? 1 : 0);
}
std::uint32_t target_marks(const RowOptions& rows) { return rows.target_marks ? 1 : 0; }

}  // namespace

Batcher::Batcher(std::vector<BatchSource> sources, TokenizerPair sides, const BatchOptions& options, Shard shard)
    : sources_(std::move(sources)),
      sides_(sides),
      source_ids_(sides.source->special()),
      target_ids_(sides.target->special()),
      options_(options),
      shard_(shard) {
  check(shard.world >= 1 && shard.rank < shard.world, "expected a rank below {} but got {}", shard.world, shard.rank);
  check(shard.width >= 1 && shard.width <= shard.world - shard.rank, "expected 1 to {} workers but got {}",
        shard.world - shard.rank, shard.width);
  const bool samples = options.rows.sample_source > 0 || options.rows.sample_target > 0;
  std::uint64_t sentences = 0;
  for (const BatchSource& source : sources_) {
    check(!samples || source.store.has_text(), "subword regularisation needs a token store with text");
    first_sentence_.push_back(sentences);
    sentences += source.store.rows();
  }
  first_sentence_.push_back(sentences);
  check(sentences <= std::numeric_limits<std::uint32_t>::max(), "{} pairs exceed the limit of 2^32 - 1", sentences);
  for (std::size_t i = 0; i < sources_.size(); ++i) add_source(sources_[i], first_sentence_[i]);
  check(!rows_.empty(), "no sentence pair is left for batches: of {}, {} have more tokens than the limits allow",
        counted(sentences, "pair"), dropped_);
}

void Batcher::add_source(const BatchSource& source, std::uint64_t first_sentence) {
  const RowOptions& rows = options_.rows;
  const TokenStore& store = source.store;
  const std::uint64_t begin = rows_.size();
  for (std::uint64_t i = 0; i < store.rows(); ++i) {
    if (is_held_out(source.split, i, store.rows()) != source.held_out) continue;
    if (exceeds(store.source_length(i), rows.max_source_length) ||
        exceeds(store.target_length(i), rows.max_target_length)) {
      const bool drop = rows.too_long == TooLong::drop;
      ++(drop ? dropped_ : truncated_);
      if (drop) continue;
    }
    rows_.push_back(static_cast<std::uint32_t>(first_sentence + i));
    lengths_.push_back(planned_lengths(source, i));
    check_budget(i, lengths_.back());
  }
  ranges_.push_back({begin, rows_.size(), source.weight});
}

// Checked here, so that a sentence that fits no batch stops training before it starts.
void Batcher::check_budget(std::uint64_t row, const RowLengths& lengths) const {
  if (options_.plan.by != BatchBy::tokens) return;
  check(std::max(lengths.source, lengths.target) <= options_.plan.size,
        "pair {} of the corpus has {} source and {} target tokens including begin and end, but a batch holds at most "
        "{}; raise --batch.size or lower --batch.max-source-length and --batch.max-target-length",
        row + 1, lengths.source, lengths.target, options_.plan.size);
}

RowLengths Batcher::planned_lengths(const BatchSource& source, std::uint64_t row) const {
  const RowOptions& rows = options_.rows;
  const std::uint32_t marks = source_marks(rows, source.tag != text::LanguageTags::kNone);
  return {planned_length(limited(source.store.source_length(row), rows.max_source_length), marks, rows.sample_source),
          planned_length(limited(source.store.target_length(row), rows.max_target_length), target_marks(rows),
                         rows.sample_target)};
}

// Subword regularisation makes sentences longer by an amount that is known only after sampling. The plan reserves some
// space; a sample that needs more is replaced by the deterministic segmentation, so the token budget always holds.
std::uint32_t Batcher::planned_length(std::uint32_t tokens, std::uint32_t marks, double strength) const {
  const std::uint32_t plain = tokens + marks;
  if (strength == 0) return plain;
  const auto roomy = static_cast<std::int64_t>(std::ceil(plain * (1 + 2 * strength))) + 4;
  const bool by_tokens = options_.plan.by == BatchBy::tokens;
  const std::int64_t most = by_tokens ? std::min<std::int64_t>(roomy, options_.plan.size) : roomy;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(plain, most));
}

const BatchPlan& Batcher::plan(std::uint64_t epoch) {
  if (!plan_ || planned_epoch_ != epoch) {
    plan_.emplace(lengths_, ranges_, options_.plan, epoch);
    planned_epoch_ = epoch;
  }
  return *plan_;
}

std::uint64_t Batcher::steps(std::uint64_t epoch) { return (plan(epoch).size() + shard_.world - 1) / shard_.world; }

void Batcher::seek(std::uint64_t epoch, std::uint64_t step) {
  const std::uint64_t count = steps(epoch);
  check(step <= count, "expected a step up to {} in epoch {} but got {}", count, epoch, step);
  epoch_ = epoch;
  step_ = step;
  worker_ = 0;
}

std::size_t Batcher::index_of(std::uint32_t sentence) const {
  std::size_t source = 0;
  while (sentence >= first_sentence_[source + 1]) ++source;
  return source;
}

// Locates the rows of a batch. Each loop prefetches what the next loop reads.
void Batcher::gather(std::span<const std::uint32_t> positions) {
  batch_rows_.clear();
  for (const std::uint32_t position : positions) {
    __builtin_prefetch(&rows_[position]);
    __builtin_prefetch(&lengths_[position]);
  }
  for (const std::uint32_t position : positions) {
    const std::uint32_t sentence = rows_[position];
    const std::size_t source = index_of(sentence);
    const TokenStore& store = sources_[source].store;
    batch_rows_.push_back(
        {&store, sentence - first_sentence_[source], sentence, lengths_[position], sources_[source].tag});
    store.expect(batch_rows_.back().row);
  }
  for (const Row& row : batch_rows_) row.store->expect_tokens(row.row);
}

void Batcher::next(Batch& batch) {
  // An epoch can be empty if weights are small.
  for (std::uint64_t tried = 0; step_ >= steps(epoch_); ++tried) {
    check(tried < 100'000, "the weights of the corpora are so small that all epochs are empty");
    ++epoch_;
    step_ = 0;
  }
  batch.epoch = epoch_;
  batch.step = step_;
  batch.steps = steps(epoch_);
  batch.source.clear();
  batch.target.clear();
  batch.labels.clear();
  batch.sentences.clear();
  const BatchPlan& current = plan(epoch_);
  const std::uint64_t index = step_ * shard_.world + shard_.rank + worker_;
  if (index < current.size()) {
    gather(current.batch(index));
    for (const Row& row : batch_rows_) add_row(row, batch);
    for (const auto& source : sources_) source.store.check_unchanged();
  }
  check(std::max(batch.source.tokens.size(), batch.target.tokens.size()) <= std::numeric_limits<std::int32_t>::max(),
        "a batch of {} sentences exceeds the limit of 2^31 - 1 tokens", batch.sentences.size());
  if (++worker_ < shard_.width) return;
  worker_ = 0;
  ++step_;
}

Batch Batcher::largest() {
  std::vector<std::uint32_t> order(rows_.size()), taken;
  std::iota(order.begin(), order.end(), 0u);
  const auto tokens = [this](std::uint32_t at) { return std::uint64_t{lengths_[at].source} + lengths_[at].target; };
  const auto most = static_cast<std::uint64_t>(options_.plan.size);
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, order.size()));
  std::partial_sort(order.begin(), last, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return tokens(a) != tokens(b) ? tokens(a) > tokens(b) : a < b;
  });
  order.erase(last, order.end());
  std::uint64_t source = 0, target = 0;
  for (const std::uint32_t at : order) {
    const RowLengths& row = lengths_[at];
    const bool fits = options_.plan.by == BatchBy::sentences
                          ? taken.size() < most
                          : source + row.source <= most && target + row.target <= most;
    if (!fits) continue;
    source += row.source;
    target += row.target;
    taken.push_back(at);
  }
  Batch batch;
  gather(taken);
  for (const Row& row : batch_rows_) add_row(row, batch);
  return batch;
}

void Batcher::add_row(const Row& row, Batch& batch) {
  const RowOptions& rows = options_.rows;
  std::vector<std::int32_t>& source = batch.source.tokens;
  if (rows.source_begin) source.push_back(source_ids_.begin);
  if (row.is_tagged()) source.push_back(row.tag);
  put_source(row, source);
  if (rows.source_end) source.push_back(source_ids_.end);
  batch.source.end_row();

  std::vector<std::int32_t>& target = batch.target.tokens;
  const std::size_t begin = target.size();
  if (rows.target_marks) target.push_back(target_ids_.begin);
  put_target(row, target);
  batch.target.end_row();
  const auto sentence = target.begin() + static_cast<std::ptrdiff_t>(begin + (rows.target_marks ? 1 : 0));
  batch.labels.insert(batch.labels.end(), sentence, target.end());
  if (rows.target_marks) batch.labels.push_back(target_ids_.end);
  batch.sentences.push_back(row.sentence);
}

void Batcher::put_source(const Row& row, std::vector<std::int32_t>& out) {
  const RowOptions& rows = options_.rows;
  const std::size_t begin = out.size();
  if (rows.sample_source > 0 && sample(row.store->source_text(row.row), row, true)) {
    out.insert(out.end(), sampled_.begin(), sampled_.end());
  } else {
    out.resize(begin + limited(row.store->source_length(row.row), rows.max_source_length));
    row.store->copy_source(row.row, std::span(out).subspan(begin));
  }
  if (rows.mask_source > 0 || rows.drop_source > 0) add_noise(row.sentence, out, begin);
}

void Batcher::put_target(const Row& row, std::vector<std::int32_t>& out) {
  const RowOptions& rows = options_.rows;
  const std::size_t begin = out.size();
  if (rows.sample_target > 0 && sample(row.store->target_text(row.row), row, false)) {
    out.insert(out.end(), sampled_.begin(), sampled_.end());
    return;
  }
  out.resize(begin + limited(row.store->target_length(row.row), rows.max_target_length));
  row.store->copy_target(row.row, std::span(out).subspan(begin));
}

// Samples a segmentation into sampled_; false if it exceeds the planned length.
bool Batcher::sample(std::string_view line, const Row& row, bool is_source) {
  const RowOptions& rows = options_.rows;
  Random random(mix(options_.plan.seed, is_source ? kSampleSource : kSampleTarget), mix(epoch_, row.sentence));
  sampled_.clear();
  (is_source ? sides_.source : sides_.target)
      ->encode_sampled(line, is_source ? rows.sample_source : rows.sample_target, random, sampled_);
  const std::int64_t most = is_source ? rows.max_source_length : rows.max_target_length;
  if (most > 0 && sampled_.size() > static_cast<std::size_t>(most)) sampled_.resize(static_cast<std::size_t>(most));
  const std::uint32_t room =
      is_source ? row.planned.source - source_marks(rows, row.is_tagged()) : row.planned.target - target_marks(rows);
  return sampled_.size() <= room;
}

// Masks and drops tokens from `begin` on; keeps at least one of them.
void Batcher::add_noise(std::uint32_t sentence, std::vector<std::int32_t>& tokens, std::size_t begin) const {
  if (tokens.size() == begin) return;
  const RowOptions& rows = options_.rows;
  const RandomKey key{mix(options_.plan.seed, kNoise), mix(epoch_, sentence)};
  const std::size_t count = tokens.size() - begin;
  const std::int32_t survivor = tokens[begin + key.block(count)[0] % count];
  const double dropped = rows.drop_source, changed = dropped + (1 - dropped) * rows.mask_source;
  std::size_t end = begin;
  Philox::Block draws{};  // one number per token
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) draws = key.block(i / 4);
    const double draw = draws[i % 4] * 0x1.0p-32;
    if (draw >= dropped) tokens[end++] = draw < changed ? source_ids_.unknown : tokens[begin + i];
  }
  if (end == begin) tokens[end++] = survivor;
  tokens.resize(end);
}

}  // namespace dragoman::data

#include "search/decode/batch_decoder.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"
#include "search/decode/scores.h"

namespace dragoman::search {
namespace {

// Decoding steps that a new KV cache has room for before it must be reallocated.
constexpr Size kStepsAhead = 32;

// Whether the decoder has read nothing of the sentence yet.
bool is_new(const DecodingTask& task) { return task.search && task.search->tree().size() == 1; }

// Source tokens of sentences that enter together on the host. Their encoder needs memory in proportion, and products of
// so many rows are nearly at full speed.
constexpr std::size_t kTokensAtOnce = 128;

// Whether the first step reads one token, as a step of other sentences does.
bool begins_with_others(const DecodingTask& task) { return task.start.size() + task.prefix.size() == 1; }

// Calls f with groups of sentences that have at most kTokensAtOnce source tokens, or are one sentence.
template <class F>
void each_group(std::span<DecodingTask> tasks, F&& f) {
  std::vector<DecodingTask> group;
  std::size_t tokens = 0;
  for (DecodingTask& task : tasks) {
    const std::size_t more = task.sources[0].size();
    if (!group.empty() && tokens + more > kTokensAtOnce) {
      f(std::exchange(group, {}));
      tokens = 0;
    }
    tokens += more;
    group.push_back(std::move(task));
  }
  if (!group.empty()) f(std::move(group));
}

class PackedTokens {
 public:
  void add(std::int32_t token) { tokens_.push_back(token); }
  void add(const Tokens& tokens) { tokens_.insert(tokens_.end(), tokens.begin(), tokens.end()); }
  void end() { offsets_.push_back(static_cast<std::int32_t>(tokens_.size())); }
  Packed on(const Context& cx) const { return Packed::from_host(cx, tokens_, offsets_); }

 private:
  std::vector<std::int32_t> tokens_, offsets_{0};
};

}  // namespace

BatchDecoder::BatchDecoder(std::vector<const models::Seq2seq*> models)
    : models_(std::move(models)),
      step_(models_.at(0)->parameters().weights().device()),
      keys_(step_.device),
      past_(step_.device),
      lasting_{Workspace(step_.device), Workspace(step_.device)},
      passing_{Workspace(step_.device), Workspace(step_.device)} {}

Size BatchDecoder::size() const {
  return std::count_if(batch_.tasks.begin(), batch_.tasks.end(),
                       [](const DecodingTask& task) { return task.search != nullptr; });
}

std::size_t BatchDecoder::peak() const {
  std::size_t bytes = step_.arena.peak() + keys_.peak() + past_.peak();
  for (const Workspace& one : lasting_) bytes += one.arena.peak();
  for (const Workspace& one : passing_) bytes += one.arena.peak();
  return bytes;
}

void BatchDecoder::add(std::vector<DecodingTask> tasks) {
  if (!step_.device.on_host()) return enter(std::move(tasks));
  const auto begin_alone = std::stable_partition(tasks.begin(), tasks.end(),
                                                 [](const DecodingTask& task) { return begins_with_others(task); });
  const std::span<DecodingTask> all(tasks);
  const auto count = static_cast<std::size_t>(begin_alone - tasks.begin());
  encode(all.first(count));
  each_group(all.subspan(count), [&](std::vector<DecodingTask> group) { enter(std::move(group)); });
}

void BatchDecoder::encode(std::span<DecodingTask> tasks) {
  Room later{std::vector<Size>(models_.size()), std::ssize(tasks)};
  for (const DecodingTask& task : tasks)
    for (std::size_t m = 0; m < models_.size(); ++m) later.tokens[m] += std::ssize(task.sources[m]);
  bool first = true;
  each_group(tasks, [&](std::vector<DecodingTask> group) {
    later.sentences -= std::ssize(group);
    for (const DecodingTask& task : group)
      for (std::size_t m = 0; m < models_.size(); ++m) later.tokens[m] -= std::ssize(task.sources[m]);
    step_.reset();
    Context cx(step_);
    Batch newcomers = read(cx, std::move(group));
    if (std::exchange(first, false))
      move_in(newcomers, later);
    else
      append(newcomers);
  });
}

void BatchDecoder::enter(std::vector<DecodingTask> tasks) {
  step_.reset();
  Context cx(step_);
  Batch newcomers = read(cx, std::move(tasks));
  const Packed tokens = next_tokens(cx, newcomers);
  const Scores scores = score(cx, newcomers, tokens);
  advance(cx, newcomers, tokens.rows, scores);
  move_in(newcomers, {});
}

void BatchDecoder::step() {
  const Size live = live_count(batch_);
  if (live == 0) return;
  bool has_cache = false;
  for (const Member& member : batch_.members) {
    has_cache = has_cache || member.state.has_cache();
    if (member.state.room() < live) {
      Batch none;
      move_in(none, {});
      break;
    }
  }
  step_.reset();
  Context cx(step_);
  const Packed tokens = next_tokens(cx, batch_);
  const Scores scores = score(cx, batch_, tokens);
  passing_now_ = 1 - passing_now_;
  passing_[passing_now_].reset();
  Context next(passing_[passing_now_]);
  advance(next, batch_, tokens.rows, scores);
  if (!has_cache) keep_cache();
}

// The first step of a new batch writes its KV cache into the memory of the step.
void BatchDecoder::keep_cache() {
  const Size room = live_count(batch_) * kStepsAhead;
  past_.restart();
  Context cx(lasting_[lasting_now_]);
  for (Member& member : batch_.members) {
    if (!member.state.has_cache()) continue;
    std::vector<models::ActiveSentence> sentences;
    for (Size s = 0; s < std::ssize(batch_.tasks); ++s) sentences.push_back({&member.memory, &member.state, s});
    member.state = models::State::join(cx, past_, sentences, room);
  }
}

BatchDecoder::Batch BatchDecoder::read(Context& cx, std::vector<DecodingTask> tasks) const {
  Batch batch{std::move(tasks), {}};
  for (std::size_t m = 0; m < models_.size(); ++m) {
    PackedTokens source;
    for (const DecodingTask& task : batch.tasks) {
      source.add(task.sources[m]);
      source.end();
    }
    models::Memory memory = models_[m]->encode(cx, source.on(cx));
    models::State state = models_[m]->start(cx, memory, true);
    batch.members.push_back({models_[m], std::move(memory), std::move(state)});
  }
  for (DecodingTask& task : batch.tasks)
    if (!task.words.empty())
      task.output = std::make_unique<const PickedLayer>(models_[0]->pick_words(std::move(task.words)));
  return batch;
}

Size BatchDecoder::live_count(const Batch& batch) {
  Size live = 0;
  for (const DecodingTask& task : batch.tasks)
    if (task.search) live += std::ssize(task.search->live());
  return live;
}

Packed BatchDecoder::next_tokens(const Context& cx, const Batch& batch) {
  PackedTokens tokens;
  for (const DecodingTask& task : batch.tasks) {
    if (!task.search) continue;
    if (is_new(task)) {
      tokens.add(task.start);
      tokens.add(task.prefix);
      tokens.end();
      continue;
    }
    for (const std::int32_t node : task.search->live()) {
      tokens.add(task.search->tree()[node].token);
      tokens.end();
    }
  }
  return tokens.on(cx);
}

BatchDecoder::Wanted BatchDecoder::wanted(const Batch& batch) {
  Wanted wanted;
  for (const DecodingTask& task : batch.tasks) {
    if (!task.search) continue;
    wanted.best = std::max(wanted.best, task.search->wanted());
    wanted.end = wanted.end || task.search->needs_end();
    wanted.attention = wanted.attention || task.wants_attention;
  }
  return wanted;
}

BatchDecoder::Scores BatchDecoder::score(Context& cx, Batch& batch, const Packed& tokens) {
  const Wanted need = wanted(batch);
  std::int32_t end = 0;
  for (const DecodingTask& task : batch.tasks)
    if (task.search) end = task.search->goal().end;
  std::vector<Tensor> features;
  Attention attention, past_attention;
  for (Member& member : batch.members) {
    const bool weights = need.attention && features.empty();
    const models::Decoded decoded = member.model->decode(cx, tokens, member.memory, member.state, weights);
    features.push_back(decoded.features);
    if (!weights) continue;
    attention = read_attention(*member.model, decoded, member.state, member.memory);
    past_attention = read_past_attention(decoded, member.state, tokens.rows);
  }
  Scores scores = features.size() == 1
                      ? score_alone(cx, *batch.members[0].model, features[0], rows_of(batch, tokens.rows), need, end)
                      : score_together(cx, batch.members, features, need, end);
  scores.attention = std::move(attention);
  scores.past_attention = std::move(past_attention);
  return scores;
}

std::vector<BatchDecoder::SentenceRows> BatchDecoder::rows_of(const Batch& batch, const Segments& tokens) {
  std::vector<SentenceRows> sentences;
  Size hypothesis = 0;
  for (const DecodingTask& task : batch.tasks) {
    if (!task.search) continue;
    const Size first = tokens.begin(hypothesis);
    hypothesis += std::ssize(task.search->live());
    sentences.push_back(
        {&task, first, (hypothesis < tokens.count() ? tokens.begin(hypothesis) : tokens.total()) - first});
  }
  return sentences;
}

std::vector<PickedRows> BatchDecoder::picked_rows(std::span<const SentenceRows> sentences) {
  std::vector<PickedRows> picked;
  bool any = false;
  for (const SentenceRows& rows : sentences) {
    const PickedLayer *const layer = rows.task->output.get(), *const common = rows.task->common;
    any = any || layer || common;
    if (picked.empty() || layer || picked.back().layer || common != picked.back().common)
      picked.push_back({rows.count, layer, common});
    else
      picked.back().count += rows.count;
  }
  if (!any) picked.clear();
  return picked;
}

// The fast path: the output layer computes only the top-k tokens and the log-sum-exp.
BatchDecoder::Scores BatchDecoder::score_alone(Context& cx, const models::Seq2seq& model, const Tensor& features,
                                               std::span<const SentenceRows> sentences, const Wanted& wanted,
                                               std::int32_t end) {
  const std::vector<PickedRows> picked = picked_rows(sentences);
  const Size vocabulary = model.config().target_vocabulary, count = std::min<Size>(wanted.best, vocabulary);
  const Best best =
      picked.empty() ? model.best_words(cx, features, count) : model.best_words(cx, features, count, picked);
  const Tensor end_scores = wanted.end ? model.scores_of(cx, features, end) : Tensor();
  const HostValues values = wanted.end ? HostValues({best.log_sum, best.values, best.columns, end_scores})
                                       : HostValues({best.log_sum, best.values, best.columns});
  Scores scores;
  scores.ids = values.of<std::int32_t>(2);
  scores.best = values.of<float>(1);
  const std::vector<float> log_sum = values.of<float>(0), ends = wanted.end ? values.of<float>(3) : log_sum;
  scores.rows.reserve(log_sum.size());
  for (std::size_t r = 0; r < log_sum.size(); ++r) {
    const std::size_t at = r * static_cast<std::size_t>(count);
    scores.rows.push_back({std::span(scores.ids).subspan(at, static_cast<std::size_t>(count)), scores.best.data() + at,
                           nullptr, ends[r], log_sum[r], static_cast<std::int32_t>(vocabulary)});
  }
  score_all(cx, model, features, sentences, scores);
  return scores;
}

void BatchDecoder::score_all(Context& cx, const models::Seq2seq& model, const Tensor& features,
                             std::span<const SentenceRows> sentences, Scores& scores) {
  std::vector<SentenceRows> needy;
  std::vector<std::int32_t> index;
  for (const SentenceRows& rows : sentences) {
    const SentenceSearch& search = *rows.task->search;
    const bool forces = is_new(*rows.task) && !rows.task->prefix.empty();
    if (!search.needs_all() && !forces) continue;
    needy.push_back(rows);
    for (Size r = 0; r < rows.count; ++r) index.push_back(static_cast<std::int32_t>(rows.first + r));
  }
  if (index.empty()) return;
  const bool every = index.size() == scores.rows.size();
  const Tensor part =
      every ? features : gather_rows(cx, features, cx.from_host<std::int32_t>(index, {std::ssize(index)}));
  const std::vector<PickedRows> picked = picked_rows(needy);
  const Tensor logits = picked.empty() ? model.logits(cx, part) : model.logits(cx, part, picked);
  const bool on_host = logits.device().on_host();  // then rows point to the logits, which last as long as the step
  if (!on_host) scores.all = logits.to_host<float>();
  const float* all = on_host ? logits.data<float>() : scores.all.data();
  for (const std::int32_t row : index) {
    Row& to = scores.rows[static_cast<std::size_t>(row)];
    to.all = std::exchange(all, all + to.vocabulary);
  }
}

// An ensemble: the mean of the distributions over the whole vocabulary.
BatchDecoder::Scores BatchDecoder::score_together(Context& cx, const std::vector<Member>& members,
                                                  const std::vector<Tensor>& features, const Wanted& wanted,
                                                  std::int32_t end) {
  std::vector<std::vector<float>> logits, log_sums;
  for (std::size_t m = 0; m < members.size(); ++m) {
    logits.push_back(members[m].model->logits(cx, features[m]).to_host<float>());
    log_sums.push_back(members[m].model->best_words(cx, features[m], 1).log_sum.to_host<float>());
  }
  Scores scores;
  scores.all = mean_distribution(logits, log_sums);
  const auto vocabulary = static_cast<std::size_t>(members[0].model->config().target_vocabulary);
  const std::size_t count = std::min(static_cast<std::size_t>(wanted.best), vocabulary), rows = log_sums[0].size();
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<std::int32_t> best =
        best_tokens(std::span(scores.all).subspan(r * vocabulary, vocabulary), count);
    scores.ids.insert(scores.ids.end(), best.begin(), best.end());
    for (const std::int32_t id : best) scores.best.push_back(scores.all[r * vocabulary + static_cast<std::size_t>(id)]);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const float* all = scores.all.data() + r * vocabulary;
    scores.rows.push_back({std::span(scores.ids).subspan(r * count, count), scores.best.data() + r * count, all,
                           all[end], 0, static_cast<std::int32_t>(vocabulary)});
  }
  return scores;
}

// Stores the attention of the nodes that the search has just added. Their parents' rows start at `first_row`.
void BatchDecoder::remember_attention(DecodingTask& task, const Scores& scores, Size first_row) {
  if (!task.wants_attention) return;
  const Tree& tree = task.search->tree();
  const std::span<const std::int32_t> before = task.search->before();
  const auto remember = [&](const Attention& rows, Attention& nodes) {
    if (rows.empty()) return;
    nodes.resize(std::max<std::size_t>(nodes.size(), 1));  // the root has no row
    for (auto node = static_cast<std::int32_t>(nodes.size()); node < tree.size(); ++node) {
      const auto at = std::find(before.begin(), before.end(), tree[node].parent) - before.begin();
      nodes.push_back(rows[static_cast<std::size_t>(first_row + at)]);
    }
  };
  remember(scores.attention, task.attention);
  remember(scores.past_attention, task.past_attention);
}

// Passes each search its rows of scores: one per live hypothesis, or, in a first step, one per token of the prefix and
// one more. Only the last token of the start predicts a token of the translation.
void BatchDecoder::advance(Context& cx, Batch& batch, const Segments& tokens, const Scores& scores) {
  std::vector<std::int32_t> chosen, beams;
  Size hypothesis = 0;
  for (DecodingTask& task : batch.tasks) {
    beams.push_back(0);
    if (!task.search) continue;
    SentenceSearch& search = *task.search;
    const auto live = search.live().size();
    Size row = tokens.begin(hypothesis);
    if (is_new(task)) {
      row += std::ssize(task.start) - 1;
      for (const std::int32_t token : task.prefix) {
        search.force(token, scores.rows[static_cast<std::size_t>(row)]);
        remember_attention(task, scores, row++);
      }
    }
    search.advance(std::span(scores.rows).subspan(static_cast<std::size_t>(row), search.live().size()));
    remember_attention(task, scores, row);
    task.abandoned = task.cancelled && task.cancelled->load(std::memory_order_relaxed);
    if (!task.abandoned) {
      for (const std::int32_t origin : search.origins())
        chosen.push_back(static_cast<std::int32_t>(hypothesis) + origin);
      beams.back() = static_cast<std::int32_t>(search.live().size());
    }
    hypothesis += static_cast<Size>(live);
  }
  for (Member& member : batch.members) member.state = member.state.select(cx, chosen, beams);
  std::vector<DecodingTask*> done;
  for (DecodingTask& task : batch.tasks)
    if (task.search && (task.abandoned || task.search->done())) done.push_back(&task);
  threads::each(std::ssize(done), [&](std::int64_t i) {
    DecodingTask& task = *done[static_cast<std::size_t>(i)];
    task.finished(task);
    task.search = nullptr;
  });
}

// Merges the unfinished sentences and the new ones into one batch, in other memory.
void BatchDecoder::move_in(Batch& newcomers, const Room& later) {
  Batch next;
  const Size room = (live_count(batch_) + live_count(newcomers) + later.sentences) * kStepsAhead;
  std::vector<std::pair<const Batch*, Size>> places;
  for (Batch* batch : {&batch_, &newcomers})
    for (std::size_t s = 0; s < batch->tasks.size(); ++s)
      if (batch->tasks[s].search) places.emplace_back(batch, static_cast<Size>(s));
  keys_.restart();
  past_.restart();
  lasting_now_ = 1 - lasting_now_;
  lasting_[lasting_now_].reset();
  Context cx(lasting_[lasting_now_]);
  for (std::size_t m = 0; !places.empty() && m < models_.size(); ++m) {
    std::vector<models::ActiveSentence> sentences;
    for (const auto& [batch, s] : places) sentences.push_back({&batch->members[m].memory, &batch->members[m].state, s});
    const Size tokens = later.tokens.empty() ? 0 : later.tokens[m];
    next.members.push_back({models_[m], models::join_memories(cx, keys_, sentences, tokens),
                            models::State::join(cx, past_, sentences, room)});
  }
  for (Batch* batch : {&batch_, &newcomers})
    for (DecodingTask& task : batch->tasks)
      if (task.search) next.tasks.push_back(std::move(task));
  batch_ = std::move(next);
}

// Adds sentences that have read nothing to a batch that has room for them.
void BatchDecoder::append(Batch& newcomers) {
  Context cx(lasting_[lasting_now_]);
  for (std::size_t m = 0; m < models_.size(); ++m) {
    models::append_memory(cx, batch_.members[m].memory, newcomers.members[m].memory);
    batch_.members[m].state.append(cx, newcomers.members[m].state);
  }
  for (DecodingTask& task : newcomers.tasks) batch_.tasks.push_back(std::move(task));
}

}  // namespace dragoman::search

#include "search/decoder.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace dragoman::search {
namespace {

// Steps between two times that the pasts are moved to make room.
constexpr Size kStepsAhead = 32;

class PackedTokens {
 public:
  void add(std::int32_t token) { tokens_.push_back(token); }
  void add(const Tokens& tokens) { tokens_.insert(tokens_.end(), tokens.begin(), tokens.end()); }
  void end() { offsets_.push_back(static_cast<std::int32_t>(tokens_.size())); }
  Packed on(const Context& cx) const { return Packed::from_host(cx, tokens_, offsets_); }

 private:
  std::vector<std::int32_t> tokens_, offsets_{0};
};

// Log probabilities of the mean of several models' distributions, in the memory of the first one's logits.
void average(const std::vector<Tensor>& logits, const std::vector<Tensor>& log_sums) {
  std::vector<std::vector<float>> sums;
  for (const Tensor& sum : log_sums) sums.push_back(sum.to_host<float>());
  const auto models = static_cast<float>(logits.size());
  const Size cols = logits[0].cols();
  threads::split(logits[0].rows(), 1, [&](Size begin, Size end) {
    for (Size at = begin * cols; at < end * cols; ++at) {
      const auto row = static_cast<std::size_t>(at / cols);
      float largest = -INFINITY, sum = 0;
      for (std::size_t m = 0; m < logits.size(); ++m)
        largest = std::max(largest, logits[m].data<float>()[at] - sums[m][row]);
      for (std::size_t m = 0; m < logits.size(); ++m)
        sum += std::exp(logits[m].data<float>()[at] - sums[m][row] - largest);
      logits[0].data<float>()[at] = largest + std::log(sum / models);
    }
  });
}

// The mean over heads of what each token attended to: for each sentence [heads, queries, keys] becomes one vector a
// query.
std::vector<std::vector<float>> attention_of(const Tensor& weights, const Segments& queries, const Segments& keys) {
  Size pairs = 0;
  for (Size s = 0; s < queries.count(); ++s) pairs += queries.length(s) * keys.length(s);
  const std::vector<float> all = weights.to_host<float>();
  const Size heads = pairs > 0 ? std::ssize(all) / pairs : 1;
  std::vector<std::vector<float>> rows;
  const float* at = all.data();
  for (Size s = 0; s < queries.count(); ++s) {
    const Size nq = queries.length(s), nk = keys.length(s);
    for (Size i = 0; i < nq; ++i) {
      std::vector<float>& row = rows.emplace_back(static_cast<std::size_t>(nk));
      for (Size h = 0; h < heads; ++h)
        for (Size j = 0; j < nk; ++j)
          row[static_cast<std::size_t>(j)] += at[(h * nq + i) * nk + j] / static_cast<float>(heads);
    }
    at += heads * nq * nk;
  }
  return rows;
}

}  // namespace

Decoder::Decoder(std::vector<const models::Seq2seq*> models, std::int32_t begin)
    : models_(std::move(models)),
      begin_(begin),
      entry_(models_.at(0)->parameters().weights().device()),
      lasting_{Workspace(entry_.device), Workspace(entry_.device)},
      passing_{Workspace(entry_.device), Workspace(entry_.device)} {}

Size Decoder::size() const {
  return std::count_if(batch_.tasks.begin(), batch_.tasks.end(),
                       [](const Task& task) { return task.search != nullptr; });
}

void Decoder::add(std::vector<Task> tasks) {
  entry_.reset();
  Context cx(entry_);
  Batch newcomers = read(cx, std::move(tasks));
  const Packed tokens = first_tokens(cx, newcomers, begin_);
  const Scores scores = score(cx, newcomers, tokens);
  advance(cx, newcomers, tokens.rows, scores);
  move_in(newcomers);
}

void Decoder::step() {
  Size live = 0;
  for (const Task& task : batch_.tasks)
    if (task.search) live += std::ssize(task.search->live());
  if (live == 0) return;
  for (const Member& member : batch_.members)
    if (member.state.room() < live) {
      Batch nobody;
      move_in(nobody);
      break;
    }
  passing_now_ = 1 - passing_now_;
  passing_[passing_now_].reset();
  Context cx(passing_[passing_now_]);
  const Packed tokens = last_tokens(cx, batch_);
  const Scores scores = score(cx, batch_, tokens);
  advance(cx, batch_, tokens.rows, scores);
}

Decoder::Batch Decoder::read(Context& cx, std::vector<Task> tasks) const {
  Batch batch{std::move(tasks), {}};
  for (std::size_t m = 0; m < models_.size(); ++m) {
    PackedTokens source;
    for (const Task& task : batch.tasks) {
      source.add(task.sources[m]);
      source.end();
    }
    models::Memory memory = models_[m]->encode(cx, source.on(cx));
    models::State state = models_[m]->start(cx, memory, true);
    batch.members.push_back({models_[m], std::move(memory), std::move(state)});
  }
  return batch;
}

Packed Decoder::first_tokens(const Context& cx, const Batch& batch, std::int32_t begin) {
  PackedTokens tokens;
  for (const Task& task : batch.tasks) {
    tokens.add(begin);
    tokens.add(task.prefix);
    tokens.end();
  }
  return tokens.on(cx);
}

Packed Decoder::last_tokens(const Context& cx, const Batch& batch) {
  PackedTokens tokens;
  for (const Task& task : batch.tasks) {
    if (!task.search) continue;
    for (const std::int32_t node : task.search->live()) {
      tokens.add(task.search->tree()[node].token);
      tokens.end();
    }
  }
  return tokens.on(cx);
}

Decoder::Scores Decoder::score(Context& cx, Batch& batch, const Packed& tokens) {
  int wanted = 1;
  bool attention = false;
  for (const Task& task : batch.tasks)
    if (task.search) {
      wanted = std::max(wanted, task.search->wanted());
      attention = attention || task.wants_attention;
    }
  Scores scores;
  std::vector<Tensor> logits, log_sums;
  for (Member& member : batch.members) {
    const bool weights = attention && logits.empty();
    const models::Decoded decoded = member.model->decode(cx, tokens, member.memory, member.state, weights);
    logits.push_back(member.model->logits(cx, decoded.features));
    if (batch.members.size() > 1) log_sums.push_back(best_of_rows(cx, logits.back(), 1).log_sum);
    if (decoded.weights.defined() && member.model->config().attention.linformer == 0)
      scores.attention = attention_of(decoded.weights, member.state.by_sentence(), member.memory.source.rows);
  }
  const bool averaged = logits.size() > 1;
  if (averaged) average(logits, log_sums);
  const Size vocabulary = logits[0].cols(), count = std::min<Size>(wanted, vocabulary);
  const Best best = best_of_rows(cx, logits[0], count);
  scores.best = best.columns.to_host<std::int32_t>();
  const float* values = logits[0].data<float>();
  if (!logits[0].device().on_host()) {
    scores.values = logits[0].to_host<float>();
    values = scores.values.data();
  }
  const std::vector<float> log_sum = best.log_sum.to_host<float>();
  for (Size r = 0; r < logits[0].rows(); ++r)
    scores.rows.push_back(
        {std::span(scores.best).subspan(static_cast<std::size_t>(r * count), static_cast<std::size_t>(count)),
         values + r * vocabulary, averaged ? 0 : log_sum[static_cast<std::size_t>(r)],
         static_cast<std::int32_t>(vocabulary)});
  return scores;
}

// Rows belong to the tokens that were appended: one for a hypothesis that goes on, more where a prefix was forced.
void Decoder::advance(Context& cx, Batch& batch, const Segments& tokens, const Scores& scores) {
  std::vector<std::int32_t> chosen, beams;
  Size hypothesis = 0;
  for (Task& task : batch.tasks) {
    beams.push_back(0);
    if (!task.search) continue;
    SentenceSearch& search = *task.search;
    const auto remember_attention = [&](std::span<const std::int32_t> before, Size first_row) {
      if (!task.wants_attention || scores.attention.empty()) return;
      for (auto node = static_cast<std::int32_t>(std::max<std::size_t>(task.attention.size(), 1));
           node < search.tree().size(); ++node) {
        const auto at = std::find(before.begin(), before.end(), search.tree()[node].parent) - before.begin();
        task.attention.resize(static_cast<std::size_t>(node));
        task.attention.push_back(scores.attention[static_cast<std::size_t>(first_row + at)]);
      }
    };
    const std::vector<std::int32_t> start(search.live().begin(), search.live().end());
    Size row = tokens.begin(hypothesis);
    if (search.tree().size() == 1)
      for (const std::int32_t token : task.prefix) {
        const std::vector<std::int32_t> before(search.live().begin(), search.live().end());
        search.force(token, scores.rows[static_cast<std::size_t>(row)]);
        remember_attention(before, row++);
      }
    const std::vector<std::int32_t> before(search.live().begin(), search.live().end());
    search.advance(std::span(scores.rows).subspan(static_cast<std::size_t>(row), before.size()));
    remember_attention(before, row);
    for (const std::int32_t origin : search.origins()) chosen.push_back(static_cast<std::int32_t>(hypothesis) + origin);
    beams.back() = static_cast<std::int32_t>(search.live().size());
    hypothesis += std::ssize(start);
  }
  for (Member& member : batch.members) member.state = member.state.select(cx, chosen, beams);
  for (Task& task : batch.tasks)
    if (task.search && task.search->done()) {
      task.finished(task);
      task.search = nullptr;
    }
}

// Brings what is still underway, and the newcomers, into fresh memory side by side.
void Decoder::move_in(Batch& newcomers) {
  Batch next;
  Size live = 0;
  std::vector<std::pair<const Batch*, Size>> places;
  for (Batch* batch : {&batch_, &newcomers})
    for (std::size_t s = 0; s < batch->tasks.size(); ++s)
      if (batch->tasks[s].search) {
        live += std::ssize(batch->tasks[s].search->live());
        places.emplace_back(batch, static_cast<Size>(s));
      }
  lasting_now_ = 1 - lasting_now_;
  lasting_[lasting_now_].reset();
  Context cx(lasting_[lasting_now_]);
  for (std::size_t m = 0; !places.empty() && m < models_.size(); ++m) {
    std::vector<models::Underway> sentences;
    for (const auto& [batch, s] : places) sentences.push_back({&batch->members[m].memory, &batch->members[m].state, s});
    next.members.push_back(
        {models_[m], models::join_memories(cx, sentences), models::State::join(cx, sentences, live * kStepsAhead)});
  }
  for (Batch* batch : {&batch_, &newcomers})
    for (Task& task : batch->tasks)
      if (task.search) next.tasks.push_back(std::move(task));
  batch_ = std::move(next);
}

}  // namespace dragoman::search

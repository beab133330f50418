#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/join.h"

namespace dragoman::train {
namespace {

constexpr int kMostRollbacks = 10;
constexpr double kRunningMemory = 0.99;
constexpr std::uint64_t kUpdatesBeforeExplosions = 50;

const nn::Parameters& freeze(nn::Parameters& parameters, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    check(parameters.freeze(pattern) > 0, "freeze: no parameter that could still be trained matches '{}'", pattern);
  return parameters;
}

// Some of the sums, as rows.
Tensor row_of(const Buffer& sums, Size first, Size count) {
  const Tensor& all = sums.tensor();
  return Tensor(all.raw(), all.dtype(), {all.count(), 1}, all.device()).row_view(first, count);
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Trainer::Trainer(const TrainOptions& options, Task& task, TrainData data, store::ModelInfo info)
    : options_(options),
      task_(task),
      data_(std::move(data)),
      info_(std::move(info)),
      until_(parse_amounts(options.until)),
      validate_every_(Amount::parse(options.validate)),
      checkpoint_every_(Amount::parse(options.checkpoint)),
      log_every_(Amount::parse(options.log)),
      schedule_(options.schedule, until_),
      optimiser_(options.optimiser, freeze(task.parameters(), options.freeze)),
      checkpoints_(options.output + "/checkpoints", options.keep),
      workspace_(task.parameters().weights().device()),
      at_once_(static_cast<std::size_t>(options.at_once)),
      group_(static_cast<std::size_t>(options.optimiser.accumulate)),
      steps_per_epoch_(data_.training.steps(0)),
      sums_(workspace_.device, DType::f64, 3) {
  for (auto& delivery : deliveries_) delivery = workspace_.device.delivery(sums_.tensor().bytes());
  if (options.optimiser.ema > 0)
    average_.emplace(options.optimiser.ema, task.parameters().weights(), task.parameters().copy());
  state_.seed = options.seed;
  state_.sentences = data_.training.sentences();
}

void Trainer::tell(const std::string& words) {
  for (Observer* observer : observers_) observer->on_remark(words, state_.position);
}

bool Trainer::resume() {
  checkpoints_.tidy();
  const TrainState fresh = state_;
  const std::string path = checkpoints_.load_newest(trained(), [&](const std::string& words) { tell(words); });
  if (path.empty()) return false;
  check(state_.seed == fresh.seed, "{}: belongs to a run of seed {}, not {}", path, state_.seed, fresh.seed);
  check(state_.sentences == fresh.sentences,
        "{}: belongs to a run on {} sentence pairs, but now there are {}: the data or its settings changed", path,
        state_.sentences, fresh.sentences);
  return true;
}

RunInfo Trainer::run_info() {
  RunInfo info{.output = options_.output, .begin = state_.position, .until = until_, .log = log_every_};
  for (const auto& entry : task_.parameters().entries())
    if (entry.trainable) info.trainable += entry.shape.count();
  info.parameters = task_.parameters().count();
  info.sentences = state_.sentences;
  info.steps_per_epoch = steps_per_epoch_;
  info.memory = memory_;
  return info;
}

const MemoryPlan& Trainer::rehearse() {
  MemoryPlan& plan = memory_.emplace();
  const Tensor copy = task_.parameters().copy();
  plan.weights = task_.parameters().weights().bytes() + (copy.defined() ? copy.bytes() : 0);
  plan.gradients = task_.parameters().gradients().bytes();
  for (const auto& [name, tensor] : optimiser_.state()) plan.optimiser += tensor.bytes();
  if (average_) plan.optimiser += 2 * average_->tensor().bytes();
  plan.free = workspace_.device.memory().free;
  for (Observer* observer : observers_) plan.search += observer->rehearse();
  data::Batch largest = data_.training.largest();
  if (data_.validation) {
    data::Batch other = data_.validation->largest();
    if (other.tokens() > largest.tokens()) largest = std::move(other);
  }
  rehearse_learning(options_, task_, workspace_, largest, plan);
  at_once_ = plan.at_once;
  return plan;
}

RunEnd Trainer::train(const std::function<bool()>& stop) {
  std::filesystem::create_directories(options_.output);
  share_before_ = share_done(state_.position);
  for (Observer* observer : observers_) observer->on_start(run_info());
  if (checkpoints_.list().empty()) save();
  std::string reason = end_reason();
  if (reason.empty()) {
    data_.training.seek(state_.epoch, state_.step);
    batches_.emplace(std::move(data_.training));
  }
  const std::size_t most = workspace_.device.on_host() ? 0 : 1;
  while (reason.empty()) {
    const Position before = state_.position;
    update();
    const bool stopping = stop(), follows = stopping || is_followed_up(before);
    if (!settle(follows ? 0 : most)) continue;
    if (follows) follow_up(before, stopping);
    reason = end_reason();
    if (reason.empty() && stopping) reason = "asked to stop";
  }
  const bool has_model = std::filesystem::exists(model_path());
  const RunEnd end{state_.position, reason, has_model ? model_path() : "", state_.seconds};
  for (Observer* observer : observers_) observer->on_end(end);
  return end;
}

std::uint64_t Trainer::learn_group(Position& after) {
  std::uint64_t labels = 0;
  for (data::Batch& batch : group_) {
    batches_->next(batch);
    labels += batch.labels.size();
    after.epochs =
        static_cast<double>(batch.epoch) + static_cast<double>(batch.step + 1) / static_cast<double>(batch.steps);
  }
  for (;;) {
    try {
      const std::uint64_t learned = learn_batches(labels);
      ++after.updates;
      after.tokens += learned;
      return learned;
    } catch (const OutOfMemory& problem) {
      make_parts_smaller(problem);
    }
  }
}

std::uint64_t Trainer::learn_batches(std::uint64_t labels) {
  task_.parameters().gradients().clear();
  sums_.tensor().clear();
  const LossTotals losses{row_of(sums_, 0, 2)};
  std::uint64_t learned = 0, drawn = state_.batches;
  for (const data::Batch& batch : group_) {
    std::uint64_t stream = ++drawn;  // of random numbers, one for each part
    data::for_each_part(batch, at_once_, [&](const data::Batch& part) {
      workspace_.reset();
      Context cx = Context::training(workspace_, options_.seed, stream);
      learned += task_.learn(cx, part, options_.loss, 1 / static_cast<double>(labels), losses);
      stream += std::uint64_t{1} << 32;
    });
  }
  return learned;
}

// The rehearsal allowed more than there is now: others have taken memory, or a batch is larger than was foreseen.
void Trainer::make_parts_smaller(const OutOfMemory& problem) {
  workspace_.drop();
  std::size_t largest = 0, longest = 0;
  for (const data::Batch& batch : group_) {
    largest = std::max(largest, batch.tokens());
    longest = std::max(longest, batch.longest());
  }
  if (at_once_ > 0) largest = std::min(largest, at_once_);
  check(largest > longest, "update {}: {}, even for one sentence pair of {} tokens", state_.position.updates + 1,
        problem.what(), longest);
  at_once_ = std::max(largest / 2, longest);
  tell(fmt::format("update {}: {}; from now on at most {} tokens go through at once", state_.position.updates + 1,
                   problem.what(), at_once_));
}

void Trainer::update() {
  Underway now;
  now.start = Clock::now();
  now.position = state_.position;
  now.tokens = learn_group(now.position);
  now.rate = state_.rate_factor * schedule_.rate(now.position);
  const Tensor squares = row_of(sums_, 2, 1);
  sum_squares(task_.parameters().gradients(), squares);
  optimiser_.step(now.rate, now.position.updates, squares);
  if (average_) average_->update(now.position.updates);
  now.sums = deliveries_[now.position.updates % deliveries_.size()].get();
  now.sums->send(sums_.tensor().raw());
  underway_.push_back(now);
  state_.position = now.position;
  state_.batches += group_.size();
  state_.epoch = group_.back().epoch;
  state_.step = group_.back().step + 1;
}

bool Trainer::settle(std::size_t most) {
  while (underway_.size() > most) {
    const Underway done = underway_.front();
    underway_.pop_front();
    const auto* sum = static_cast<const double*>(done.sums->wait());
    const LossSums sums{sum[0], sum[1], done.tokens};
    const double norm = std::sqrt(sum[2]);
    if (!is_sane(done, sums, norm)) {
      underway_.clear();
      roll_back(done, sums);
      return false;
    }
    const double spent = since(std::max(done.start, seen_));
    seen_ = Clock::now();
    log_seconds_ += spent;
    trained_here_ += spent;
    state_.seconds += spent;
    count(done, sums, norm);
    const StepReport step = report(done, sums, norm, static_cast<double>(sums.tokens) / spent);
    for (Observer* observer : observers_) observer->on_update(step);
  }
  return true;
}

bool Trainer::is_sane(const Underway& done, const LossSums& sums, double norm) const {
  if (!std::isfinite(sums.loss) || !std::isfinite(norm)) return false;
  return options_.explosion == 0 || done.position.updates <= kUpdatesBeforeExplosions ||
         sums.mean_loss() <= options_.explosion * state_.running_loss;
}

void Trainer::count(const Underway& done, const LossSums& sums, double norm) {
  const double loss = sums.mean_loss();
  state_.running_loss =
      done.position.updates == 1 ? loss : kRunningMemory * state_.running_loss + (1 - kRunningMemory) * loss;
  state_.since_log += sums;
  state_.since_validation += sums;
  state_.norm_since_log += norm;
  ++state_.updates_since_log;
  settled_ = done;
}

// Back to the newest checkpoint with half the learning rate, or the end of the run.
void Trainer::roll_back(const Underway& diverged, const LossSums& sums) {
  const std::string what = fmt::format("update {}: the loss is {:.6g} after a running mean of {:.4g}",
                                       diverged.position.updates, sums.mean_loss(), state_.running_loss);
  check(options_.on_divergence == OnDivergence::rollback,
        "{}; training stops here and checkpoints of better times are in {}/checkpoints. A lower schedule.rate, a "
        "warm-up or a smaller optimiser.clip may help; --on-divergence rollback goes back and halves the rate",
        what, options_.output);
  check(state_.rollbacks < kMostRollbacks, "{}; it went back {} times already and stops here", what, kMostRollbacks);
  const double factor = 0.5 * state_.rate_factor;
  const int rollbacks = state_.rollbacks + 1;
  const std::string path = checkpoints_.load_newest(trained(), [&](const std::string& words) { tell(words); });
  check(!path.empty(), "{}; there is no checkpoint to go back to", what);
  state_.rate_factor = factor;
  state_.rollbacks = rollbacks;
  batches_->seek(state_.epoch, state_.step);
  tell(fmt::format("{}; back to update {} with {} of the learning rate", what, state_.position.updates, factor));
  save();
}

bool Trainer::is_followed_up(const Position& before) const {
  const Position& now = state_.position;
  return log_every_.crossed(before, now) || validate_every_.crossed(before, now) ||
         checkpoint_every_.crossed(before, now) || share_done(now) >= 1;
}

void Trainer::follow_up(const Position& before, bool stopping) {
  const Position& now = state_.position;
  if (log_every_.crossed(before, now)) log();
  const bool ends = share_done(now) >= 1;
  const bool validates = data_.validation && (validate_every_.crossed(before, now) || ends);
  if (validates) validate();
  if (!validates && !stopping && !ends && !checkpoint_every_.crossed(before, now)) return;
  save();
  if (!data_.validation) save_model();
}

StepReport Trainer::report(const Underway& last, const LossSums& sums, double norm, double speed) const {
  const double share = share_done(last.position), done_here = share - share_before_;
  return {.position = last.position,
          .sums = sums,
          .rate = last.rate,
          .gradient_norm = norm,
          .tokens_per_second = speed,
          .share_done = share,
          .seconds_left = done_here > 0 ? trained_here_ * (1 - share) / done_here : 0};
}

void Trainer::log() {
  const StepReport mean =
      report(settled_, state_.since_log, state_.norm_since_log / static_cast<double>(state_.updates_since_log),
             log_seconds_ > 0 ? static_cast<double>(state_.since_log.tokens) / log_seconds_ : 0);
  for (Observer* observer : observers_) observer->on_log(mean);
  state_.since_log = {};
  state_.norm_since_log = 0;
  state_.updates_since_log = 0;
  log_seconds_ = 0;
}

void Trainer::validate() {
  const auto start = Clock::now();
  Validation validation;
  validation.position = state_.position;
  validation.training = state_.since_validation;
  {
    const Averaged averaged(average());
    validation.scores = task_.validate(workspace_, *data_.validation, at_once_);
    for (Observer* observer : observers_) observer->measure(validation);
  }
  state_.since_validation = {};
  state_.validated = state_.position.updates;
  judge(validation);
  validation.seconds = since(start);
  state_.seconds += validation.seconds;
  for (const auto& [name, value] : validation.scores.list())
    info_.card["validation." + name] = fmt::format("{}", value);
  if (validation.best) save_model();
  for (Observer* observer : observers_) observer->on_validation(validation);
}

// Compares with the best so far, by every score; one of them decides about patience and the rate.
void Trainer::judge(Validation& validation) {
  std::vector<std::string> measured;
  for (const auto& [name, value] : validation.scores.list()) {
    measured.push_back(name);
    const auto found = state_.best.find(name);
    const bool better = found == state_.best.end() ||
                        (lower_is_better(name) ? value < found->second.value : value > found->second.value);
    if (better) state_.best[name] = {value, state_.position.updates};
    if (name == options_.metric) validation.best = better;
  }
  check(validation.scores.find(options_.metric) != nullptr, "metric: '{}' is not among the scores of this run: {}",
        options_.metric, join(measured, ", "));
  if (validation.best) {
    state_.without_improvement = state_.without_improvement_rate = 0;
  } else {
    ++state_.without_improvement;
    ++state_.without_improvement_rate;
  }
  validation.without_improvement = state_.without_improvement;
  if (options_.schedule.plateau > 0 && state_.without_improvement_rate >= options_.schedule.plateau) {
    state_.rate_factor *= options_.schedule.plateau_factor;
    state_.without_improvement_rate = 0;
    tell(fmt::format("no better {} in {} validations: the learning rate is reduced to {:.3g} of its schedule",
                     options_.metric, options_.schedule.plateau, state_.rate_factor));
  }
}

void Trainer::save() {
  const std::string path = checkpoints_.save(info_, trained());
  for (Observer* observer : observers_) observer->on_checkpoint(path, state_.position);
}

void Trainer::save_model() {
  info_.card["updates"] = std::to_string(state_.position.updates);
  info_.card["epochs"] = fmt::format("{:.2f}", state_.position.epochs);
  info_.card["tokens"] = std::to_string(state_.position.tokens);
  const Averaged averaged(average());
  store::save_model(model_path(), info_, task_.parameters());
}

double Trainer::share_done(const Position& position) const {
  double share = 0;
  for (const Amount& end : until_)
    if (!end.none()) share = std::max(share, end.measure(position) / end.count);
  return share;
}

std::string Trainer::end_reason() const {
  for (const Amount& end : until_)
    if (end.reached(state_.position)) return "reached " + end.show();
  if (options_.patience > 0 && state_.without_improvement >= options_.patience)
    return fmt::format("no better {} in {} validations", options_.metric, options_.patience);
  return "";
}

}  // namespace dragoman::train

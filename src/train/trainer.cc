#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/counted.h"
#include "train/validate.h"

namespace dragoman::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAskedToStop = "asked to stop";
constexpr double kSpeedMemory = 0.9;  // decay per update of the mean time that a rank computes

double elapsed_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// All ranks start with the weights of the first one.
nn::Parameters& prepared(nn::Parameters& parameters, const std::vector<std::string>& frozen, comm::Communicator& comm) {
  for (const std::string& pattern : frozen)
    check(parameters.freeze(pattern) > 0, "freeze: no trainable parameter matches '{}'", pattern);
  comm.broadcast(parameters.weights(), 0);
  parameters.refresh();
  return parameters;
}

// Epochs after so many steps of one, including its fraction.
double epochs_at(std::uint64_t epoch, std::uint64_t step, std::uint64_t steps) {
  return static_cast<double>(epoch) + static_cast<double>(step) / static_cast<double>(steps);
}

}  // namespace

Trainer::Trainer(const TrainOptions& options, Task& task, TrainData data, store::ModelInfo info,
                 comm::Communicator& comm)
    : options_(options),
      task_(task),
      team_(Team::of(options, comm)),
      data_(std::move(data)),
      info_(std::move(info)),
      validate_every_(Amount::parse(options.validate)),
      checkpoint_every_(Amount::parse(options.checkpoint)),
      log_every_(Amount::parse(options.log)),
      progress_(parse_amounts(options.until)),
      schedule_(options.schedule, progress_.until()),
      sharding_(task.parameters().weights().count(), team_),
      weights_(prepared(task.parameters(), options.freeze, comm), sharding_),
      optimiser_(options.optimiser, weights_),
      checkpoints_(options.output + "/checkpoints", options.keep),
      workspace_(task.parameters().weights().device()),
      gradients_(task, workspace_, options, sharding_),
      pipeline_(workspace_.device),
      totals_(team_, sharding_, pipeline_.losses(), pipeline_.gradient_squares()),
      divergence_(options),
      selection_(options),
      group_(static_cast<std::size_t>(options.optimiser.accumulate * team_.width())),
      steps_per_epoch_(data_.training.steps(0)) {
  if (options.optimiser.ema > 0) average_.emplace(options.optimiser.ema, weights_);
  state_.seed = options.seed;
  state_.sentences = data_.training.sentences();
  state_.data = data_.hash;
  state_.validation_data = data_.validation_hash;
  state_.parts = team_.parts;
}

bool Trainer::resume() {
  const TrainState fresh = state_;
  const std::string path = load_newest_checkpoint();
  if (path.empty()) return false;
  check_same_run(path, fresh);
  adapt_to_batches();
  if (state_.validation_data != 0 && state_.validation_data != fresh.validation_data)
    remark("the validation data have changed: the best model so far was chosen by other data");
  state_.data = fresh.data;
  state_.validation_data = fresh.validation_data;
  // The model card goes on like that of an uninterrupted run: it names the data as given at the start, and the scores.
  const store::ModelFile checkpoint(path, store::ModelFile::Configuration::unused);
  for (const auto& [key, value] : checkpoint.info().card) info_.card[key] = value;
  return true;
}

void Trainer::adapt_to_batches() {
  const std::uint64_t steps = data_.training.steps(state_.epoch);
  std::uint64_t step = state_.step;
  if (state_.parts != team_.parts) {
    const auto before = static_cast<std::uint64_t>(state_.parts), now = static_cast<std::uint64_t>(team_.parts);
    step = (state_.step * before + now - 1) / now;
    remark(fmt::format("updates now consist of {} instead of {}", counted(now, "part"), before));
  } else {
    constexpr double kRounding = 1e-6;
    const double share = state_.position.epochs - static_cast<double>(state_.epoch);
    step = static_cast<std::uint64_t>(std::ceil(std::max(share * static_cast<double>(steps) - kRounding, 0.0)));
    if (step == state_.step) return;
    remark(fmt::format("an epoch now has {}: the run goes on at the same place, epoch {:.2f}",
                       counted(steps, "batch", "batches"), state_.position.epochs));
  }
  state_.parts = team_.parts;
  state_.step = std::min(step, steps);
  state_.position.epochs = epochs_at(state_.epoch, state_.step, steps);
}

void Trainer::check_same_run(const std::string& path, const TrainState& fresh) {
  check(state_.seed == fresh.seed, "{}: belongs to a run with seed {}, not {}", path, state_.seed, fresh.seed);
  const std::string advice = fmt::format(
      "A resumed run needs the data it began with. To train the model further on other data, start a new run: "
      "--from {} --output ANOTHER_FOLDER",
      model_path());
  check(state_.sentences == fresh.sentences,
        "{}: belongs to a run on {} sentence pairs, but now there are {}: the data or its settings changed. {}", path,
        state_.sentences, fresh.sentences, advice);
  check(state_.data == 0 || fresh.data == 0 || state_.data == fresh.data,
        "{}: belongs to a run on other sentence pairs: there are as many, but their content, weights or length limits "
        "changed. {}",
        path, advice);
}

DiskPlan Trainer::disk() {
  TrainOptions planned = options_;
  if (!data_.validation) planned.validate = "";
  const auto updates_per_epoch =
      static_cast<double>(steps_per_epoch_) / static_cast<double>(options_.optimiser.accumulate);
  return {.checkpoint = checkpoint_bytes(trained()),
          .model = task_.parameters().weights().bytes(),
          .checkpoints = checkpoints_at_once(planned, updates_per_epoch)};
}

RunInfo Trainer::run_info() {
  RunInfo info{.output = options_.output, .begin = state_.position, .until = progress_.until(), .log = log_every_};
  for (const auto& entry : task_.parameters().entries())
    if (entry.trainable) info.trainable += entry.shape.count();
  info.parameters = task_.parameters().count();
  info.sentences = state_.sentences;
  info.steps_per_epoch = steps_per_epoch_;
  info.memory = memory_;
  return info;
}

const MemoryPlan& Trainer::rehearse() {
  MemoryPlan& plan = memory_.emplace(permanent_memory(weights_, optimiser_, average()));
  plan.gradients += gradients_.bytes();
  plan.free = workspace_.device.memory().free;
  for (Observer* observer : observers_) plan.search += observer->rehearse();
  data::Batch largest = data_.training.largest();
  if (data_.validation) {
    data::Batch other = data_.validation->largest();
    if (other.tokens() > largest.tokens()) largest = std::move(other);
  }
  TrainOptions own = options_;
  if (workspace_.device.on_host()) own.memory_fraction /= team_.comm.local_size();
  rehearse_learning(own, task_, workspace_, largest, plan);
  // The bits of a batch depend on how it is split, so that all ranks split alike.
  for (const std::string& other : team_.comm.exchange(std::to_string(plan.at_once)))
    if (const std::size_t most = std::stoull(other); most > 0)
      plan.at_once = plan.at_once == 0 ? most : std::min(plan.at_once, most);
  gradients_.set_at_once(plan.at_once);
  return plan;
}

RunEnd Trainer::train(const std::function<bool()>& stop) {
  stop_ = stop;
  if (team_.comm.leads()) {
    std::filesystem::create_directories(options_.output);
    checkpoints_.tidy();
  }
  progress_.begin(state_.position, workspace_.device.name());
  notify(&Observer::on_start, run_info());
  if (team_.comm.from_leader(checkpoints_.list().empty() ? "new" : "") == "new") save_checkpoint();
  std::string reason = end_reason();
  if (reason.empty()) {
    data_.training.seek(state_.epoch, state_.step);
    batches_.emplace(std::move(data_.training));
  }
  try {
    while (reason.empty()) reason = advance();
  } catch (const std::exception& error) {
    report_failure(error.what());
    throw;
  }
  // After the last checkpoint, so that a resumed run continues the means that this run began.
  if (progress_.has_updates_to_log()) notify(&Observer::on_log, progress_.take_log(state_));
  const bool has_model = std::filesystem::exists(model_path());
  const RunEnd end{state_.position, reason, has_model ? model_path() : "", state_.seconds, reason == kAskedToStop};
  notify(&Observer::on_end, end);
  return end;
}

std::string Trainer::advance() {
  const Position before = state_.position;
  apply_gradients(compute_gradients());
  if (team_.comm.size() == 1) stopping_ = stop_();
  const Due due = due_since(before, stopping_);
  if (!settle(due.any() ? 0 : pipeline_.depth())) return "";
  follow_up(due);
  const std::string reason = end_reason();
  return reason.empty() && stopping_ ? kAskedToStop : reason;
}

void Trainer::report_failure(const std::string& words) {
  team_.comm.report_failure(words);  // before the thread that waits for the others is joined
  for (Observer* observer : observers_) try {
      observer->on_failure(words, state_.position);
    } catch (const std::exception&) {  // a full disk, for instance; the first error is the one to report
    }
}

PendingUpdate Trainer::compute_gradients() {
  PendingUpdate update{.position = state_.position, .start = Clock::now()};
  for (data::Batch& batch : group_) batches_->next(batch);
  Agreement agreed{.labels = GradientAccumulator::count_labels(group_)};
  if (team_.comm.size() > 1) agreed = agree(team_.comm, {agreed.labels, stop_(), seconds_});
  const auto begin = Clock::now();
  totals_.clear();
  gradients_.accumulate({group_, agreed.labels, totals_.losses()}, state_,
                        [this](const std::string& words) { remark(words); });
  const GradientReduction::Times reduced = gradients_.take_times();
  const double seconds = elapsed_since(begin) - reduced.exposed;
  update.traffic.compute = seconds;
  update.traffic.reduce = reduced.exposed;
  update.traffic.overlapped = reduced.overlapped;
  seconds_ = seconds_ == 0 ? seconds : kSpeedMemory * seconds_ + (1 - kSpeedMemory) * seconds;
  stopping_ = agreed.stops;
  update.tokens = agreed.labels;
  update.waiting = agreed.waiting;
  ++update.position.updates;
  update.position.tokens += update.tokens;
  update.position.epochs = epochs_at(group_.back().epoch, group_.back().step + 1, group_.back().steps);
  return update;
}

void Trainer::apply_gradients(PendingUpdate update) {
  const std::uint64_t number = update.position.updates;
  update.rate = state_.rate_factor * schedule_.rate(update.position);
  const Tensor gradients = task_.parameters().gradients();
  totals_.add_up(gradients);
  optimiser_.step(update.rate, number, pipeline_.gradient_squares());
  const auto begin = Clock::now();
  weights_.gather();
  update.traffic.gather = elapsed_since(begin);
  update.traffic.bytes = sharding_.bytes_to_reduce(gradients) + weights_.bytes_to_gather();
  if (average_) average_->update(number);
  pipeline_.push(update);
  state_.position = update.position;
  state_.batches += static_cast<std::uint64_t>(options_.optimiser.accumulate * team_.parts);
  state_.epoch = group_.back().epoch;
  state_.step = group_.back().step + 1;
}

bool Trainer::settle(std::size_t most) {
  while (pipeline_.pending() > most) {
    const FinishedUpdate update = pipeline_.pop();
    if (divergence_.has_diverged(update, state_)) {
      roll_back(update);
      return false;
    }
    divergence_.follow(update, state_);
    notify(&Observer::on_update, progress_.add(update, state_));
  }
  return true;
}

void Trainer::roll_back(const FinishedUpdate& diverged) {
  pipeline_.clear();
  const std::string words =
      divergence_.roll_back(diverged, state_, [this] { return !load_newest_checkpoint().empty(); });
  batches_->seek(state_.epoch, state_.step);
  remark(words);
  save_checkpoint();
}

Trainer::Due Trainer::due_since(const Position& before, bool stopping) const {
  const Position& now = state_.position;
  const bool ends = progress_.ended(now);
  Due due;
  due.log = log_every_.crossed(before, now) || progress_.is_milestone(before, now);
  due.validate = data_.validation && (ends || validate_every_.crossed(before, now));
  due.save = due.validate || stopping || ends || checkpoint_every_.crossed(before, now);
  return due;
}

void Trainer::follow_up(const Due& due) {
  if (due.log) notify(&Observer::on_log, progress_.take_log(state_));
  if (due.validate) validate();
  // Before the checkpoint: a run that is resumed from it, perhaps at its end, writes no model of this update.
  if (due.save && !data_.validation) save_model();
  if (due.save) save_checkpoint();
}

void Trainer::share_state() {
  if (team_.comm.size() > 1) state_ = state_from_json(team_.comm.from_leader(to_json(state_)), "rank 0");
}

void Trainer::validate() {
  const auto start = Clock::now();
  Validation validation;
  validation.position = state_.position;
  validation.training = state_.since_validation;
  measure(validation);
  if (team_.comm.leads()) judge(validation, start);
  share_state();
  if (team_.comm.from_leader(validation.best ? "best" : "") == "best") save_model();
  if (team_.comm.leads()) notify(&Observer::on_validation, validation);
}

void Trainer::measure(Validation& validation) {
  swap_average();
  validation.scores = train::validate(task_, workspace_, *data_.validation, gradients_.at_once(), team_.comm);
  for (Observer* observer : observers_) observer->measure(validation);
  swap_average();
}

void Trainer::swap_average() {
  if (!average_) return;
  average_->swap();
  weights_.gather();
}

void Trainer::judge(Validation& validation, Clock::time_point start) {
  state_.since_validation = {};
  state_.validated = state_.position.updates;
  const std::string plateau = selection_.judge(validation, state_);
  if (!plateau.empty()) remark(plateau);
  validation.seconds = elapsed_since(start);
  state_.seconds += validation.seconds;
  validation.elapsed = state_.seconds;
  for (const auto& [name, value] : validation.scores.list())
    info_.card["validation." + name] = fmt::format("{}", value);
}

void Trainer::save_checkpoint() {
  update_card();
  const std::string path = checkpoints_.save(info_, trained());
  saved_update_ = state_.position.updates;
  notify(&Observer::on_checkpoint, path, state_.position);
}

void Trainer::update_card() {
  info_.card["updates"] = std::to_string(state_.position.updates);
  info_.card["epochs"] = fmt::format("{:.2f}", state_.position.epochs);
  info_.card["tokens"] = std::to_string(state_.position.tokens);
}

void Trainer::save_model() {
  update_card();
  train::save_model(model_path(), info_, trained());
}

std::string Trainer::load_newest_checkpoint() {
  const std::string path = checkpoints_.load_newest(trained(), [this](const std::string& words) { remark(words); });
  if (!path.empty()) saved_update_ = state_.position.updates;
  team_.comm.barrier();
  return path;
}

std::string Trainer::end_reason() const {
  const std::string reached = progress_.end_reason(state_.position);
  if (reached.empty() && selection_.out_of_patience(state_)) return selection_.reason();
  return reached;
}

}  // namespace dragoman::train

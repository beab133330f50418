#include "train/console.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"

namespace dragoman::train {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr int kBar = 20;

}  // namespace

std::string describe(const StepReport& step) {
  std::string line = fmt::format(
      "epoch {:.2f}  update {}  loss {:.3f}  ppl {:.2f}  {} tokens/s  rate {:.2e}  |g| {:.2f}", step.position.epochs,
      with_commas(step.position.updates), step.sums.mean_loss(), std::exp(step.sums.mean_nll()),
      with_commas(static_cast<std::uint64_t>(step.tokens_per_second)), step.rate, step.gradient_norm);
  if (step.waiting.ranks > 1)
    line += fmt::format("  {} ranks, {:.0f} % waiting for rank {}", step.waiting.ranks, 100 * step.waiting.share,
                        step.waiting.slowest);
  if (step.share_done > 0 && step.share_done < 1) line += fmt::format("  {} left", clock_time(step.seconds_left));
  return line;
}

Console::Console(int samples) : samples_(samples), terminal_(isatty(STDERR_FILENO) != 0) {}

void Console::clear_line() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void Console::on_start(const RunInfo& info) {
  std::string ends;
  for (const Amount& end : info.until) ends += (ends.empty() ? "" : " or ") + end.show();
  log::info("{} ({} trained), {}, {} per epoch, until {}", counted(info.parameters, "parameter"),
            with_commas(info.trainable), counted(info.sentences, "sentence pair"),
            counted(info.steps_per_epoch, "batch", "batches"), ends.empty() ? "stopped" : ends);
  if (info.memory)
    for (const auto& [name, words] : describe(*info.memory)) log::info("{}: {}", name, words);
  if (info.begin.updates > 0)
    log::info("resuming from update {} (epoch {:.2f})", with_commas(info.begin.updates), info.begin.epochs);
}

void Console::on_update(const StepReport& step) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  const double share = std::min(step.share_done, 1.0);
  const int filled = static_cast<int>(share * kBar);
  fmt::print(stderr, "\r\033[K[{:=<{}}{:<{}}] {:3.0f} %  {}", "", filled, "", kBar - filled, 100 * share,
             describe(step));
  std::fflush(stderr);
  drawn_ = true;
}

void Console::on_log(const StepReport& step) {
  if (!terminal_) log::info("{:3.0f} %  {}", 100 * std::min(step.share_done, 1.0), describe(step));
}

void Console::on_validation(const Validation& validation) {
  clear_line();
  validated_ = true;
  std::map<std::string, std::string> scores;  // by language pair; those of the whole set have none
  for (const auto& [name, value] : validation.scores.list()) {
    const auto [metric, part] = metric_and_part(name);
    scores[std::string(part)] += fmt::format("  {} {:.4g}", metric, value);
  }
  log::info("validation at epoch {:.2f}, update {}: training loss {:.3f}, held out{}{}  ({})",
            validation.position.epochs, with_commas(validation.position.updates), validation.training.mean_nll(),
            scores[""],
            validation.best ? "  *best*"
                            : fmt::format("  best was {} ago", counted(validation.without_improvement, "validation")),
            clock_time(validation.seconds));
  scores.erase("");
  for (const auto& [languages, words] : scores) log::info("  {:<9}{}", languages, words);
  for (std::size_t i = 0; i < validation.samples.size() && i < static_cast<std::size_t>(samples_); ++i) {
    const Sample& sample = validation.samples[i];
    log::info("  source     {}", sample.source);
    log::info("  reference  {}", sample.reference);
    log::info("  output     {}", sample.output);
  }
}

void Console::on_checkpoint(const std::string& path, const Position&) {
  clear_line();
  log::debug("saved {}", path);
}

void Console::on_remark(const std::string& words, const Position&) {
  clear_line();
  log::warning("{}", words);
}

void Console::on_end(const RunEnd& end) {
  clear_line();
  log::info("{} after {}, {:.2f} epochs, {}{}", end.reason, counted(end.position.updates, "update"),
            end.position.epochs, clock_time(end.seconds),
            end.model.empty() ? "" : (validated_ ? "; the best model is " : "; the model is ") + end.model);
}

}  // namespace dragoman::train

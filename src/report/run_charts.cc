#include "report/run_charts.h"

#include <algorithm>
#include <array>
#include <functional>

#include "report/chart.h"
#include "train/scores.h"

namespace dragoman::report {
namespace {

using Pointer = Json::json_pointer;

enum class Source { train, validation };

// A number in the lines of a log.
struct Quantity {
  std::string name;   // in the chart of one run: "training"
  std::string title;  // of its chart in a comparison: "Training loss"
  Source source = Source::train;
  Pointer value;
  Best best = Best::none;
  double scale = 1;
  bool is_noisy = false;
};

// Quantities of the same unit.
struct Subject {
  std::string title, label;
  std::vector<Quantity> quantities;
  AxisKind axis = AxisKind::linear;
};

constexpr double kGigabyte = 1e-9;

std::vector<Subject> training_subjects() {
  using enum Source;
  return {
      {"Loss",
       "negative log-likelihood per token",
       {{"training", "Training loss", train, Pointer("/nll"), Best::none, 1, true},
        {"validation", "Validation loss", validation, Pointer("/scores/loss"), Best::lowest}}},
      {"Perplexity",
       "perplexity per token",
       {{"training", "Training perplexity", train, Pointer("/perplexity"), Best::none, 1, true},
        {"validation", "Validation perplexity", validation, Pointer("/scores/perplexity"), Best::lowest}},
       AxisKind::log10},
      {"BLEU and chrF",
       "score of the validation set, 0 to 100",
       {{"BLEU", "Validation BLEU", validation, Pointer("/scores/bleu"), Best::highest},
        {"chrF", "Validation chrF", validation, Pointer("/scores/chrf"), Best::highest}}},
      {"Accuracy and F1",
       "score of the validation set, in per cent",
       {{"accuracy", "Validation accuracy", validation, Pointer("/scores/accuracy"), Best::highest},
        {"F1", "Validation F1", validation, Pointer("/scores/f1"), Best::highest}}},
  };
}

std::vector<Subject> machine_subjects() {
  using enum Source;
  return {
      {"Learning rate", "learning rate", {{"rate", "Learning rate", train, Pointer("/rate")}}},
      {"Gradient norm",
       "norm of the gradient",
       {{"norm", "Gradient norm", train, Pointer("/gradient_norm"), Best::none, 1, true}}},
      {"Throughput",
       "target tokens per second",
       {{"throughput", "Throughput", train, Pointer("/tokens_per_second"), Best::none, 1, true}}},
      {"GPU use",
       "share of the time, in per cent",
       {{"GPU", "GPU use", train, Pointer("/usage/gpu"), Best::none, 100, true}}},
      {"GPU memory",
       "gigabytes in use, by all processes",
       {{"GPU", "GPU memory", train, Pointer("/usage/gpu_memory"), Best::none, kGigabyte}}},
      {"CPU use", "cores kept busy", {{"CPU", "CPU use", train, Pointer("/usage/cores"), Best::none, 1, true}}},
      {"Memory of the process",
       "gigabytes of resident memory",
       {{"memory", "Memory of the process", train, Pointer("/usage/memory"), Best::none, kGigabyte}}},
  };
}

// Scores that only some runs have: those of parts of the validation set (bleu.en-de), one chart per metric, and metrics
// without a chart of their own.
std::vector<Subject> other_scores(const RunHistory& run, const std::vector<Subject>& known) {
  std::vector<Subject> found;
  if (run.validation.empty()) return found;
  for (const auto& [name, value] : object_at(run.validation.back(), "scores").items()) {
    const Pointer pointer = Pointer("/scores") / name;
    const auto has_it = [&](const Quantity& quantity) { return quantity.value == pointer; };
    if (std::any_of(known.begin(), known.end(), [&](const Subject& subject) {
          return std::any_of(subject.quantities.begin(), subject.quantities.end(), has_it);
        }))
      continue;
    const auto [metric, part] = train::metric_and_part(name);
    const std::string title = std::string(metric) + (part.empty() ? "" : " by direction");
    auto subject = std::find_if(found.begin(), found.end(), [&](const Subject& one) { return one.title == title; });
    if (subject == found.end())
      subject = found.insert(found.end(), {title, std::string(metric) + " of the validation set", {}});
    subject->quantities.push_back({part.empty() ? name : std::string(part), "Validation " + name, Source::validation,
                                   pointer, train::lower_is_better(name) ? Best::lowest : Best::highest});
  }
  return found;
}

std::vector<Subject> subjects(const RunHistory& run) {
  std::vector<Subject> all = training_subjects();
  for (const auto& more : {other_scores(run, all), machine_subjects()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A horizontal axis.
struct Horizontal {
  const char* name;
  const char* choice;  // the words of its radio button
  const char* key;     // in the lines of a log
};
constexpr std::array<Horizontal, 3> kAxes = {
    {{"updates", "updates", "update"}, {"epochs", "epochs", "epoch"}, {"time", "training time", "elapsed"}}};

// The unit of training time for these runs.
struct TimeUnit {
  double seconds;
  const char* label;
};
TimeUnit time_unit(double longest) {
  if (longest > 7200) return {3600, "training time in hours"};
  if (longest > 300) return {60, "training time in minutes"};
  return {1, "training time in seconds"};
}

Series curve(const std::string& name, const RunHistory& run, const Quantity& quantity, const char* x, double unit) {
  Series found{.name = name, .points = {}, .best = quantity.best, .is_noisy = quantity.is_noisy};
  for (const Json& line : quantity.source == Source::train ? run.train : run.validation)
    if (const auto value = line.contains(quantity.value) ? number(line.at(quantity.value)) : std::nullopt)
      found.points.emplace_back(number(line, x).value_or(0) / unit, quantity.scale * *value);
  return found;
}

// A figure over all axes; empty if there are no points. `lines` makes the series for an axis.
std::string figure(const std::string& title, const Subject& subject, const TimeUnit& time,
                   const std::function<std::vector<Series>(const char* x, double unit)>& lines) {
  std::vector<View> views;
  bool has_points = false;
  for (const Horizontal& axis : kAxes) {
    const bool is_time = std::string_view(axis.name) == "time";
    Chart chart{.title = title,
                .x_label = is_time ? time.label : axis.name,
                .y_label = subject.label,
                .series = lines(axis.key, is_time ? time.seconds : 1),
                .y = subject.axis,
                .starts_at_zero = true};
    for (const Series& series : chart.series) has_points = has_points || !series.points.empty();
    views.push_back({axis.name, std::move(chart)});
  }
  return has_points ? draw(views) : "";
}

}  // namespace

std::string run_charts(const RunHistory& run) {
  const TimeUnit time = time_unit(run.seconds());
  std::string html = "<section class='charts'>";
  for (const Subject& subject : subjects(run))
    html += figure(subject.title, subject, time, [&](const char* x, double unit) {
      std::vector<Series> lines;
      for (const Quantity& quantity : subject.quantities) lines.push_back(curve(quantity.name, run, quantity, x, unit));
      return lines;
    });
  return html + "</section>";
}

std::string comparison_charts(const std::vector<NamedRun>& runs) {
  double longest = 0;
  for (const NamedRun& run : runs) longest = std::max(longest, run.history.seconds());
  const TimeUnit time = time_unit(longest);
  std::string html = "<section class='charts'>";
  std::vector<Pointer> drawn;
  for (const NamedRun& with_scores : runs)
    for (const Subject& subject : subjects(with_scores.history))
      for (const Quantity& quantity : subject.quantities) {
        if (std::find(drawn.begin(), drawn.end(), quantity.value) != drawn.end()) continue;
        drawn.push_back(quantity.value);
        html += figure(quantity.title, subject, time, [&](const char* x, double unit) {
          std::vector<Series> lines;
          for (const NamedRun& run : runs) lines.push_back(curve(run.name, run.history, quantity, x, unit));
          return lines;
        });
      }
  return html + "</section>";
}

std::string chart_controls() {
  std::vector<AxisChoice> axes;
  for (const Horizontal& axis : kAxes) axes.push_back({axis.name, axis.choice});
  return "<div class='options'>" + axis_control(axes) + smoothing_control() + "</div>";
}

}  // namespace dragoman::report

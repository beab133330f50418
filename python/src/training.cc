#include <filesystem>
#include <optional>

#include "python.h"
#include "run/train_statistical.h"
#include "run/training_plan.h"
#include "run/training_run.h"
#include "train/console.h"

namespace dragoman::python {
namespace {

using Callback = std::optional<py::function>;

py::dict to_python(const train::Position& position) {
  py::dict dict;
  dict["updates"] = position.updates;
  dict["epochs"] = position.epochs;
  dict["tokens"] = position.tokens;
  return dict;
}

py::dict to_python(const train::StepReport& step) {
  py::dict dict = to_python(step.position);
  dict["loss"] = step.sums.mean_loss();
  dict["rate"] = step.rate;
  dict["gradient_norm"] = step.gradient_norm;
  dict["tokens_per_second"] = step.tokens_per_second;
  dict["share_done"] = step.share_done;
  dict["seconds_left"] = step.seconds_left;
  dict["elapsed"] = step.elapsed;
  return dict;
}

py::dict to_python(const train::Validation& validation) {
  py::dict dict = to_python(validation.position), scores;
  for (const auto& [name, value] : validation.scores.list()) scores[as_str(name)] = value;
  py::list samples;
  for (const train::Sample& sample : validation.samples)
    samples.append(py::make_tuple(as_str(sample.source), as_str(sample.reference), as_str(sample.output)));
  dict["scores"] = scores;
  dict["samples"] = samples;
  dict["best"] = validation.best;
  dict["without_improvement"] = validation.without_improvement;
  dict["elapsed"] = validation.elapsed;
  return dict;
}

// Passes what happens on to Python. A callback that returns True, raises, or a signal ends the run after the update;
// the trainer then saves its state, and the exception is thrown once it has.
class Watcher final : public train::Observer {
 public:
  Watcher(Callback on_log, Callback on_validation)
      : on_log_(std::move(on_log)), on_validation_(std::move(on_validation)) {}

  void on_log(const train::StepReport& step) override { call(on_log_, step); }
  void on_validation(const train::Validation& validation) override { call(on_validation_, validation); }

  bool stops() {
    guarded([] { check_signals(); });
    return stopping_;
  }
  void rethrow() {
    if (error_) throw *std::exchange(error_, std::nullopt);
  }

 private:
  template <class Report>
  void call(const Callback& callback, const Report& report) {
    if (!callback) return;
    guarded([&] {
      stopping_ = stopping_ || (*callback)(to_python(report)).template cast<py::object>().is(py::bool_(true));
    });
  }
  template <class Body>
  void guarded(Body body) {
    const py::gil_scoped_acquire acquire;
    if (error_) return;
    try {
      body();
    } catch (const py::error_already_set& error) {
      error_ = error;
      stopping_ = true;
    }
  }

  Callback on_log_, on_validation_;
  bool stopping_ = false;
  std::optional<py::error_already_set> error_;
};

// Preset or model to start from, then the files, then the arguments, as the command does it.
run::TrainingOptions read_options(const std::vector<std::string>& configs, const Arguments& arguments) {
  const auto read = [&](Settings& settings) {
    for (const std::string& path : configs) settings.read_yaml_file(path);
    return arguments.assign(settings);
  };
  run::TrainingOptions asked, options;
  Settings first(asked);
  read(first);
  Settings settings(options);
  run::read_initial_settings(settings, asked);
  settings.check_effects(read(settings));
  check_device_name(options.compute.device);
  run::check_fine_tuning(options);
  return options;
}

py::dict train(const py::iterable& configs, const py::dict& arguments, const Callback& on_log,
               const Callback& on_validation, bool progress) {
  const run::TrainingOptions options = read_options(paths_of(configs), Arguments(arguments));
  check(!options.dry_run && !options.verify_resume, "dry_run and verify_resume are for `dragoman train`");
  py::dict dict;
  if (options.task == run::TrainTask::statistical) {
    const Unlocked unlocked;
    std::string model = run::train_statistical(options);
    const py::gil_scoped_acquire acquire;
    dict["model"] = as_str(model);
    return dict;
  }
  Watcher watcher(on_log, on_validation);
  train::RunEnd end;
  std::string report;
  {
    const Unlocked unlocked;
    run::TrainingRun run(options);
    std::optional<train::Console> console;
    if (progress) run.add(console.emplace(options.validation.samples));
    run.add(watcher);
    end = run.train([&] { return watcher.stops(); });
    report = run.report_path();
  }
  watcher.rethrow();
  dict = to_python(end.position);
  dict["model"] = as_str(end.model);
  dict["reason"] = as_str(end.reason);
  dict["seconds"] = end.seconds;
  dict["report"] = as_str(report);
  return dict;
}

py::dict plan(const py::iterable& configs, const py::dict& arguments) {
  const run::TrainingOptions options = read_options(paths_of(configs), Arguments(arguments));
  run::Facts facts;
  {
    const Unlocked unlocked;
    facts = run::plan_training(options);
  }
  py::dict dict;
  for (const auto& [name, words] : facts) dict[as_str(name)] = as_str(words);
  return dict;
}

}  // namespace

void define_training(py::module_& module) {
  module.def("train", train, py::arg("configs"), py::arg("options"), py::arg("on_log"), py::arg("on_validation"),
             py::arg("progress"));
  module.def("plan", plan, py::arg("configs"), py::arg("options"));
}

}  // namespace dragoman::python

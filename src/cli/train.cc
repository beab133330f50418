#include <signal.h>

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "run/train_statistical.h"
#include "run/training_checks.h"
#include "run/training_plan.h"
#include "run/training_run.h"
#include "run/training_team.h"
#include "train/console.h"
#include "train/stop_signal.h"

namespace dragoman::cli {
namespace {

// As one of the processes that train together. Returns the status of the program.
int train_in_team(const run::TrainingOptions& options, comm::Communicator& comm) {
  run::TrainingRun run(options, comm);
  train::Console console(options.validation.samples);
  run.add(console);
  const train::StopSignal signals;
  const train::RunEnd end = run.train([] { return train::StopSignal::received() != 0; });
  if (comm.leads() && !run.report_path().empty()) log::info("report: {}", run.report_path());
  if (comm.leads() && !end.model.empty()) fmt::print("{}\n", end.model);
  const int received = train::StopSignal::received();
  if (received != 0) return 128 + received;
  return end.asked ? 128 + SIGTERM : 0;  // another process was asked
}

int train_neural(run::TrainingOptions options, const Words& arguments) {
  if (options.compute.devices > 1) run::check_training(options);  // before other processes are started
  run::TrainingTeam team(options, arguments);
  try {
    return train_in_team(options, team.comm());
  } catch (const std::exception& error) {
    if (!team.reports(error)) return 1;
    if (team.comm().leads() || dynamic_cast<const comm::PeerFailure*>(&error) != nullptr) throw;
    fail("{}: {}", team.comm().describe(team.comm().rank()), error.what());
  }
}

int train_as_asked(const run::TrainingOptions& options, const Words& arguments) {
  if (options.dry_run) {
    for (const auto& [name, words] : run::plan_training(options)) fmt::print("{:<20} {}\n", name, words);
  } else if (options.task == run::TrainTask::statistical) {
    fmt::print("{}\n", run::train_statistical(options));
  } else if (options.verify_resume) {
    const run::ResumeProof proof = run::verify_resume(options);
    fmt::print("resumed = uninterrupted after {}: {} of weights and optimiser agree\n",
               counted(proof.updates, "update"), counted(proof.bytes, "byte"));
  } else {
    return train_neural(options, arguments);
  }
  return 0;
}

int run_train(const Command& self, const Words& arguments) {
  run::TrainingOptions asked, options;
  Settings(asked).parse(arguments);
  Settings settings(options);
  run::read_initial_settings(settings, asked);
  const Parsed parsed = settings.parse(arguments);
  if (answered(self, settings, parsed)) return 0;
  settings.check_effects(parsed);
  expect_words(parsed.positional, 0, "train takes flags only (`dragoman train --help` lists them)");
  threads::set_count(options.compute.threads);
  check_device_name(options.compute.device);
  run::check_fine_tuning(options);
  Words own = {self.name};
  own.insert(own.end(), arguments.begin(), arguments.end());
  return train_as_asked(options, own);
}

void describe_train(const UseSettings& use) {
  run::TrainingOptions options;
  use(Settings(options));
}

}  // namespace

extern const Command train_command{
    "train",
    "--preset NAME --source FILE --target FILE --output FOLDER",
    "trains a model",
    run_train,
    describe_train,
    "# a small Transformer\n"
    "dragoman train --preset transformer-tiny --source train.de --target train.en \\\n"
    "  --valid-source valid.de --valid-target valid.en --output run\n"
    "# sizes, memory and estimated time, without training\n"
    "dragoman train --preset transformer-base --source train.de.gz --target train.en.gz --output run --dry-run\n"
    "# continue after an interruption, or train for longer\n"
    "dragoman train --resume --output run --until 20e\n"
    "# fine-tune a model on other data\n"
    "dragoman train --from run/model.safetensors --source news.de --target news.en --output tuned"};

}  // namespace dragoman::cli

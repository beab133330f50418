#include <filesystem>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/train_data.h"
#include "cli/train_translation.h"
#include "models/presets.h"
#include "text/vocabulary.h"
#include "train/console.h"
#include "train/json_log.h"
#include "train/stop_signal.h"
#include "train/trainer.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "/config.yaml";

// The settings of a run: those of its preset or of the run that is resumed, then those of --config files, then flags.
struct RunSettings {
  TrainCommandOptions options;
  int threads = 0;
  Settings settings;

  RunSettings() : settings(options) {
    settings("threads", threads, "threads to use; 0 means one per core", between(0, 1024));
  }
  RunSettings(const RunSettings&) = delete;
  RunSettings& operator=(const RunSettings&) = delete;

  // What a later start needs to go on: everything but how this start was asked for.
  void save(const std::string& path) {
    TrainCommandOptions& o = options;
    const std::tuple<bool, bool, bool, bool> before(o.resume, o.overwrite, o.dry_run, o.verify_resume);
    o.resume = o.overwrite = o.dry_run = o.verify_resume = false;
    AtomicFile file(path);
    file.write(settings.dump());
    file.commit();
    std::tie(o.resume, o.overwrite, o.dry_run, o.verify_resume) = before;
  }
};

Parsed read_settings(RunSettings& run, const Words& arguments) {
  RunSettings flags;
  flags.settings.parse(arguments);
  const std::string saved = flags.options.train.output + kSettings;
  if (flags.options.resume && fs::exists(saved))
    run.settings.read_yaml_file(saved);
  else if (!flags.options.preset.empty())
    run.settings.read_yaml(models::preset_text(flags.options.preset), flags.options.preset);
  return run.settings.parse(arguments);
}

// Only one trainer may write to a folder, and only one that means to may write to the folder of a run.
FileLock claim_folder(const TrainCommandOptions& options) {
  const std::string& folder = options.train.output;
  check(!folder.empty(), "expected --output FOLDER, where the run goes");
  std::error_code problem;
  fs::create_directories(folder, problem);
  check(!problem, "{}: cannot be made: {}", folder, problem.message());
  std::optional<FileLock> lock = FileLock::try_lock(folder + "/lock");
  check(lock.has_value(), "{}: another trainer is at work in this folder", folder);
  if (options.overwrite && !options.resume)
    for (const char* old : {"/checkpoints", "/model.safetensors", "/log.jsonl"}) fs::remove_all(folder + old);
  check(options.resume || !fs::exists(folder + "/checkpoints"),
        "{}: holds a run already; --resume goes on with it, --overwrite begins anew", folder);
  return std::move(*lock);
}

std::unique_ptr<train::Task> make_task(TrainCommandOptions& options, const Vocabularies& vocabularies) {
  if (!options.from.empty()) options.model = store::ModelFile(options.from).info().config;
  options.model.source_vocabulary = vocabularies.source->size();
  options.model.target_vocabulary = vocabularies.target->size();
  std::unique_ptr<train::Task> task;
  if (options.task == TrainTask::classify) {
    options.model.classes = vocabularies.target->size() - text::Vocabulary::kSpecial;
    task = std::make_unique<train::ClassificationTask>(options.model);
  } else {
    check(options.model.classes == 0, "model.classes {} is for --task classify", options.model.classes);
    task = std::make_unique<train::TranslationTask>(options.model);
  }
  task->parameters().allocate(cpu_device(), DType::f32, options.train.seed, true);
  if (!options.from.empty()) store::ModelFile(options.from).load(task->parameters());
  return task;
}

int train_run(RunSettings& run) {
  TrainCommandOptions& options = run.options;
  const FileLock lock = claim_folder(options);
  const Vocabularies vocabularies = open_vocabularies(options);
  const RunData data(options, vocabularies);
  const std::unique_ptr<train::Task> task = make_task(options, vocabularies);
  run.save(options.train.output + kSettings);
  train::Trainer trainer(options.train, *task, {data.training(), data.validation()},
                         {options.model, vocabularies.source->serialize(), vocabularies.target->serialize(), {}});

  std::optional<ValidationTranslator> translator;
  const auto* const translation = dynamic_cast<const train::TranslationTask*>(task.get());
  if (translation && options.validation.sentences > 0) {
    const auto most = static_cast<std::size_t>(options.validation.sentences);
    translator.emplace(translation->model(), vocabularies, data.validation_text(most), options);
    trainer.add(*translator);
  }
  train::Console console(options.validation.samples);
  train::JsonLog history(options.train.output + "/log.jsonl");
  trainer.add(console);
  trainer.add(history);
  if (options.resume && !trainer.resume()) log::info("nothing to resume in {}: beginning anew", options.train.output);

  const train::StopSignal signals;
  const train::RunEnd end = trainer.train([] { return train::StopSignal::received() != 0; });
  if (!end.model.empty()) fmt::print("{}\n", end.model);
  return train::StopSignal::received() == 0 ? 0 : 128 + train::StopSignal::received();
}

int run(const Command& self, const Words& arguments) {
  RunSettings run;
  const Parsed parsed = read_settings(run, arguments);
  if (parsed.help || parsed.dump) {
    const std::string text =
        parsed.dump ? run.settings.dump() : run.settings.help(std::string(self.name) + " " + self.usage, self.summary);
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  expect_words(parsed.positional, 0, "every setting of train has a name (dragoman train --help)");
  threads::set_count(run.threads);
  return train_run(run);
}

}  // namespace

extern const Command train_command{"train", "--preset NAME --source FILE --target FILE --output FOLDER",
                                   "trains a model", run};

}  // namespace dragoman::cli

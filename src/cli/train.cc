#include <filesystem>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/join.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/progress.h"
#include "cli/command.h"
#include "models/presets.h"
#include "report/run_report.h"
#include "run/train_statistical.h"
#include "run/training_data.h"
#include "run/validation_translator.h"
#include "text/vocabulary.h"
#include "train/console.h"
#include "train/json_log.h"
#include "train/plan.h"
#include "train/stop_signal.h"
#include "train/tensorboard.h"
#include "train/trainer.h"
#include "train/verify.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "/config.yaml";
constexpr std::uint64_t kVerifiedUpdates = 20;

// The settings of a run: those of its preset or of the run that is resumed, then those of --config files, then flags.
struct RunSettings {
  run::TrainingOptions options;
  int threads = 0;
  PlacementOptions where;
  Settings settings;

  RunSettings() : settings(options) {
    settings("threads", threads, "threads to use; 0 means one per core", between(0, 1024));
    where.visit(settings);
  }
  RunSettings(const RunSettings&) = delete;
  RunSettings& operator=(const RunSettings&) = delete;

  // What a later start needs to go on: everything but how this start was asked for.
  void save(const std::string& path) {
    run::TrainingOptions& o = options;
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
FileLock claim_folder(const run::TrainingOptions& options) {
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

std::unique_ptr<train::Task> make_task(run::TrainingOptions& options, const run::Vocabularies& vocabularies) {
  if (options.fine_tunes()) options.model = store::ModelFile(options.from).info().config;
  options.model.source_vocabulary = vocabularies.source->size();
  options.model.target_vocabulary = vocabularies.target->size();
  std::unique_ptr<train::Task> task;
  if (options.task == run::TrainTask::classify) {
    options.model.classes = vocabularies.target->size() - text::Vocabulary::kSpecial;
    task = std::make_unique<train::ClassificationTask>(options.model);
  } else {
    check(options.model.classes == 0, "model.classes {} is for --task classify", options.model.classes);
    task = std::make_unique<train::TranslationTask>(options.model);
  }
  const Placement where = placement();
  task->parameters().allocate(where.device, where.type, options.train.seed, true);
  if (options.fine_tunes()) store::ModelFile(options.from).load(task->parameters());
  return task;
}

store::ModelInfo model_info(const run::TrainingOptions& options, const run::Vocabularies& vocabularies) {
  store::Metadata card = {{"task", name_of(options.task)}};
  if (!options.preset.empty()) card["preset"] = options.preset;
  if (!options.from.empty()) card["from"] = options.from;
  card["data"] = join(options.corpus.source, " ") + " " + join(options.corpus.target, " ");
  return {.config = options.model,
          .source_tokenizer = vocabularies.source->serialize(),
          .target_tokenizer = vocabularies.target->serialize(),
          .card = card,
          .source_begin = options.batch.rows.source_begin,
          .source_end = options.batch.rows.source_end};
}

// Nothing where nothing is translated.
std::optional<run::ValidationTranslator> validation_translator(const run::TrainingOptions& options,
                                                               const run::RunData& data,
                                                               const run::Vocabularies& vocabularies,
                                                               const train::Task& task) {
  const auto* const translation = dynamic_cast<const train::TranslationTask*>(&task);
  const std::vector<run::TextPair> pairs = data.validation_text(static_cast<std::size_t>(options.validation.sentences));
  if (translation == nullptr || pairs.empty()) return std::nullopt;
  return std::optional<run::ValidationTranslator>(std::in_place, translation->model(), vocabularies, pairs, options);
}

// Everything that watches a run, in the order in which it is told.
class Watchers {
 public:
  Watchers(RunSettings& run, const run::RunData& data, const run::Vocabularies& vocabularies, train::Task& task)
      : translator_(validation_translator(run.options, data, vocabularies, task)),
        console_(run.options.validation.samples),
        history_(run.options.train.output + "/log.jsonl") {
    const run::TrainingOptions& options = run.options;
    if (options.tensorboard) board_.emplace(options.train.output + "/tensorboard");
    if (options.report) report_.emplace(options.train.output, description(run, data));
  }

  void watch(train::Trainer& trainer) {
    if (translator_) trainer.add(*translator_);
    trainer.add(console_);
    trainer.add(history_);
    if (board_) trainer.add(*board_);
    if (report_) trainer.add(*report_);
  }
  std::string report_path() const { return report_ ? report_->path() : ""; }

 private:
  static report::RunDescription description(RunSettings& run, const run::RunData& data) {
    const std::string title = fs::path(run.options.train.output).filename().string();
    report::Facts facts = data.facts();
    const Machine machine = inspect_machine();
    facts.emplace_back(
        "machine", fmt::format("{}, {} of {} cores, {}", machine.cpu, threads::count(), machine.cores, machine.system));
    return {"dragoman run " + (title.empty() ? run.options.train.output : title), facts, run.settings.dump()};
  }

  std::optional<run::ValidationTranslator> translator_;
  train::Console console_;
  train::JsonLog history_;
  std::optional<train::TensorBoard> board_;
  std::optional<report::ReportWriter> report_;
};

int train_run(RunSettings& run) {
  run::TrainingOptions& options = run.options;
  const FileLock lock = claim_folder(options);
  const run::Vocabularies vocabularies = run::open_vocabularies(options);
  const run::RunData data(options, vocabularies);
  const std::unique_ptr<train::Task> task = make_task(options, vocabularies);
  run.save(options.train.output + kSettings);
  Watchers watchers(run, data, vocabularies, *task);
  train::Trainer trainer(options.train, *task, {data.training(), data.validation()}, model_info(options, vocabularies));
  watchers.watch(trainer);
  if (options.resume && !trainer.resume()) log::info("nothing to resume in {}: beginning anew", options.train.output);
  // A run that goes on goes on in the same parts.
  options.train.at_once = static_cast<std::int64_t>(trainer.rehearse().at_once);
  run.save(options.train.output + kSettings);

  const train::StopSignal signals;
  const train::RunEnd end = trainer.train([] { return train::StopSignal::received() != 0; });
  if (!watchers.report_path().empty()) log::info("report: {}", watchers.report_path());
  if (!end.model.empty()) fmt::print("{}\n", end.model);
  return train::StopSignal::received() == 0 ? 0 : 128 + train::StopSignal::received();
}

int train_statistical_run(RunSettings& run) {
  const run::TrainingOptions& options = run.options;
  const FileLock lock = claim_folder(options);
  run.save(options.train.output + kSettings);
  fmt::print("{}\n", run::train_statistical(options));
  return 0;
}

int print_plan(run::TrainingOptions& options) {
  const run::Vocabularies vocabularies = run::make_vocabularies(options);
  const run::RunData data(options, vocabularies);
  const std::unique_ptr<train::Task> task = make_task(options, vocabularies);
  train::MemoryPlan memory;
  {
    std::optional<run::ValidationTranslator> translator = validation_translator(options, data, vocabularies, *task);
    train::Trainer trainer(options.train, *task, {data.training(), data.validation()},
                           model_info(options, vocabularies));
    if (translator) trainer.add(*translator);
    memory = trainer.rehearse();
  }
  data::Batcher batches = data.training();
  const train::Plan plan = train::make_plan(options.train, *task, batches, memory);
  for (const auto& facts : {data.facts(), train::describe(plan)})
    for (const auto& [name, words] : facts) fmt::print("{:<20} {}\n", name, words);
  return 0;
}

int prove_resume(run::TrainingOptions& options) {
  const run::Vocabularies vocabularies = run::make_vocabularies(options);
  const run::RunData data(options, vocabularies);
  const auto make = [&](const std::string& output) {
    train::FreshRun fresh{make_task(options, vocabularies), nullptr};
    train::TrainOptions settings = options.train;
    settings.output = output;
    fresh.trainer = std::make_unique<train::Trainer>(
        settings, *fresh.task, train::TrainData{data.training(), std::nullopt}, model_info(options, vocabularies));
    return fresh;
  };
  check(!options.train.output.empty(), "expected --output FOLDER, where the two runs to compare go for a while");
  const std::size_t bytes = train::verify_resume(make, options.train.output, kVerifiedUpdates);
  fmt::print("resumed = uninterrupted after {} updates: {} bytes of weights and optimiser agree\n", kVerifiedUpdates,
             with_commas(static_cast<std::int64_t>(bytes)));
  return 0;
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
  set_placement(run.where);
  if (run.options.task == run::TrainTask::statistical) return train_statistical_run(run);
  if (run.options.dry_run) return print_plan(run.options);
  if (run.options.verify_resume) return prove_resume(run.options);
  return train_run(run);
}

}  // namespace

extern const Command train_command{"train", "--preset NAME --source FILE --target FILE --output FOLDER",
                                   "trains a model", run};

}  // namespace dragoman::cli

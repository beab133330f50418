#include "run/training_run.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/counted.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/threads.h"
#include "report/run_report.h"
#include "run/model_languages.h"
#include "run/output_folder.h"
#include "run/run_record.h"
#include "run/training_checks.h"
#include "run/training_team.h"
#include "run/validation_translator.h"
#include "search/worker_threads.h"
#include "text/vocabulary.h"
#include "train/json_log.h"
#include "train/plan.h"
#include "train/tensorboard.h"
#include "train/trainer.h"
#include "train/verify.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kVerifiedUpdates = 20;

// Throws if weights, gradients and optimiser state exceed the free memory, before any of it is allocated.
void check_memory(const nn::Parameters& parameters, const train::OptimiserOptions& optimiser, const Placement& where) {
  const double copies = 2 + (optimiser.kind == train::OptimiserKind::sgd ? 1 : 2) + (optimiser.ema > 0 ? 2 : 0);
  const double bytes = copies * sizeof(float) * static_cast<double>(parameters.count());
  const std::size_t free = where.device.memory().free;
  check(bytes < static_cast<double>(free),
        "the model has {}, whose weights, gradients and optimiser state take {:.1f} GiB, but {} are free on "
        "{}. "
        "Choose a smaller model (--model.*) or vocabulary (--vocab.size)",
        counted(parameters.count(), "parameter"), bytes / (1 << 30), train::show_bytes(free), where.device.name());
}

// Also fills in options.model: the vocabulary sizes, or the whole configuration when fine-tuning.
std::unique_ptr<train::Task> make_task(TrainingOptions& options, const Vocabularies& vocabularies,
                                       const Placement& where) {
  if (options.fine_tunes()) options.model = store::ModelFile(options.from).info().config;
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
  check_memory(task->parameters(), options.train.optimiser, where);
  task->parameters().allocate(where.device, where.type, options.train.seed, true);
  if (options.fine_tunes()) store::ModelFile(options.from).load(task->parameters());
  return task;
}

// The directions that the model has been trained on, those of the model it was fine-tuned from included.
std::string trained_languages(const TrainingOptions& options) {
  std::vector<std::string> pairs;
  if (!options.from.empty() && fs::exists(options.from))
    for (const text::LanguagePair& pair : trained_pairs(store::ModelFile(options.from).info()))
      pairs.push_back(pair.show());
  for (const std::string& pair : options.corpus.languages)
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  return join(pairs, " ");
}

store::ModelInfo model_info(const TrainingOptions& options, const Vocabularies& vocabularies) {
  store::Metadata card = {{"task", name_of(options.task)}};
  if (!options.preset.empty()) card["preset"] = options.preset;
  if (!options.from.empty()) card["from"] = options.from;
  card["data"] = join(options.corpus.source, " ") + " " + join(options.corpus.target, " ");
  if (!options.corpus.languages.empty()) card[text::kLanguagesCard] = trained_languages(options);
  if (!options.direction.empty()) card[text::kLanguagesCard] = text::LanguagePair::parse(options.direction).show();
  if (options.batch.rows.max_source_length > 0)
    card[store::kLongestCard] = std::to_string(options.batch.rows.max_source_length);
  return {.config = options.model,
          .source_tokenizer = vocabularies.source->serialize(),
          .target_tokenizer = vocabularies.target->serialize(),
          .card = card,
          .source_begin = options.batch.rows.source_begin,
          .source_end = options.batch.rows.source_end};
}

// Null if the validation set is not translated.
std::unique_ptr<ValidationTranslator> validation_translator(const TrainingOptions& options, const RunData& data,
                                                            const Vocabularies& vocabularies, const train::Task& task,
                                                            comm::Communicator& comm) {
  const auto* const translation = dynamic_cast<const train::TranslationTask*>(&task);
  const std::vector<ValidationPair> pairs =
      data.validation_text(static_cast<std::size_t>(options.validation.sentences));
  if (translation == nullptr || pairs.empty()) return nullptr;
  return std::make_unique<ValidationTranslator>(translation->model(), vocabularies, pairs, options, comm);
}

// The first rank makes the vocabularies; the others get them from it.
Vocabularies share_vocabularies(const TrainingOptions& options, comm::Communicator& comm) {
  Vocabularies made;
  if (comm.leads()) made = make_vocabularies(options);
  if (comm.size() == 1) return made;
  const std::string source = comm.from_leader(comm.leads() ? made.source->serialize() : "");
  const std::string target = comm.from_leader(comm.leads() ? made.target->serialize() : "");
  if (comm.leads()) return made;
  made.source = text::deserialize_tokenizer(source);
  made.target = source == target ? made.source : text::deserialize_tokenizer(target);
  return made;
}

// The first rank tokenises the corpora; the others then find its token files, if they share its disk.
std::unique_ptr<RunData> share_data(const TrainingOptions& options, const Vocabularies& vocabularies,
                                    comm::Communicator& comm) {
  std::unique_ptr<RunData> data;
  if (comm.leads()) data = std::make_unique<RunData>(options, vocabularies);
  comm.barrier();
  if (!comm.leads()) data = std::make_unique<RunData>(options, vocabularies);
  return data;
}

// Tells the other ranks if `action` fails.
template <class Action>
auto reporting(comm::Communicator& comm, Action action) {
  try {
    return action();
  } catch (const std::exception& error) {
    comm.report_failure(error.what());
    throw;
  }
}

// Passes validations on to a function.
class ValidationCallback final : public train::Observer {
 public:
  explicit ValidationCallback(std::function<void(const train::Validation&)> callback)
      : callback_(std::move(callback)) {}
  void on_validation(const train::Validation& validation) override { callback_(validation); }

 private:
  std::function<void(const train::Validation&)> callback_;
};

// Threads that the loops of a run may use.
int thread_limit(const TrainingOptions& options) {
  return search::threads_or(options.compute.threads, std::numeric_limits<int>::max());
}

}  // namespace

class TrainingRun::Parts {
 public:
  Parts(TrainingOptions asked, comm::Communicator& comm)
      : options_(checked(std::move(asked), comm)),
        comm_(comm),
        folder_(comm.leads() ? std::make_unique<OutputFolder>(options_) : nullptr),
        vocabularies_(share_vocabularies(options_, comm)),
        data_(share_data(options_, vocabularies_, comm)),
        where_(find_placement(options_.compute.placement(), Use::training)),
        task_(make_task(options_, vocabularies_, where_)) {
    check_same_data(data_->hash(), comm);
    translator_ = validation_translator(options_, *data_, vocabularies_, *task_, comm);
    if (comm.leads()) add_files();
  }

  void add(train::Observer& observer) { observers_.push_back(&observer); }
  void add(std::unique_ptr<train::Observer> observer) {
    add(*observer);
    own_.push_back(std::move(observer));
  }

  train::RunEnd train(const std::function<bool()>& stop) {
    const threads::LimitScope limit(thread_limit(options_));
    const PrecisionScope precision(where_);
    const data::Shard shard = train::Team::of(options_.train, comm_).shard();
    train::Trainer trainer(options_.train, *task_, {data_->training(shard), data_->validation(), data_->hash()},
                           model_info(options_, vocabularies_), comm_);
    add_observers(trainer);
    if (options_.resume && !resume(trainer))
      log::info("nothing to resume in {}: starting a new run", options_.train.output);
    // A resumed run keeps its value of at_once.
    options_.train.at_once = static_cast<std::int64_t>(trainer.rehearse().at_once);
    if (folder_) {
      check_disk(trainer.disk(), options_.train.output, folder_->replaced_bytes(), free_disk(options_.train.output));
      begin();
    }
    try {
      return trainer.train(stop);
    } catch (const comm::PeerFailure& failure) {
      throw comm::PeerFailure(
          fmt::format("{}. The newest checkpoint is that of update {}: --resume continues from it, also "
                      "with another number of processes",
                      failure.what(), trainer.saved_update()));
    }
  }

  const std::string& report_path() const { return report_path_; }

 private:
  static TrainingOptions checked(TrainingOptions options, comm::Communicator& comm) {
    check(options.compute.devices == comm.size(),
          "--devices {}: the other processes must be started by `dragoman train`, mpirun, srun or torchrun",
          options.compute.devices);
    check_training(options);
    check_same_settings(options, comm);
    return options;
  }
  void add_files() {
    const train::RunRecord record = run_record(options_, where_.device.name(), data_->facts());
    const std::string log = options_.train.output + "/log.jsonl";
    files_.push_back(std::make_unique<train::JsonLog>(log, record));
    files_.push_back(std::make_unique<DataLog>(log, data_->counts()));
    if (options_.tensorboard)
      files_.push_back(std::make_unique<train::TensorBoard>(options_.train.output + "/tensorboard", record));
    if (options_.report) {
      auto report = std::make_unique<report::ReportWriter>(options_.train.output);
      report_path_ = report->path();
      files_.push_back(std::move(report));
    }
  }
  void add_observers(train::Trainer& trainer) {
    if (translator_) trainer.add(*translator_);
    if (!comm_.leads()) return;
    for (train::Observer* observer : observers_) trainer.add(*observer);
    for (const auto& file : files_) trainer.add(*file);
  }
  bool resume(train::Trainer& trainer) const {
    try {
      return trainer.resume();
    } catch (const std::exception&) {
      data_->remove_written();
      throw;
    }
  }
  // From here on the folder changes.
  void begin() const {
    folder_->begin();
    save_vocabularies(vocabularies_, options_);
    save_settings(options_);
  }

  TrainingOptions options_;
  comm::Communicator& comm_;
  std::unique_ptr<OutputFolder> folder_;  // of the first rank
  Vocabularies vocabularies_;
  std::unique_ptr<RunData> data_;
  Placement where_;
  std::unique_ptr<train::Task> task_;
  std::unique_ptr<ValidationTranslator> translator_;
  std::vector<train::Observer*> observers_;
  std::vector<std::unique_ptr<train::Observer>> own_, files_;
  std::string report_path_;
};

TrainingRun::TrainingRun(TrainingOptions options, comm::Communicator& comm) : comm_(comm) {
  const threads::LimitScope limit(thread_limit(options));
  parts_ = reporting(comm, [&] { return std::make_unique<Parts>(std::move(options), comm); });
}
TrainingRun::~TrainingRun() = default;

void TrainingRun::add(train::Observer& observer) { parts_->add(observer); }

void TrainingRun::on_validation(std::function<void(const train::Validation&)> callback) {
  parts_->add(std::make_unique<ValidationCallback>(std::move(callback)));
}

train::RunEnd TrainingRun::train(const std::function<bool()>& stop) {
  return reporting(comm_, [&] { return parts_->train(stop); });
}

std::string TrainingRun::report_path() const { return parts_->report_path(); }

Facts plan_training(TrainingOptions options) {
  options.dry_run = true;
  check_training(options);
  if (options.task == TrainTask::statistical)
    return {{"model", "phrase-based, trained on the CPU without updates"},
            {"corpora", std::to_string(options.corpus.corpora().size())}};
  const threads::LimitScope limit(thread_limit(options));
  const Placement where = find_placement(options.compute.placement(), Use::training);
  const PrecisionScope precision(where);
  const Vocabularies vocabularies = make_vocabularies(options);
  const RunData data(options, vocabularies);
  const std::unique_ptr<train::Task> task = make_task(options, vocabularies, where);
  const data::Shard shard = train::Team::of(options.train, comm::alone()).shard();
  train::MemoryPlan memory;
  train::DiskPlan disk;
  {
    const auto translator = validation_translator(options, data, vocabularies, *task, comm::alone());
    train::Trainer trainer(options.train, *task, {data.training(shard), data.validation()},
                           model_info(options, vocabularies));
    if (translator) trainer.add(*translator);
    memory = trainer.rehearse();
    disk = trainer.disk();
  }
  data::Batcher batches = data.training(shard);
  Facts facts = data.facts();
  const Facts plan = train::describe(train::make_plan(options.train, *task, batches, memory));
  facts.insert(facts.end(), plan.begin(), plan.end());
  for (const auto& fact : train::describe(disk)) facts.push_back(fact);
  return facts;
}

ResumeProof verify_resume(TrainingOptions options) {
  check_training(options);
  const NewFolders folder(options.train.output);
  const threads::LimitScope limit(thread_limit(options));
  const Placement where = find_placement(options.compute.placement(), Use::training);
  const PrecisionScope precision(where);
  const Vocabularies vocabularies = make_vocabularies(options);
  const RunData data(options, vocabularies);
  const auto make = [&](const std::string& output) {
    train::FreshRun fresh{make_task(options, vocabularies, where), nullptr};
    train::TrainOptions settings = options.train;
    settings.output = output;
    const data::Shard shard = train::Team::of(settings, comm::alone()).shard();
    fresh.trainer = std::make_unique<train::Trainer>(settings, *fresh.task,
                                                     train::TrainData{data.training(shard), std::nullopt, data.hash()},
                                                     model_info(options, vocabularies));
    return fresh;
  };
  return {kVerifiedUpdates, train::verify_resume(make, options.train.output, kVerifiedUpdates)};
}

}  // namespace dragoman::run

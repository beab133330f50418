#include "run/training_run.h"

#include <vector>

#include "base/log.h"
#include "base/threads.h"
#include "kernels/fillings.h"
#include "report/run_report.h"
#include "run/output_folder.h"
#include "run/run_record.h"
#include "run/training_checks.h"
#include "run/training_parts.h"
#include "run/training_ranks.h"
#include "train/disk_plan.h"
#include "train/json_log.h"
#include "train/tensorboard.h"
#include "train/trainer.h"

namespace dragoman::run {
namespace {

// Passes validations on to a function.
class ValidationCallback final : public train::Observer {
 public:
  explicit ValidationCallback(std::function<void(const train::Validation&)> callback)
      : callback_(std::move(callback)) {}
  void on_validation(const train::Validation& validation) override { callback_(validation); }

 private:
  std::function<void(const train::Validation&)> callback_;
};

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
        task_(make_task(options_, vocabularies_, where_, comm.size())) {
    check_same_data("training data", data_->hash(), comm);
    check_same_data("validation data", data_->validation_hash(), comm);
    translator_ = make_validation_translator(options_, *data_, vocabularies_, *task_, comm);
    if (where_.bf16_products && kernels::cpu_emulates_bf16())
      log::warning("this CPU does not multiply bf16, so --precision bf16 is slower than f32");
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
    train::Trainer trainer(options_.train, *task_,
                           {data_->training(shard), data_->validation(), data_->hash(), data_->validation_hash()},
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
      return trainer.train([&] {
        if (folder_) folder_->check_place();
        return stop();
      });
    } catch (const comm::PeerFailure& failure) {
      const std::optional<std::uint64_t> saved = trainer.saved_update();
      throw comm::PeerFailure(fmt::format(
          "{}. {}", failure.what(),
          saved ? fmt::format("The newest checkpoint is that of update {}: --resume continues from it, also with "
                              "another number of processes",
                              *saved)
                : "There is no checkpoint yet: --resume starts the run again"));
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
    train::Team::of(options.train, comm);  // throws unless the parts of an update can be divided
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
  parts_ = reporting_failures(comm, [&] { return std::make_unique<Parts>(std::move(options), comm); });
}
TrainingRun::~TrainingRun() = default;

void TrainingRun::add(train::Observer& observer) { parts_->add(observer); }

void TrainingRun::on_validation(std::function<void(const train::Validation&)> callback) {
  parts_->add(std::make_unique<ValidationCallback>(std::move(callback)));
}

train::RunEnd TrainingRun::train(const std::function<bool()>& stop) {
  return reporting_failures(comm_, [&] { return parts_->train(stop); });
}

std::string TrainingRun::report_path() const { return parts_->report_path(); }

}  // namespace dragoman::run

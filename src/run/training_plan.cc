#include "run/training_plan.h"

#include "base/threads.h"
#include "run/output_folder.h"
#include "run/training_checks.h"
#include "run/training_parts.h"
#include "train/memory_plan.h"
#include "train/plan.h"
#include "train/trainer.h"
#include "train/verify.h"

namespace dragoman::run {
namespace {

constexpr std::uint64_t kVerifiedUpdates = 20;

}  // namespace

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
    const auto translator = make_validation_translator(options, data, vocabularies, *task, comm::alone());
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
  if (!options.train.output.empty())
    facts.emplace_back("free disk", train::show_bytes(free_disk(options.train.output)));
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

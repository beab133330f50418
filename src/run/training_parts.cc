#include "run/training_parts.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/counted.h"
#include "base/join.h"
#include "run/model_languages.h"
#include "search/engine/worker_threads.h"
#include "text/vocabulary.h"
#include "train/memory_plan.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

// Throws if weights, gradients and optimiser state exceed the free memory, before any of it is allocated. The ranks
// divide the moments and the moving average.
void check_memory(const nn::Parameters& parameters, const train::OptimiserOptions& optimiser, const Placement& where,
                  int ranks) {
  const int divided = (optimiser.kind == train::OptimiserKind::sgd ? 1 : 2) + (optimiser.ema > 0 ? 1 : 0);
  const double copies = 2 + static_cast<double>(divided) / ranks;
  const double bytes = copies * sizeof(float) * static_cast<double>(parameters.count());
  const std::size_t free = where.device.memory().free;
  check(bytes < static_cast<double>(free),
        "the model has {}, whose weights, gradients and optimiser state take {:.1f} GiB, but {} are free on "
        "{}. "
        "Choose a smaller model (--model.*) or vocabulary (--vocab.size)",
        counted(parameters.count(), "parameter"), bytes / (1 << 30), train::show_bytes(free), where.device.name());
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

}  // namespace

std::unique_ptr<train::Task> make_task(TrainingOptions& options, const Vocabularies& vocabularies,
                                       const Placement& where, int ranks) {
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
  check_memory(task->parameters(), options.train.optimiser, where, ranks);
  task->parameters().allocate(where.device, where.type, options.train.seed, true);
  if (options.fine_tunes()) store::ModelFile(options.from).load(task->parameters());
  return task;
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

std::unique_ptr<ValidationTranslator> make_validation_translator(const TrainingOptions& options, const RunData& data,
                                                                 const Vocabularies& vocabularies,
                                                                 const train::Task& task, comm::Communicator& comm) {
  const auto* const translation = dynamic_cast<const train::TranslationTask*>(&task);
  const std::vector<ValidationPair> pairs =
      data.validation_text(static_cast<std::size_t>(options.validation.sentences));
  if (translation == nullptr || pairs.empty()) return nullptr;
  return std::make_unique<ValidationTranslator>(translation->model(), vocabularies, pairs, options, comm);
}

int thread_limit(const TrainingOptions& options) {
  return search::threads_or(options.compute.threads, std::numeric_limits<int>::max());
}

}  // namespace dragoman::run

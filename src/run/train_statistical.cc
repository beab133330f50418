#include "run/train_statistical.h"

#include "base/join.h"
#include "run/output_folder.h"
#include "run/training_checks.h"
#include "run/training_settings.h"
#include "search/engine/statistical_engine.h"

namespace dragoman::run {

std::string train_statistical(const TrainingOptions& options) {
  check_training(options);
  const OutputFolder folder(options);
  const std::string path = options.train.output + "/model.safetensors";
  smt::PhraseData data;
  data.corpora = options.corpus.corpora();
  data.reading = options.reading;
  data.filter = options.filter;
  data.development = options.validation_corpora();
  const smt::PhraseSystem system = smt::PhraseSystem::train(options.statistical, data);
  store::Metadata card = {{"task", name_of(options.task)}};
  if (!options.preset.empty()) card["preset"] = options.preset;
  card["data"] = join(options.corpus.source, " ") + " " + join(options.corpus.target, " ");
  if (system.tuned_score() >= 0)
    card["tuned"] = fmt::format("BLEU {:.2f} on {}", system.tuned_score(), join(options.valid_source, " "));
  folder.begin();
  save_settings(options);
  search::save_statistical(path, system, card);
  return path;
}

}  // namespace dragoman::run

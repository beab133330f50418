#include "run/train_statistical.h"

#include <filesystem>

#include "base/join.h"
#include "run/output_folder.h"
#include "search/statistical_model.h"

namespace dragoman::run {

std::string train_statistical(const TrainingOptions& options) {
  const FileLock lock = claim_output_folder(options);
  save_settings(options);
  const std::string path = options.train.output + "/model.safetensors";
  check(options.overwrite || !std::filesystem::exists(path), "{}: already exists; --overwrite replaces it", path);
  smt::PhraseData data;
  data.corpora = options.corpus.corpora();
  data.reading = options.reading;
  data.filter = options.filter;
  check(options.corpus.languages.empty(),
        "a statistical model translates in one direction, but --languages has {} "
        "entries",
        options.corpus.languages.size());
  data.development = options.validation_corpora();
  const smt::PhraseSystem system = smt::PhraseSystem::train(options.statistical, data);
  store::Metadata card = {{"task", name_of(options.task)}};
  if (!options.preset.empty()) card["preset"] = options.preset;
  card["data"] = join(options.corpus.source, " ") + " " + join(options.corpus.target, " ");
  if (system.tuned_score() >= 0)
    card["tuned"] = fmt::format("BLEU {:.2f} on {}", system.tuned_score(), join(options.valid_source, " "));
  search::save_statistical(path, system, card);
  return path;
}

}  // namespace dragoman::run

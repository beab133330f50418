#include "run/training_options.h"

#include "base/counted.h"
#include "base/join.h"
#include "kernels/cuda/cuda.h"
#include "train/checkpoint.h"

namespace dragoman::run {

PlacementOptions TrainingMachine::placement() const {
  PlacementOptions options;
  options.device = device;
  const int gpus = device == "auto" || device == "cuda" ? kernels::cuda::count() : 0;
  if (devices > 1 && gpus > 1) options.device = fmt::format("cuda:{}", local_rank % gpus);
  switch (precision) {
    case TrainingPrecision::automatic: break;
    case TrainingPrecision::f32: options.precision = Precision::f32; break;
    case TrainingPrecision::tf32: options.precision = Precision::tf32; break;
    case TrainingPrecision::bf16: options.precision = Precision::bf16; break;
  }
  return options;
}

bool TrainingOptions::continues() const {
  return resume && !train::CheckpointFolder(train.output + "/checkpoints", train.keep).list().empty();
}

std::vector<data::Corpus> TrainingOptions::validation_corpora() const {
  check(!valid_source.empty() || (valid_target.empty() && valid_languages.empty()),
        "valid-{} is given without valid-source, the sentences to translate",
        valid_target.empty() ? "languages" : "target");
  if (valid_source.empty()) return {};
  check(split.by == data::SplitBy::none, "validation comes from valid-source {} or from split.by {}, not from both",
        join(valid_source, " "), name_of(split.by));
  check(valid_target.empty() || valid_target.size() == valid_source.size(), "{} in valid-source but {} in valid-target",
        counted(valid_source.size(), "file"), valid_target.size());
  for (const std::string& file : valid_source)
    check(!valid_target.empty() || !data::is_text(file, corpus.format),
          "--valid-source {}: expected a target file too (--valid-target)", file);
  const std::size_t expected = corpus.languages.empty() ? 0 : valid_source.size();
  check(valid_languages.size() == expected,
        "valid-languages has {}, expected {}: with `languages`, one for each of the {} of valid-source",
        counted(valid_languages.size(), "entry", "entries"), expected, counted(valid_source.size(), "file"));
  data::CorpusOptions sets = corpus;
  sets.source = valid_source;
  sets.target = valid_target;
  sets.languages = valid_languages;
  sets.weight.clear();
  return sets.corpora();
}

}  // namespace dragoman::run

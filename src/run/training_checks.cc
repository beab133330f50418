#include "run/training_checks.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/counted.h"
#include "base/join.h"
#include "base/quote.h"
#include "base/system_reason.h"
#include "data/pair_reader.h"
#include "models/presets.h"
#include "run/output_folder.h"
#include "run/training_settings.h"
#include "store/model_file.h"
#include "train/schedule.h"
#include "train/scores.h"

namespace dragoman::run {
namespace {

namespace fs = std::filesystem;

// Adds the name of a setting to an error.
template <class Action>
void naming(const char* flag, Action action) {
  try {
    action();
  } catch (const Error& error) {
    fail("--{}: {}", flag, error.what());
  }
}

void check_amounts(const train::TrainOptions& options) {
  naming("until", [&] {
    for (const std::string& end : options.until)
      check(!train::Amount::parse(end).none(),
            "expected an end of training above 0, such as 100ku (updates), 5e (epochs) or 1Gt (tokens), but got '{}'",
            excerpt(end));
  });
  for (const auto& [flag, text] :
       {std::pair{"validate", options.validate}, std::pair{"checkpoint", options.checkpoint},
        std::pair{"log", options.log}, std::pair{"schedule.warmup", options.schedule.warmup}})
    naming(flag, [&, words = text] { train::Amount::parse(words); });
  const train::Schedule consistent(options.schedule, train::parse_amounts(options.until));
}

// A file that the run reads; `flag` is the setting that names it.
void check_file(const std::string& flag, const std::string& path, const TrainingOptions& options) {
  if (path.empty() || path == "-") return;
  const std::string moved =
      options.continues() ? fmt::format("; the run in {} began with it: if it was moved, say where it is now with --{}",
                                        options.train.output, flag)
                          : "";
  check(access(path.c_str(), R_OK) == 0, "--{} {}: cannot be opened: {}{}", flag, path, system_reason, moved);
  check(fs::is_regular_file(path), "--{} {}: is not a regular file; training reads its files more than once", flag,
        path);
}

void check_files(const TrainingOptions& options) {
  for (const auto& [flag, list] :
       {std::pair{"source", &options.corpus.source}, std::pair{"target", &options.corpus.target},
        std::pair{"valid-source", &options.valid_source}, std::pair{"valid-target", &options.valid_target}})
    for (const std::string& path : *list) check_file(flag, path, options);
  if (options.continues()) return;
  for (const auto& [flag, path] :
       {std::pair{"vocab.source", &options.vocabulary.source}, std::pair{"vocab.target", &options.vocabulary.target},
        std::pair{"vocab.encoder", &options.vocabulary.made.encoder},
        std::pair{"vocab.merges", &options.vocabulary.made.merges}, std::pair{"from", &options.from},
        std::pair{"statistical.read-arpa", &options.statistical.read_arpa}})
    check_file(flag, *path, options);
}

// Standard input can be read only once, but building a vocabulary and tokenising are two passes.
void check_standard_input(const TrainingOptions& options) {
  std::size_t streams = 0;
  for (const auto* list :
       {&options.corpus.source, &options.corpus.target, &options.valid_source, &options.valid_target})
    streams += static_cast<std::size_t>(std::count(list->begin(), list->end(), "-"));
  if (streams == 0) return;
  check(streams == 1, "standard input (-) is given for {}, but it can be read only once", counted(streams, "file"));
  const bool has_vocabularies =
      options.task == TrainTask::statistical || options.fine_tunes() || options.continues() ||
      (!options.vocabulary.source.empty() && (options.vocabulary.shared || !options.vocabulary.target.empty()));
  check(has_vocabularies,
        "standard input can be read only once, but building a vocabulary takes another pass: give --vocab.source and "
        "--vocab.target (made by `dragoman vocab`), or write the data to a file first");
}

// Reads a validation set to its end, because a defect in it would otherwise be found after the vocabularies were built.
void check_validation_sets(const TrainingOptions& options) {
  for (const data::Corpus& corpus : options.validation_corpora()) {
    if (corpus.source == "-" || corpus.target == "-") continue;
    const auto reader = data::PairReader::open(corpus, options.reading);
    for (data::Pair pair; reader->next(pair);) continue;
    check(reader->report().pairs > 0, "{}: is empty, so there is nothing to validate on", corpus.source);
  }
}

// The settings of the preset, or the defaults.
TrainingOptions preset_of(const TrainingOptions& options) {
  TrainingOptions preset;
  if (!options.preset.empty()) Settings(preset).read_yaml(models::preset_text(options.preset), options.preset);
  return preset;
}

// The names that a metric may have in this run.
std::vector<std::string> measured_scores(const TrainingOptions& options) {
  std::vector<std::string> metrics = {"perplexity", "loss"};
  if (options.task == TrainTask::classify) {
    metrics.insert(metrics.end(), {"accuracy", "f1"});
    return metrics;
  }
  if (options.validation.sentences > 0) metrics.insert(metrics.end(), {"bleu", "chrf"});
  std::vector<std::string> scores = metrics;
  for (const std::string& languages : options.valid_source.empty() ? options.corpus.languages : options.valid_languages)
    for (const std::string& metric : metrics) scores.push_back(train::score_of(metric, languages));
  return scores;
}

void check_metric(const TrainingOptions& options) {
  const std::string& metric = options.train.metric;
  const std::vector<std::string> scores = measured_scores(options);
  if (std::find(scores.begin(), scores.end(), metric) != scores.end()) return;
  const auto name = train::metric_and_part(metric).first;
  check(options.task != TrainTask::translate || options.validation.sentences > 0 || (name != "bleu" && name != "chrf"),
        "--metric {} needs translations of the validation set, but validation.sentences is 0", metric);
  const std::string near = nearest(metric, scores);
  fail("--metric: '{}' is not a score of this run; expected one of {}{}", metric, join(scores, ", "),
       near.empty() ? "" : "; did you mean " + near + "?");
}

// Presets may set a metric and patience; without validation data these have no effect. Whoever asks for them needs it.
void check_validation(const TrainingOptions& options) {
  check_metric(options);
  const train::TrainOptions& given = options.train;
  const train::TrainOptions preset = preset_of(options).train;
  const bool never_validates = !options.validates();
  const auto needs = [&](bool asked, const std::string& what) {
    check(!asked || !never_validates,
          "{} needs validation data: give --valid-source and --valid-target, or hold out a part of the corpus "
          "(--split.by random)",
          what);
  };
  needs(given.metric != preset.metric, "--metric " + given.metric);
  needs(given.patience > 0 && given.patience != preset.patience, fmt::format("--patience {}", given.patience));
  needs(given.schedule.plateau > 0 && given.schedule.plateau != preset.schedule.plateau,
        fmt::format("--schedule.plateau {}", given.schedule.plateau));
  const bool only_at_the_end = train::Amount::parse(given.validate).none();
  for (const auto& [flag, validations] :
       {std::pair{"--patience", given.patience}, std::pair{"--schedule.plateau", given.schedule.plateau}})
    check(validations == 0 || never_validates || !only_at_the_end,
          "{} {} counts validations, but --validate {} means that there is only one, at the end", flag, validations,
          given.validate.empty() ? "\"\"" : given.validate);
}

void check_neural(const TrainingOptions& options) {
  check_amounts(options.train);
  const Placement where = find_placement(options.compute.placement(), Use::training);
  check(options.train.parts == 0 || options.compute.threads > 0 || !where.device.on_host(),
        "--virtual {}: give --threads as well, because the bits of a batch depend on the number of threads on the CPU",
        options.train.parts);
  check(options.train.parts == 0 || options.train.wire == comm::Wire::f32,
        "--virtual {0} and --wire bf16 exclude each other: gradients would be rounded between processes but not within "
        "one, so the bits would depend on the number of processes. Give --virtual {0} --wire f32, or only --wire bf16",
        options.train.parts);
  check(options.task != TrainTask::classify || options.train.loss.r_drop == 0,
        "--r-drop {}: expected 0 for classification; it is for translation only", options.train.loss.r_drop);
  check_resuming(options);
  check_validation(options);
  if (!options.fine_tunes()) return;
  const bool classifies = store::ModelFile(options.from).info().config.classes > 0;
  check(classifies == (options.task == TrainTask::classify), "--from {} is a model that {}, but --task is {}",
        options.from, classifies ? "classifies" : "translates", name_of(options.task));
}

// --resume is accepted, because a run that was interrupted has left nothing behind: it starts again.
void check_statistical(const TrainingOptions& options) {
  for (const auto& [given, flag] :
       {std::pair{!options.from.empty(), "from"}, std::pair{options.verify_resume, "verify-resume"},
        std::pair{!options.corpus.languages.empty(), "languages"}})
    check(!given, "--{} is for neural models; a statistical model is trained in one pass, in one direction", flag);
  options.statistical.check_consistent();
  if (const fs::path arpa = options.statistical.write_arpa; !arpa.empty())
    check_writable("--statistical.write-arpa", fs::absolute(arpa).parent_path().string());
}

void check_outputs(const TrainingOptions& options) {
  const std::string& folder = options.train.output;
  check(!folder.empty() || (options.dry_run && !options.resume), "expected --output FOLDER, the folder to train in");
  if (!options.cache.empty()) check_writable("--cache", options.cache);
  if (options.dry_run) return;
  check_writable("--output", folder);
  for (const char* part : {"/checkpoints", "/report", "/tensorboard"}) check_writable("--output", folder + part);
}

// Why there is nothing to resume in a folder.
const char* missing_run(const std::string& folder) {
  if (!fs::exists(folder)) return "does not exist";
  if (fs::is_empty(folder)) return "is empty";
  return fs::exists(settings_file(folder)) ? "has a config.yaml without a corpus"
                                           : "holds no run: it has no config.yaml";
}

// Most settings of a statistical preset mean nothing to a neural model, and the other way round.
void check_preset(const TrainingOptions& options) {
  const bool for_statistical = preset_of(options).task == TrainTask::statistical;
  check(options.preset.empty() || for_statistical == (options.task == TrainTask::statistical),
        "--preset {} is for {} models, but --task is {}; choose another preset (`dragoman inspect --presets`) or leave "
        "--task out",
        options.preset, for_statistical ? "statistical" : "neural", name_of(options.task));
}

void check_data(const TrainingOptions& options) {
  if (options.resume && options.corpus.source.empty())
    fail("--resume: {} {}; give the folder of a run, or --source and --target to start one", options.train.output,
         missing_run(options.train.output));
  options.corpus.corpora();
}

}  // namespace

void check_training(const TrainingOptions& options) {
  check_preset(options);
  check_outputs(options);
  check_data(options);
  options.validation_corpora();
  check_files(options);
  check_standard_input(options);
  if (options.task == TrainTask::statistical)
    check_statistical(options);
  else
    check_neural(options);
  check_validation_sets(options);
}

}  // namespace dragoman::run

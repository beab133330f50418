#pragma once

#include <string>
#include <vector>

#include "comm/join.h"
#include "data/batcher.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "models/config.h"
#include "run/make_vocabulary.h"
#include "smt/phrase_system.h"
#include "tensor/placement.h"
#include "train/options.h"

namespace dragoman::run {

enum class TrainTask { translate, classify, statistical };

// The vocabularies of a run: built from the training data, or read from files that `dragoman vocab` wrote.
struct RunVocabulary {
  std::string source, target;
  bool shared = false;
  SideLanguage source_language{}, target_language{};
  VocabularyOptions made;

  template <class V>
  void visit(V& v) {
    v("source", source, "vocabulary file of the source; empty builds one from the training data");
    v("target", target, "vocabulary file of the target; empty builds one, or uses that of the source if shared");
    v("shared", shared, "one vocabulary for both sides; always so for vocabularies built from corpora with languages");
    made.visit(v);
    v("source-language", source_language,
      "language whose tokenisation rules the source uses; contractions are then expanded if it is English");
    v("target-language", target_language,
      "language whose tokenisation rules the target uses; contractions are then expanded if it is English");
    v.only_if(
        "source-language target-language",
        [this] { return made.type == VocabularyKind::words || made.words.prepare.expand_contractions; },
        "only vocabularies of words and the expansion of contractions depend on the language");
    v.only_if(
        "type size min-count multiple language normalize lower expand-contractions joiners character-coverage "
        "byte-fallback sample seed encoder merges source-language target-language",
        [this] { return source.empty() || (target.empty() && !shared); }, "the vocabularies come from files");
  }
};

// Translation of the validation set.
struct TranslatedValidation {
  // The memory of search grows with both.
  static constexpr int kMostLength = 100'000, kMostBeam = 1000;

  int sentences = 500, samples = 3, max_length = 0, beam = 1;

  template <class V>
  void visit(V& v) {
    v("sentences", sentences,
      "sentences to translate at each validation, of every language pair, for BLEU and chrF; 0 for none", at_least(0));
    v("samples", samples, "translations to print, and to show with their attention in the report", at_least(0));
    v("max-length", max_length, "longest translation in tokens; 0 means twice the source length plus 10",
      between(0, kMostLength));
    v("beam", beam, "width of the beam; 1 is greedy search", between(1, kMostBeam));
    v.only_if(
        "samples max-length beam", [this] { return sentences > 0; },
        "no sentence is translated (--validation.sentences 0)");
  }
};

// The number formats that weights can be learned in.
enum class TrainingPrecision { automatic, f32, tf32, bf16 };

// The machine to train on.
struct TrainingMachine : ThreadOptions {
  std::string device = "auto";
  TrainingPrecision precision = TrainingPrecision::automatic;
  int devices = 1, join_timeout = 120;
  comm::Transport transport = comm::Transport::automatic;
  int local_rank = 0;  // of this process among those on its machine; no setting

  // Of several processes on a machine with several GPUs, each has its own.
  PlacementOptions placement() const;

  template <class V>
  void visit(V& v) {
    ThreadOptions::visit(v);
    visit_device(v, device);
    v("precision", precision, "number format; automatic is bf16 on a GPU and f32 on the CPU");
    v("devices", devices,
      "train with this many processes on this machine, one per GPU, or on its cores; mpirun, srun and torchrun start "
      "them on several machines, without this setting",
      between(1, 1024));
    v("transport", transport,
      "how processes exchange gradients: nccl (between GPUs), mpi (Open MPI) or memory (on one machine)");
    v("join-timeout", join_timeout, "seconds to wait at the start for the other processes", between(1, 86'400));
  }
};

// All settings of a training run.
struct TrainingOptions {
  std::string preset, from, direction;
  TrainTask task = TrainTask::translate;
  data::CorpusOptions corpus;
  std::vector<std::string> valid_source, valid_target, valid_languages;
  data::SplitOptions split;
  data::ReadingOptions reading;
  data::FilterOptions filter;
  RunVocabulary vocabulary;
  data::BatchOptions batch;
  models::ModelConfig model;
  train::TrainOptions train;
  TranslatedValidation validation;
  smt::PhraseSystemConfig statistical;
  std::string cache;
  bool tensorboard = true, report = true;
  bool resume = false, overwrite = false, dry_run = false, verify_resume = false;
  TrainingMachine compute;

  // Whether the run in the output folder is continued: it has a checkpoint.
  bool continues() const;
  bool validates() const { return !valid_source.empty() || split.by != data::SplitBy::none; }
  // The filters of the training data.
  data::FilterOptions filters() const {
    data::FilterOptions all = filter;
    all.labels = task == TrainTask::classify;
    return all;
  }
  // The validation sets that are files.
  std::vector<data::Corpus> validation_corpora() const;
  // Whether the initial weights are those of the model `from`.
  bool fine_tunes() const { return !from.empty() && !continues(); }

  template <class V>
  void visit(V& v) {
    v.section("Run");
    v("preset", preset, "settings to start from, by name (`dragoman inspect --presets` lists them)");
    v("from", from, "fine-tune this model, with its configuration, vocabularies and weights");
    v("task", task,
      "translate, classify sentences by the labels on the target side, or train a phrase-based statistical model");
    v.section("Data");
    corpus.visit(v);
    v("languages", corpus.languages,
      "languages of each corpus, as en-de, one per source file; trains one model for all of these directions");
    v("direction", direction,
      "languages of a model with one direction, as en-de: the model file says them, and programs that read it know "
      "them");
    v("valid-source", valid_source, "files of source sentences to validate on");
    v("valid-target", valid_target, "files of their translations; none if valid-source has columns");
    v("valid-languages", valid_languages, "languages of each validation set, as en-de, one per file");
    v.group("split", split);
    reading.visit(v);
    v.group("filter", filter);
    v.section("Vocabulary");
    v.group("vocab", vocabulary);
    v.section("Batches");
    v.group("batch", batch);
    v.section("Model");
    v.group("model", model);
    v.section("Training");
    train.visit(v);
    v.section("Validation");
    v.group("validation", validation);
    v.section("Statistical translation");
    v.group("statistical", statistical);
    v.section("Run");
    v("cache", cache, "folder for tokenised corpora; empty keeps them beside the corpora");
    v("tensorboard", tensorboard, "write TensorBoard events into the output folder");
    v("report", report, "write report/index.html into the output folder");
    v("resume", resume, "continue the run in the output folder with its settings");
    v("overwrite", overwrite, "start again even if the output folder holds a run");
    v("dry-run", dry_run, "print sizes, steps, memory and estimated time without training");
    v("verify-resume", verify_resume,
      "check on a few updates that a resumed run equals an uninterrupted one bit for bit");
    compute.visit(v);
    visit_conditions(v);
  }

 private:
  // Whether a corpus may have both sides in one file.
  bool has_columns() const {
    if (corpus.format != data::Format::automatic) return corpus.format != data::Format::lines;
    return corpus.target.empty() || (!valid_source.empty() && valid_target.empty());
  }
  // When settings have an effect, as far as it depends on more than their own group.
  template <class V>
  void visit_conditions(V& v) {
    v.only_if(
        "weight split. vocab. batch. model. until validate checkpoint log metric patience keep seed freeze "
        "on-divergence explosion memory-fraction at-once label-smoothing r-drop optimiser. schedule. validation. cache "
        "tensorboard report",
        [this] { return task != TrainTask::statistical; }, "a statistical model is trained in one pass, without it");
    v.only_if(
        "statistical.", [this] { return task == TrainTask::statistical; },
        "it is for --task statistical (the presets smt-...)");
    v.only_if(
        "statistical.tuning.", [this] { return validates(); },
        "weights are tuned on the validation data (--valid-source and --valid-target), and there is none");
    v.only_if(
        "validate metric patience schedule.plateau schedule.plateau-factor validation.", [this] { return validates(); },
        "there is no validation data (--valid-source and --valid-target, or --split.by random)");
    v.only_if(
        "validation. r-drop vocab.shared batch.target-marks model.tied model.lexical model.recurrent.decoder-layers "
        "model.transformer.decoder-layers model.transformer.decoder-past",
        [this] { return task != TrainTask::classify; }, "a classifier has no decoder and translates nothing");
    v.only_if(
        "filter.drop-identical filter.max-ratio filter.target-script", [this] { return task != TrainTask::classify; },
        "the target of a classifier is a label, not a translation");
    v.only_if(
        "model.source-vocabulary model.target-vocabulary", [] { return false; },
        "the vocabularies decide it (--vocab.size)");
    v.only_if(
        "model.classes", [] { return false; }, "the labels of the training data decide it");
    v.only_if(
        "source-column target-column header", [this] { return has_columns(); },
        "no corpus has columns (--format tsv or csv)");
    v.only_if(
        "overwrite", [this] { return !resume; }, "--resume continues the run in the folder; give one of the two");
    v.only_if(
        "virtual wire devices transport join-timeout", [this] { return task != TrainTask::statistical; },
        "a statistical model is trained by one process");
    v.only_if(
        "devices transport join-timeout", [this] { return !dry_run && !verify_resume; },
        "--dry-run and --verify-resume are for one process");
    v.only_if(
        "verify-resume", [this] { return !dry_run; }, "--dry-run does not train; give one of the two");
  }
};

}  // namespace dragoman::run

template <>
struct dragoman::EnumNames<dragoman::run::TrainingPrecision> {
  using TrainingPrecision = dragoman::run::TrainingPrecision;
  static constexpr std::pair<TrainingPrecision, const char*> list[] = {{TrainingPrecision::automatic, "automatic"},
                                                                       {TrainingPrecision::f32, "f32"},
                                                                       {TrainingPrecision::tf32, "tf32"},
                                                                       {TrainingPrecision::bf16, "bf16"}};
};

template <>
struct dragoman::EnumNames<dragoman::run::TrainTask> {
  using TrainTask = dragoman::run::TrainTask;
  static constexpr std::pair<TrainTask, const char*> list[] = {
      {TrainTask::translate, "translate"}, {TrainTask::classify, "classify"}, {TrainTask::statistical, "statistical"}};
};

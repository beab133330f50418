#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/batcher.h"
#include "data/corpus.h"
#include "data/filters.h"
#include "models/config.h"
#include "run/make_vocabulary.h"
#include "smt/phrase_system.h"
#include "train/options.h"

namespace dragoman::run {

enum class TrainTask { translate, classify, statistical };

// Vocabularies of a run: made from the training data, or read from files that `dragoman vocab` wrote.
struct RunVocabulary {
  std::string source, target;
  bool shared = false;
  VocabularyOptions made;

  template <class V>
  void visit(V& v) {
    v("source", source, "vocabulary of the source, a file; empty makes one from the training data");
    v("target", target, "vocabulary of the target, a file; empty makes one, or takes the source's where shared");
    v("shared", shared, "one vocabulary for both sides");
    made.visit(v);
  }
};

// How translations of the validation set are made.
struct TranslatedValidation {
  int sentences = 500, samples = 3, max_length = 0, beam = 1;

  template <class V>
  void visit(V& v) {
    v("sentences", sentences, "sentences to translate at each validation, for BLEU and chrF; 0 for none", at_least(0));
    v("samples", samples, "translations to show, with their attention in the report", at_least(0));
    v("max-length", max_length, "longest translation in tokens; 0 means 10 more than twice the source's", at_least(0));
    v("beam", beam, "hypotheses kept while searching; 1 is greedy", at_least(1));
  }
};

struct TrainingOptions {
  std::string preset, from;
  TrainTask task = TrainTask::translate;
  data::CorpusOptions corpus;
  std::string valid_source, valid_target;
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

  // The run in the output folder goes on.
  bool goes_on() const { return resume && std::filesystem::exists(train.output + "/checkpoints"); }
  // The weights begin as another model's.
  bool fine_tunes() const { return !from.empty() && !goes_on(); }

  template <class V>
  void visit(V& v) {
    v("preset", preset, "settings to begin with, by name (`dragoman inspect --presets`)");
    v("from", from, "fine-tune this model: its configuration, vocabularies and weights are taken over");
    v("task", task, "translate, classify sentences by the labels on the target side, or translate with statistics");
    corpus.visit(v);
    v("valid-source", valid_source, "source sentences to validate on");
    v("valid-target", valid_target, "their translations; empty where valid-source has columns");
    v.group("split", split);
    reading.visit(v);
    v.group("filter", filter);
    v.group("vocab", vocabulary);
    v.group("batch", batch);
    v.group("model", model);
    train.visit(v);
    v.group("validation", validation);
    v.group("statistical", statistical);
    v("cache", cache, "folder for tokenised corpora; empty keeps them beside the corpora");
    v("tensorboard", tensorboard, "write TensorBoard events into the output folder");
    v("report", report, "write report/index.html into the output folder");
    v("resume", resume, "go on where the run in the output folder stopped; its settings are taken over");
    v("overwrite", overwrite, "begin anew even though the output folder holds a run");
    v("dry-run", dry_run, "print sizes, steps, memory and estimated time; train nothing");
    v("verify-resume", verify_resume,
      "prove on a few updates that a resumed run equals an uninterrupted one, bit by bit");
  }
};

}  // namespace dragoman::run

template <>
struct dragoman::EnumNames<dragoman::run::TrainTask> {
  using TrainTask = dragoman::run::TrainTask;
  static constexpr std::pair<TrainTask, const char*> list[] = {
      {TrainTask::translate, "translate"}, {TrainTask::classify, "classify"}, {TrainTask::statistical, "statistical"}};
};

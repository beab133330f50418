// How a run starts, or does not: everything that can be checked is checked before anything is written.
#include "tests/cli/train_command.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

struct Mistake {
  std::string flags;
  std::string words;  // part of the message
};

class TrainStart : public TrainCommand {
 protected:
  // The contents of all files below a folder, by path.
  std::map<std::string, std::string> snapshot(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path(name)))
      files[entry.path()] = entry.is_regular_file() ? support::read_all(entry.path()) : "";
    return files;
  }
  // Every mistake is named by a message that contains its words, and leaves no folder behind.
  void refuses(const std::string& command, const std::vector<Mistake>& mistakes) const {
    for (const auto& [flags, words] : mistakes) {
      const Outcome outcome = run(command + flags);
      EXPECT_EQ(outcome.status, 1) << flags;
      EXPECT_NE(outcome.err.find(words), std::string::npos) << flags << ":\n" << outcome.err;
      EXPECT_FALSE(fs::exists(path("new"))) << flags;
    }
  }
  std::string quick() const { return data() + "--no-report --no-tensorboard --output "; }
};

TEST_F(TrainStart, MistakesAreFoundBeforeAnythingIsReadOrWritten) {
  folder_.write("short", "one line\n");
  folder_.write("none", "");
  folder_.write("patient", "patience: 3\n");
  folder_.write("plateau", "schedule.plateau: 3\n");
  refuses(
      quick() + "new/run --until 1u ",
      {{"--config patient", "--patience 3 needs validation data"},
       {"--config plateau", "--schedule.plateau 3 needs validation data"},
       {"--valid-target de", "valid-target is given without valid-source"},
       {"--valid-source en", "--valid-source en: expected a target file too (--valid-target)"},
       {"--valid-source missing --valid-target de", "--valid-source missing: cannot be opened"},
       {"--valid-source short --valid-target de", "de:2 has no partner"},
       {"--valid-source none --valid-target none", "nothing to validate on"},
       {"--valid-source . --valid-target de", "is not a regular file"},
       {"--source missing --target de", "--source missing: cannot be opened"},
       {"--source - --target de", "standard input can be read only once"},
       {"--vocab.source missing", "--vocab.source missing: cannot be opened"},
       {"--from missing", "missing: cannot be opened"},
       {"--cache en/tokens", "en is a file"},
       {"--device cpu --precision int8", "expected one of automatic|f32|tf32|bf16"},
       {"--device tpu", "tpu"},
       {"--schedule.kind inverse-sqrt --schedule.warmup ''", "needs a warm-up"},
       {"--schedule.warmup soon", "--schedule.warmup: expected an amount of training"},
       {"--freeze 'nothing.*'", "no trainable parameter matches"},
       {"--memory-fraction 1e-9", "too little for a sentence pair"},
       {"--model.transformer.feed-forward 900000 --model.transformer.encoder-layers 900", "Choose a smaller model"}});
  refuses(
      quick() + "new/run --until 1u --valid-source en --valid-target de ",
      {{"--metric blue", "'blue' is not a score of this run; expected one of perplexity, loss, bleu, chrf; did you"},
       {"--metric accuracy", "'accuracy' is not a score of this run"},
       {"--metric bleu --validation.sentences 0", "validation.sentences is 0"},
       {"--metric bleu.en-de", "'bleu.en-de' is not a score"},
       {"--patience 2 --validate 0", "there is only one, at the end"},
       {"--schedule.plateau 2 --validate 0", "there is only one, at the end"},
       {"--split.by random", "not from both"}});
}

TEST_F(TrainStart, ValuesThatMakeNoSenseAreRefusedWithTheirLimits) {
  const std::string huge = " 2000000000", negative = " -1", none = " nan", endless = " inf";
  std::vector<Mistake> mistakes = {{"--until -5e", "--until: expected an amount of training such as"},
                                   {"--until 1e300Gu", "--until: expected an amount of training up to 1e+15"},
                                   {"--until 5x", "--until: expected an amount of training such as"},
                                   {"--valid-source en --valid-target de --validate -1u", "--validate: expected"},
                                   {"--checkpoint often", "--checkpoint: expected"},
                                   {"--weight 0", "expected a weight above 0"},
                                   {"--weight nan", "expected a weight above 0"},
                                   {"--seed -1", "--seed"},
                                   {"--seed 1.5", "--seed: expected an integer"}};
  for (const std::string flag :
       {"keep", "threads", "optimiser.accumulate", "validation.beam", "validation.max-length", "max-line-bytes"})
    for (const std::string& value : {huge, negative}) mistakes.push_back({"--" + flag + value, "--" + flag + ": exp"});
  for (const std::string flag : {"batch.size", "batch.window", "batch.max-source-length", "patience", "at-once",
                                 "validation.sentences", "validation.samples", "filter.max-words", "vocab.size"})
    mistakes.push_back({"--" + flag + negative, "--" + flag + ": expected"});
  for (const std::string flag : {"schedule.rate",
                                 "schedule.first",
                                 "schedule.last",
                                 "schedule.plateau-factor",
                                 "optimiser.beta1",
                                 "optimiser.beta2",
                                 "optimiser.epsilon",
                                 "optimiser.momentum",
                                 "optimiser.weight-decay",
                                 "optimiser.clip",
                                 "optimiser.ema",
                                 "label-smoothing",
                                 "r-drop",
                                 "explosion",
                                 "memory-fraction",
                                 "split.share",
                                 "filter.max-ratio",
                                 "batch.mask-source",
                                 "batch.drop-source",
                                 "batch.sample-source"})
    for (const std::string& value : {none, endless, negative})
      mistakes.push_back({"--" + flag + value, "--" + flag + ": expected"});
  refuses(quick() + "new/run ", mistakes);
}

TEST_F(TrainStart, HugeValuesThatDataBoundAreAccepted) {
  const Outcome outcome =
      run(quick() +
          "run --until 1u --batch.size 2000000000 --validation.sentences 2000000000 --valid-source en "
          "--valid-target de --filter.max-words 2000000000 --batch.max-source-length 2000000000");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(TrainStart, MistakesInClassificationAndStatisticalTrainingAreFoundToo) {
  std::string labels;
  for (int i = 0; i < 40; ++i) labels += i % 2 ? "odd\n" : "even\n";
  folder_.write("labels", labels);
  folder_.write("r-drop", "r-drop: 1\n");
  folder_.write("blank", labels.substr(0, labels.size() - 4) + "\n");
  folder_.write("other", labels.substr(0, labels.size() - 4) + "neither\n");
  refuses(
      "--task classify --preset transformer-tiny --source en --target labels --cache . --output new/run --until 1u ",
      {{"--metric bleu --valid-source en --valid-target labels", "expected one of perplexity, loss, accuracy, f1"},
       {"--config r-drop", "expected 0 for classification"},
       {"--languages en-de", "--languages is for --task translate"},
       {"--valid-source en --valid-target other", "other: pair 40: its label does not occur"}});
  refuses("--task classify --preset transformer-tiny --source en --cache . --output new/run --until 1u ",
          {{"--target blank",
            "blank: pair 40: expected one label per line for classification, but this line has 0 words"}});
  refuses("--preset smt-phrase --source en --target de --output new/run ",
          {{"--verify-resume", "--verify-resume is for neural models"},
           {"--from model", "cannot be opened"},
           {"--valid-source en", "target file"},
           {"--languages en-de", "--languages is for neural models"},
           {"--source missing --target de", "--source missing: cannot be opened"},
           {"--statistical.write-arpa en/arpa", "en is a file"}});
}

TEST_F(TrainStart, AFailedStartLeavesAnOldRunAlone) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  const auto before = snapshot("run");
  for (const std::string flags : {"--overwrite --source missing", "--overwrite --metric blue",
                                  "--overwrite --memory-fraction 1e-9", "--overwrite --freeze 'nothing.*'"}) {
    EXPECT_EQ(run(quick() + "run --until 2u " + flags).status, 1) << flags;
    EXPECT_EQ(snapshot("run"), before) << flags;
  }
  EXPECT_EQ(run(quick() + "run --until 1u --overwrite").status, 0);
  EXPECT_EQ(newest("run"), path("run/checkpoints/000000001.safetensors"));
}

TEST_F(TrainStart, AModelIsNotOverwrittenByAccident) {
  fs::create_directory(path("run"));
  folder_.write("run/model.safetensors", "a model of another run");
  const Outcome outcome = run(quick() + "run --until 1u");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("--overwrite replaces it"), std::string::npos) << outcome.err;
}

TEST_F(TrainStart, ARunIsResumedFromAnyFolder) {
  ASSERT_EQ(run(quick() + "run --until 4u --valid-source en --valid-target de").status, 0);
  ASSERT_EQ(run(quick() + "straight --until 8u --validate 4u --valid-source en --valid-target de").status, 0);
  const support::TempFolder elsewhere;
  const Outcome resumed =
      run_program(elsewhere, "train --resume --output '" + path("run") + "' --until 8u --validate 4u");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(contents(newest("run")), contents(newest("straight")));
}

TEST_F(TrainStart, AMovedRunGoesOnAndMovedCorporaAreAskedFor) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  fs::rename(path("run"), path("moved"));
  EXPECT_EQ(run("--resume --output moved --until 3u").status, 0);
  fs::create_directory(path("data"));
  for (const char* file : {"en", "de"}) fs::rename(path(file), path("data/") + file);
  const Outcome asked = run("--resume --output moved --until 4u");
  EXPECT_EQ(asked.status, 1);
  EXPECT_NE(asked.err.find("if it was moved, say where it is now with --source"), std::string::npos) << asked.err;
  const Outcome resumed = run("--resume --output moved --until 4u --source data/en --target data/de");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(newest("moved"), path("moved/checkpoints/000000004.safetensors"));
}

TEST_F(TrainStart, ARunIsResumedOnlyWithTheDataAndTheModelItBeganWith) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  std::string english = support::read_all(path("en"));
  const std::size_t first_line = english.find('\n') + 1;
  folder_.write("turned", english.substr(first_line) + english.substr(0, first_line));
  const auto before = snapshot("run");
  for (const auto& [flags, words] :
       std::vector<Mistake>{{"--source turned", "belongs to a run on other sentence pairs: there are as many"},
                            {"--source turned", "--from run/model.safetensors --output ANOTHER_FOLDER"},
                            {"--weight 2", "belongs to a run on other sentence pairs"},
                            {"--batch.max-source-length 5", "belongs to a run on other sentence pairs"},
                            {"--filter.max-words 5", "the data or its settings changed"},
                            {"--seed 7", "belongs to a run with seed 1, not 7"},
                            {"--model.embedding 64", "cannot be resumed with another model"},
                            {"--vocab.size 100", "--vocab.size 100 (not 0)"},
                            {"--task classify", "--task classify (not translate)"},
                            {"--preset lstm-luong", "--preset lstm-luong (not transformer-tiny)"}}) {
    const Outcome outcome = run("--resume --output run --until 4u " + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << flags << ": " << outcome.err;
    EXPECT_EQ(snapshot("run"), before) << flags;
  }
  for (const auto& entry : fs::directory_iterator(path(".")))
    EXPECT_FALSE(entry.path().filename().string().starts_with("turned.")) << entry.path() << " was left behind";
  EXPECT_EQ(run("--resume --output run --until 4u").status, 0);
}

TEST_F(TrainStart, AResumedRunHasTheSettingsItBeganWithAndBothCommands) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  const support::TempFolder elsewhere;
  ASSERT_EQ(run_program(elsewhere, "train --resume --until 4u --output '" + path("run") + "'").status, 0);
  std::vector<nlohmann::json> starts;
  for (const nlohmann::json& line : log("run"))
    if (line.at("kind") == "start") starts.push_back(line);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_NE(starts[0].at("command").get<std::string>().find("train --preset transformer-tiny"), std::string::npos);
  EXPECT_NE(starts[1].at("command").get<std::string>().find("train --resume"), std::string::npos);
  for (nlohmann::json& start : starts) {
    start.at("settings").erase("until");
    start.at("settings").erase("at-once");  // measured at the start, then kept
  }
  EXPECT_EQ(starts[0].at("settings"), starts[1].at("settings"));
}

TEST_F(TrainStart, FlagsWithoutAnEffectAreRefusedWithTheReason) {
  folder_.write("labels", "odd\neven\n");
  refuses(quick() + "new/run ",
          {{"--resume --overwrite", "--overwrite has no effect: --resume continues the run"},
           {"--dry-run --verify-resume", "--verify-resume has no effect: --dry-run"},
           {"--statistical.ngrams.order 4", "--statistical.ngrams.order has no effect: it is for --task statistical"},
           {"--model.recurrent.cell gru", "--model.recurrent.cell has no effect: the model is not recurrent"},
           {"--model.attention.rank 4", "only the reduced_rank score uses it"},
           {"--model.attention.linformer-length 9", "it needs model.attention.linformer"},
           {"--model.source-vocabulary 9", "the vocabularies decide it"},
           {"--optimiser.momentum 0.5", "--optimiser.momentum has no effect: only --optimiser.kind sgd uses it"},
           {"--optimiser.kind sgd --optimiser.beta1 0.5", "sgd does not use it"},
           {"--schedule.kind constant --schedule.last 0", "only --schedule.kind cosine uses it"},
           {"--schedule.plateau-factor 0.1", "it needs --schedule.plateau"},
           {"--split.share 0.5", "no pairs are held out"},
           {"--split.by last --split.seed 3", "only --split.by random uses it"},
           {"--batch.order random --batch.window 9", "only --batch.order length uses it"},
           {"--batch.too-long drop", "there is no limit"},
           {"--filter.script-share 0.9", "no script is given"},
           {"--vocab.type words --vocab.character-coverage 1", "only subwords use it"},
           {"--vocab.type bpe --vocab.min-count 3", "only vocabularies of words use it"},
           {"--validate 1e", "--validate has no effect: there is no validation data"},
           {"--metric bleu", "--metric has no effect: there is no validation data"},
           {"--patience 3", "--patience has no effect: there is no validation data"},
           {"--schedule.plateau 3", "--schedule.plateau has no effect: there is no validation data"},
           {"--validation.beam 4", "--validation.beam has no effect: there is no validation data"},
           {"--valid-source en --valid-target de --validation.sentences 0 --validation.beam 4", "no sentence is"},
           {"--cache ''", "--cache has no effect: its value is the empty text"}});
  refuses("--preset smt-word --source en --target de --output new/run ",
          {{"--until 5e", "--until has no effect: a statistical model"},
           {"--model.embedding 8", "--model.embedding has no effect: a statistical model"},
           {"--statistical.tuning.nbest 50", "weights are tuned on the validation data"},
           {"--statistical.ngrams.order 3", "there is no language model"},
           {"--task classify", "--preset smt-word is for statistical models, but --task is classify"}});
  refuses("--preset transformer-tiny --source en --target labels --output new/run ",
          {{"--task classify --model.transformer.decoder-layers 3", "a classifier has no decoder"},
           {"--task classify --filter.max-ratio 3", "the target of a classifier is a label, not a translation"},
           {"--task statistical", "--preset transformer-tiny is for neural models, but --task is statistical"}});
}

TEST_F(TrainStart, SettingsOfAFileMayHaveNoEffect) {
  for (const std::string preset : {"transformer-tiny", "lstm-luong", "smt-word"}) {
    const Outcome dumped = run("--preset " + preset + " --dump-config --source en --target de --cache . --threads 1");
    ASSERT_EQ(dumped.status, 0) << dumped.err;
    folder_.write("all.yaml", dumped.out);
    EXPECT_EQ(run("--config all.yaml --dry-run").status, 0) << preset;
  }
}

TEST_F(TrainStart, ImpossibleValuesAreNamedWithWhatIsExpected) {
  refuses(quick() + "new/run ",
          {{"--until 0u", "--until: expected an end of training above 0"},
           {"--seed -5", "--seed: expected an integer from 0 to 9223372036854775807 but got -5"},
           {"--valid-source ''", "--valid-source: expected a value but got the empty text"},
           {"--batch.max-source-length 1 --batch.too-long drop",
            "no sentence pair is left to train on: 40 pairs read, 0 kept; dropped: 40 too many tokens"},
           {"--split.by random --split.share 0", "no sentence pair is left to validate on"}});
  refuses("--preset transformer-tiny --output new/run ",
          {{"", "expected a corpus, but no source file is given"},
           {"--source en", "expected a target file too (--target)"},
           {"--source en --source en --target de", "2 source files but 1 target file; give one for each"}});
}

TEST_F(TrainStart, ThePlanDescribesSentencesAsTrainingSeesThem) {
  const std::string limits = "run --until 1u --batch.max-source-length 5 --batch.max-target-length 4 --dry-run ";
  const Outcome cut = run(quick() + limits);
  EXPECT_NE(cut.out.find("per sentence, 5 at most"), std::string::npos) << cut.out;
  EXPECT_NE(cut.out.find("training target      160 tokens, 4.0 per sentence, 4 at most"), std::string::npos) << cut.out;
}

TEST_F(TrainStart, ACheckpointWithoutAHashOfItsDataIsResumed) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  for (const auto& entry : fs::directory_iterator(path("run/checkpoints"))) {
    const store::SafetensorsFile file(entry.path());
    std::map<std::string, std::string> bytes = file.read_all();
    nlohmann::json state = nlohmann::json::parse(bytes.at("train.state"));
    state.erase("data");
    bytes.at("train.state") = state.dump();
    std::vector<store::StoredTensor> tensors;
    for (const store::TensorRecord& tensor : file.tensors()) {
      const std::string& content = bytes.at(tensor.name);
      const bool is_state = tensor.name == "train.state";
      tensors.push_back(
          {tensor.name, tensor.type, is_state ? std::vector<Size>{std::ssize(content)} : tensor.shape, content});
    }
    store::write_safetensors(path("old"), file.metadata(), tensors);
    fs::rename(path("old"), entry.path());
  }
  const Outcome resumed = run("--resume --output run --until 3u");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  const Outcome again = run("--resume --output run --until 4u --weight 2");
  EXPECT_EQ(again.status, 1) << "the new checkpoint has the hash";
}

TEST_F(TrainStart, ResumingNothingIsNamed) {
  fs::create_directory(path("empty"));
  for (const auto& [flags, words] : std::vector<Mistake>{{"--output new", "new does not exist"},
                                                         {"--output empty", "empty is empty"},
                                                         {"--output .", ". holds no run: it has no config.yaml"},
                                                         {"", "expected --output FOLDER"}}) {
    const Outcome outcome = run("--resume " + flags);
    EXPECT_EQ(outcome.status, 1) << flags;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(TrainStart, FineTuningNamesTheSettingsThatItWouldIgnore) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  const std::string tune = "--from run/model.safetensors --source en --target de --cache . --threads 1 --until 1u ";
  refuses(tune + "--output new ",
          {{"--model.embedding 512", "--model.embedding 512 (not 32)"},
           {"--vocab.source en", "--vocab.source"},
           {"--vocab.size 100 --vocab.shared", "--vocab.shared true (not false), --vocab.size 100 (not 0)"},
           {"--preset lstm-luong", "and --preset lstm-luong if they come from it"},
           {"--task classify", "is a model that translates, but --task is classify"}});
  const Outcome same = run(tune + "--output tuned --vocab.shared=false --model.embedding 32");
  EXPECT_EQ(same.status, 0) << same.err;
  const Outcome own = run(tune + "--output own --preset transformer-tiny");
  EXPECT_EQ(own.status, 0) << "the model's own preset, which it differs from: " << own.err;
  EXPECT_EQ(run("--resume --output tuned --until 2u").status, 0);
}

TEST_F(TrainStart, AFineTunedRunThatWasKilledBeforeItsFirstCheckpointStartsAgainFromTheModel) {
  ASSERT_EQ(run(quick() + "run --until 2u").status, 0);
  const std::string tune = "--from run/model.safetensors --source en --target de --cache . --threads 1 --until 1u ";
  ASSERT_EQ(run(tune + "--output straight").status, 0);
  fs::create_directories(path("killed/checkpoints"));
  const Outcome resumed = run(tune + "--output killed --resume");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(contents(newest("killed")), contents(newest("straight")));
}

TEST_F(TrainStart, WhatBecomesOfThePairsIsPrintedLoggedAndPlanned) {
  folder_.write("a", "one two three\n\none two three four five six\none two\nbad \xFF\n");
  folder_.write("b", "eins zwei drei\n\neins zwei drei vier fünf sechs\neins zwei\ngut\n");
  const std::string command = std::string(kModel) +
                              "--source a --target b --valid-source a --valid-target b --cache . --invalid-utf8 skip "
                              "--filter.max-words 5 --filter.drop-empty --vocab.type words --until 1u "
                              "--batch.max-source-length 2 --batch.max-target-length 3 --output run ";
  const std::string training =
      "5 pairs read, 2 kept; dropped: 1 not UTF-8, 1 empty, 1 too long; cut: 1 source sentence";
  const std::string validation =
      "5 pairs read, 4 kept; dropped: 1 not UTF-8; cut: 2 source sentences, 1 target sentence";
  const Outcome planned = run(command + "--dry-run");
  EXPECT_NE(planned.out.find(training), std::string::npos) << planned.said();
  EXPECT_NE(planned.out.find(validation), std::string::npos) << planned.said();
  const Outcome trained = run(command);
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_NE(trained.err.find("training data: " + training), std::string::npos) << trained.err;
  EXPECT_NE(trained.err.find("validation data: " + validation), std::string::npos) << trained.err;
  const nlohmann::json line = log("run").at(1);
  EXPECT_EQ(line.at("train"),
            nlohmann::json::parse(R"({"pairs_read":5,"held_out":0,"kept":2,"cut":{"source":1,"target":0},"repaired":{},
                                      "dropped":{"not UTF-8":1,"empty":1,"too long":1}})"));
  EXPECT_EQ(line.at("validation").at("kept"), 4);
}

TEST_F(TrainStart, LimitsThatDropPairsAndHeldOutPairsAreCounted) {
  const Outcome outcome = run(quick() +
                              "run --until 1u --split.by last --split.share 0.25 --batch.too-long drop "
                              "--batch.max-source-length 9 --batch.max-target-length 9");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json line = log("run").at(1), &train = line.at("train"), &held_out = line.at("validation");
  EXPECT_EQ(train.at("pairs_read"), 40);
  EXPECT_EQ(train.at("held_out"), 10);
  const int dropped = train.at("dropped").at("too many tokens"), kept = train.at("kept");
  EXPECT_EQ(dropped + kept, 30);
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(held_out.at("pairs_read"), 10);
  const int dropped_too = held_out.at("dropped").at("too many tokens"), kept_too = held_out.at("kept");
  EXPECT_EQ(dropped_too + kept_too, 10);
  EXPECT_NE(outcome.err.find("too many tokens; 10 held out for validation"), std::string::npos) << outcome.err;
}

TEST_F(TrainStart, ThePlanSaysHowMuchTheRunWillWrite) {
  const Outcome outcome = run(quick() + "run --until 20u --checkpoint 10u --keep 1000000 --dry-run");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("up to 5 checkpoints of"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace dragoman::cli

// Whole recipes through the program, as users run them: two small systems on the phrasebook.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using cli::Outcome;
using nlohmann::json;
using support::read_all;
using support::TempFolder;

const char* const kDigest = "0000000000000000000000000000000000000000000000000000000000000000";

std::string data_text() {
  std::string text = "data:\n  corpus:\n    files:\n";
  for (const char* name : {"train.en.gz", "train.de.gz", "valid.en.gz", "valid.de.gz", "test.en.gz", "test.de.gz"})
    text += std::string("      ") + name + ": " + kDigest + "\n";
  return text;
}

// Two systems, one test set, one figure of each cheap kind; the second system is trained for `updates`.
std::string recipe_text(const std::string& updates, const std::string& more_systems = "") {
  return R"(title: Two small systems
data: corpus/*
flags:
  train: >
    --preset transformer-tiny --source {data}/corpus/train.en.gz --target {data}/corpus/train.de.gz
    --valid-source {data}/corpus/valid.en.gz --valid-target {data}/corpus/valid.de.gz --cache {work}
prepare:
- {command: "stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz --json > {work}/counts.json", makes: counts.json}
tests:
  test:
    source: "{data}/corpus/test.en.gz"
    reference: "{data}/corpus/test.de.gz"
    perplexity: true
    attention: 2
systems:
  words:
    steps:
    - align {data}/corpus/train.en.gz {data}/corpus/train.de.gz --lexicon {system}/lexicon > {system}/links
    translate: direct {system}/lexicon {input}
    score: ""
  neural: {train: --until )" +
         updates + R"(}
)" + more_systems +
         R"(tables:
- {title: Results, baseline: words, columns: {test.bleu: BLEU}}
figures:
  beam:
    kind: sweep
    test: test
    values: [1, 2]
    rows: {neural: "translate --model {systems/neural}/run/model.safetensors --input {input} --output {output} --beam {value}"}
  corpus: {kind: statistics, rows: {train: "stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz --json"}}
  links:
    kind: alignment
    gold: "{data}/phrasebook.gold"
    rows: {EM: "align {data}/corpus/test.en.gz {data}/corpus/test.de.gz"}
  tree: {kind: tree, systems: neural, test: test, sentence: 2}
miniature:
  sentences: 120
  files: {"*/train.en*": train.en, "*/train.de*": train.de, "*/valid.en*": valid.en, "*/valid.de*": valid.de,
          "*/test.en*": test.en, "*/test.de*": test.de}
  flags:
    train: >
      --validate 10ku --checkpoint 50u --log 20u --validation.sentences 2 --batch.by sentences --batch.size 8
      --vocab.type words --vocab.min-count 1 --model.embedding 16 --model.transformer.size 16
      --model.attention.heads 1 --model.transformer.feed-forward 16 --model.transformer.encoder-layers 1
      --model.transformer.decoder-layers 1 --threads 1
)";
}

// A folder with the recipe `mine`, run from there.
class RecipeFolder {
 public:
  explicit RecipeFolder(const std::string& text) {
    fs::create_directories(folder_.file("recipes/mine"));
    folder_.write("recipes/data.yaml", data_text());
    write(text);
  }

  void write(const std::string& text) const { folder_.write("recipes/mine/recipe.yaml", text); }
  Outcome program(const std::string& arguments) const { return cli::run_program(folder_, arguments); }
  Outcome run(const std::string& flags = "") const {
    return program("recipe run mine --miniature --output out " + flags);
  }
  Outcome status() const { return program("recipe status mine --miniature --output out"); }
  std::string file(const std::string& name) const { return folder_.file("out/" + name); }
  bool has(const std::string& name) const { return fs::exists(file(name)); }
  std::string text(const std::string& name) const { return read_all(file(name)); }
  json read(const std::string& name) const { return json::parse(text(name)); }
  const std::string& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

// A runner in the background, which the test can send signals to.
class Background {
 public:
  Background(const RecipeFolder& folder, const std::string& log, const std::string& flag = "--jobs=1") {
    child_ = fork();
    if (child_ == 0) {
      const int file = open((folder.path() + "/" + log).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      dup2(file, 1);
      dup2(file, 2);
      if (chdir(folder.path().c_str()) == 0)
        execl(DRAGOMAN_PROGRAM, "dragoman", "recipe", "run", "mine", "--miniature", "--output", "out", flag.c_str(),
              nullptr);
      _exit(127);
    }
  }
  ~Background() {
    if (child_ > 0) end(SIGKILL);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Sends a signal, or none, and returns the exit status, 128 + N after signal N.
  int end(int signal = 0) {
    if (signal != 0) kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_;
};

void wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(holds());
}

bool in_the_middle_of_training(const RecipeFolder& folder) {
  const std::string checkpoints = folder.file("systems/neural/run/checkpoints");
  return fs::exists(checkpoints) && !fs::is_empty(checkpoints) && !folder.has("systems/neural/run/model.safetensors");
}

TEST(RecipeRun, LeavesResultsOfSystemsAndFiguresAndIsThenFinished) {
  const RecipeFolder folder(recipe_text("100u"));
  const Outcome outcome = folder.run();
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  const json neural = folder.read("systems/neural/result.json"), words = folder.read("systems/words/result.json");
  for (const char* value : {"test.bleu", "test.chrf", "test.perplexity", "test.seconds", "train.seconds", "train.loss",
                            "train.perplexity", "train.parameters", "train.seconds-per-update", "model.bytes"})
    EXPECT_TRUE(neural["values"].contains(value)) << value;
  EXPECT_EQ(neural["values"]["train.updates"], 100);
  EXPECT_EQ(neural["steps"].size(), 5U);
  EXPECT_FALSE(words["values"].contains("train.updates"));
  EXPECT_EQ(words["values"]["test.bleu"], folder.read("systems/words/tests/test.json")["bleu"]["score"]);
  EXPECT_EQ(folder.read("comparisons/test.json")["systems"].size(), 1U);
  const json beam = folder.read("figures/beam.json")["rows"];
  ASSERT_EQ(beam.size(), 2U);
  EXPECT_EQ(beam[1]["result"]["value"], 2);
  EXPECT_TRUE(beam[1]["result"]["bleu"].contains("score"));
  EXPECT_EQ(folder.read("figures/corpus.json")["rows"].size(), 1U);
  EXPECT_TRUE(folder.read("figures/links.json")["rows"][0]["result"].contains("aer"));
  EXPECT_FALSE(folder.read("figures/tree.json")["rows"][0]["result"]["nodes"].empty());
  const std::string attention = folder.text("systems/neural/tests/test.attention.jsonl");
  EXPECT_EQ(std::count(attention.begin(), attention.end(), '\n'), 2);

  const auto trained = fs::last_write_time(folder.file("systems/neural/steps/1.log"));
  const Outcome again = folder.run();
  EXPECT_EQ(again.status, 0) << again.said();
  EXPECT_EQ(again.said().find("step 1"), std::string::npos) << again.said();
  EXPECT_EQ(fs::last_write_time(folder.file("systems/neural/steps/1.log")), trained);
  EXPECT_NE(folder.status().out.find("neural  finished\n"), std::string::npos) << folder.status().said();
}

// A folder whose runner was killed while it trained the neural system.
std::unique_ptr<RecipeFolder> killed_in_training(const std::string& text) {
  for (;;) {
    auto folder = std::make_unique<RecipeFolder>(text);
    Background runner(*folder, "log");
    wait_until([&] { return folder->has("systems/neural/run/checkpoints"); });
    runner.end(SIGKILL);
    // On a busy machine the signal may come too late.
    if (!folder->read("systems/neural/steps/1.json")["finished"]) return folder;
  }
}

TEST(RecipeRun, GoesOnAfterItWasKilledAndGivesTheSameResults) {
  const std::string text = recipe_text("1500u");
  const std::unique_ptr<RecipeFolder> interrupted = killed_in_training(text);
  const RecipeFolder whole(text);
  const Outcome outcome = interrupted->run();
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  ASSERT_EQ(whole.run().status, 0);
  const std::string log = interrupted->text("systems/neural/steps/1.log");
  EXPECT_NE(log.find("batches per epoch"), log.rfind("batches per epoch")) << log;
  for (const char* file : {"systems/neural/tests/test.txt", "systems/neural/tests/test.perplexity.json",
                           "systems/words/tests/test.txt", "comparisons/test.json"})
    EXPECT_EQ(interrupted->text(file), whole.text(file)) << file;
}

TEST(RecipeRun, SaysWhatHasChangedWhenItGoesOn) {
  const std::unique_ptr<RecipeFolder> folder = killed_in_training(recipe_text("1500u"));
  Outcome outcome = folder->run("--device cpu --budget 1s");
  EXPECT_NE(outcome.said().find("neural: training goes on, with --device cpu"), std::string::npos) << outcome.said();
  folder->write(recipe_text("30u"));
  outcome = folder->run("--device cpu");
  for (const char* words :
       {"neural: the command of step 1, train, has changed (--until 30u instead of --until 1500u)",
        "neural: training starts again; the run of the command before is kept in out/systems/neural/run.old"})
    EXPECT_NE(outcome.said().find(words), std::string::npos) << words << "\n" << outcome.said();
}

TEST(RecipeRun, StopsInGoodOrderWhenInterrupted) {
  const RecipeFolder folder(recipe_text("1Mu"));
  Background runner(folder, "log");
  wait_until([&] { return in_the_middle_of_training(folder); });
  EXPECT_EQ(runner.end(SIGINT), 128 + SIGINT);
  const std::string said = read_all(folder.path() + "/log");
  EXPECT_NE(said.find("interrupted; the same command goes on from here"), std::string::npos) << said;
  EXPECT_NE(folder.text("systems/neural/run/log.jsonl").find("\"kind\":\"end\""), std::string::npos);
  EXPECT_NE(folder.status().out.find("interrupted at step 1 of 5, train"), std::string::npos) << folder.status().out;
}

// The last update in the log of the neural system.
int last_update(const RecipeFolder& folder) {
  const std::string log = folder.text("systems/neural/run/log.jsonl"), key = "\"update\":";
  return std::stoi(log.substr(log.rfind(key) + key.size()));
}

TEST(RecipeRun, StopsWhenItsBudgetIsUsedUpAndGoesOnLater) {
  const RecipeFolder folder(recipe_text("1Mu"));
  int updates = 0;
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = folder.run("--budget 2s");
    EXPECT_EQ(outcome.status, 0) << outcome.said();
    EXPECT_NE(outcome.said().find("the budget is used up"), std::string::npos) << outcome.said();
    EXPECT_FALSE(folder.has("systems/neural/result.json"));
    EXPECT_GT(last_update(folder), updates);
    updates = last_update(folder);
  }
}

TEST(RecipeRun, LeavesTheResultsOfAnotherRecipeAlone) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run().status, 0);
  std::ofstream(folder.path() + "/out/recipe.txt") << "another\n";
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("holds results of the recipe another"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, DeletesNoTrainingRunOfUnknownOrigin) {
  const std::unique_ptr<RecipeFolder> folder = killed_in_training(recipe_text("1500u"));
  fs::remove(folder->file("systems/neural/steps/1.json"));
  const Outcome outcome = folder->run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("the record of the command that made it is missing"), std::string::npos)
      << outcome.said();
  EXPECT_TRUE(folder->has("systems/neural/run/checkpoints"));
}

TEST(RecipeRun, SharesTheSystemsWithOtherRunners) {
  const RecipeFolder folder(recipe_text("600u", "  other: {train: --until 600u --seed 2}\n"));
  {
    Background first(folder, "first"), second(folder, "second");
    EXPECT_EQ(first.end(), 0);
    EXPECT_EQ(second.end(), 0);
  }
  const std::string first = read_all(folder.path() + "/first"), second = read_all(folder.path() + "/second");
  for (const std::string name : {"words", "neural", "other"}) {
    EXPECT_TRUE(folder.has("systems/" + name + "/result.json")) << first << second;
    const bool by_first = first.find(name + ": finished after") != std::string::npos;
    const bool by_second = second.find(name + ": finished after") != std::string::npos;
    EXPECT_NE(by_first, by_second) << name << "\n" << first << second;
  }
  EXPECT_TRUE(folder.has("figures/beam.json")) << first << second;
}

TEST(RecipeRun, AFailingSystemDoesNotStopTheOthers) {
  const RecipeFolder folder(recipe_text("20u",
                                        "  broken: {train: --until 20u --source absent.en --target absent.de}\n"
                                        "  after: {train: --until 20u, needs: broken}\n"));
  const Outcome outcome = folder.run("--jobs 2");
  EXPECT_EQ(outcome.status, 1) << outcome.said();
  EXPECT_TRUE(folder.has("systems/neural/result.json"));
  EXPECT_TRUE(folder.has("figures/beam.json"));
  EXPECT_FALSE(folder.has("systems/broken/result.json"));
  for (const char* words : {"broken: step 1 of 5, train, failed with status 1", "dragoman train", "absent.en",
                            "out/systems/broken/steps/1.log", "need a system that failed: after"})
    EXPECT_NE(outcome.said().find(words), std::string::npos) << words << "\n" << outcome.said();
}

TEST(RecipeRun, SumsUpFiguresThatFailed) {
  std::string text = recipe_text("20u");
  text.replace(text.find("phrasebook.gold"), 10, "absent");
  const RecipeFolder folder(text);
  const Outcome outcome = folder.run("--only words");
  EXPECT_EQ(outcome.status, 1) << outcome.said();
  for (const char* words : {"figures that failed: links", "figures not measured: beam, tree"})
    EXPECT_NE(outcome.said().find(words), std::string::npos) << words << "\n" << outcome.said();
}

TEST(RecipeRun, FiguresNeedNotSayThatTheirCommandsPrintJson) {
  std::string text = recipe_text("20u");
  const std::string row = "{train: \"stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz --json\"}";
  text.replace(text.find(row), row.size(), "{train: \"stats {data}/corpus/train.en.gz {data}/corpus/train.de.gz\"}");
  const RecipeFolder folder(text);
  const Outcome outcome = folder.run("--only words");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_EQ(folder.read("figures/corpus.json")["rows"].size(), 1U);
}

TEST(RecipeList, NamesABrokenRecipeAndListsTheOthers) {
  const RecipeFolder folder(recipe_text("20u"));
  fs::create_directories(folder.path() + "/recipes/a-broken-one");
  std::ofstream(folder.path() + "/recipes/a-broken-one/recipe.yaml") << "systems: [";
  const TempFolder elsewhere;
  const Outcome outcome = cli::run_program(elsewhere, "recipe list '" + folder.path() + "/recipes'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("a-broken-one    cannot be read\n"), std::string::npos) << outcome.said();
  EXPECT_NE(outcome.out.find("mine            Two small systems\n"), std::string::npos) << outcome.said();
  EXPECT_NE(outcome.err.find("a-broken-one/recipe.yaml:1: not valid YAML"), std::string::npos) << outcome.said();
  EXPECT_NE(cli::run_program(elsewhere, "recipe list nowhere").err.find("nowhere: expected a folder of recipes"),
            std::string::npos);
}

TEST(RecipeList, SaysThatThereAreNoRecipes) {
  const TempFolder empty;
  const Outcome outcome = cli::run_program(empty, "recipe list .");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("there are no recipes in .; a recipe is a folder with a recipe.yaml"), std::string::npos)
      << outcome.said();
}

TEST(RecipeActions, UnknownOnesSuggestWhatWasMeant) {
  const RecipeFolder folder(recipe_text("20u"));
  for (const auto& [words, meant] :
       {std::pair("recipe mine", "did you mean `dragoman recipe run mine`?"),
        std::pair("recipe recipes/mine", "did you mean `dragoman recipe run recipes/mine`?"),
        std::pair("recipe statsu mine", "did you mean `dragoman recipe status`?"),
        std::pair("recipe something", "expected run, list, status or report"),
        std::pair("recipe run mien", "there is no recipe 'mien'; did you mean 'mine'?")}) {
    const Outcome outcome = folder.program(words);
    EXPECT_EQ(outcome.status, 1) << words;
    EXPECT_NE(outcome.err.find(meant), std::string::npos) << words << "\n" << outcome.said();
  }
}

TEST(RecipeRun, RefusesWrongRecipesBeforeAnythingRuns) {
  const RecipeFolder folder(recipe_text("20u", "  wrong: {train: --untill 20u}\n"));
  Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("did you mean 'until'"), std::string::npos) << outcome.said();
  EXPECT_FALSE(folder.has("systems/words"));
  folder.write(recipe_text("20u", "  wrong: {train: \"--source {daata}/x\"}\n"));
  outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("did you mean {data}?"), std::string::npos) << outcome.said();
  outcome = folder.run("--only nural");
  EXPECT_NE(outcome.said().find("did you mean 'neural'?"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, RunsOnlyWhatIsAskedFor) {
  const RecipeFolder folder(recipe_text("20u"));
  const Outcome outcome = folder.run("--only words");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_TRUE(folder.has("systems/words/result.json"));
  EXPECT_FALSE(folder.has("systems/neural"));
  EXPECT_NE(outcome.said().find("figure beam is postponed: it needs neural"), std::string::npos) << outcome.said();
  EXPECT_TRUE(folder.has("figures/corpus.json"));
}

TEST(RecipeRun, RunsOnlyTheFiguresThatAreAskedFor) {
  const RecipeFolder folder(recipe_text("20u"));
  const Outcome outcome = folder.run("--only corpus,tree");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_TRUE(folder.has("figures/corpus.json"));
  EXPECT_FALSE(folder.has("figures/links.json"));
  EXPECT_FALSE(folder.has("systems"));
  EXPECT_NE(outcome.said().find("figure tree is postponed: it needs neural\n"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, RunsAgainFromAChangedCommandButNeverTrainsAFinishedSystemAgain) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run().status, 0);
  std::string text = recipe_text("30u");
  text.replace(text.find("direct {system}"), 6, "direct --tokenized");
  folder.write(text);
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_NE(outcome.said().find("words: the command of step 2, translate test, has changed"), std::string::npos)
      << outcome.said();
  EXPECT_NE(outcome.said().find("neural: was trained by other commands"), std::string::npos) << outcome.said();
  EXPECT_EQ(folder.read("systems/neural/result.json")["values"]["train.updates"], 20);
}

TEST(RecipeRun, ADryRunPrintsCommandsAndRunsNothing) {
  const RecipeFolder folder(recipe_text("50u"));
  ASSERT_EQ(folder.run("--only words").status, 0);
  const Outcome outcome = folder.run("--dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_NE(outcome.out.find("# words: words: finished"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\ndragoman train --preset transformer-tiny"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("# comparisons\ndragoman evaluate out/systems/words/tests/test.txt"), std::string::npos)
      << outcome.out;
  EXPECT_FALSE(folder.has("systems/neural"));
}

// The words after `name` in the list of times at the end of a dry run.
std::string time_of(const Outcome& dry_run, const std::string& name) {
  const std::size_t list = dry_run.out.find("# time of what is left");
  const std::size_t line = dry_run.out.find("\n# " + name + " ", list);
  if (list == std::string::npos || line == std::string::npos) return "absent";
  const std::size_t begin = dry_run.out.find_first_not_of(' ', line + 4 + name.size());
  return dry_run.out.substr(begin, dry_run.out.find('\n', begin) - begin);
}

TEST(RecipeRun, ADryRunWritesNothingAndSaysThatTimesAreNotKnown) {
  const RecipeFolder folder(recipe_text("50u"));
  const Outcome outcome = folder.run("--dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
  EXPECT_EQ(time_of(outcome, "neural"), "not known");
  EXPECT_EQ(time_of(outcome, "preparation"), "not known");
  EXPECT_EQ(time_of(outcome, "sum of these times"), "7 not known") << "preparation, two systems, four figures";
  EXPECT_NE(folder.run("--dry-run --only nural").status, 0);
}

TEST(RecipeRun, ADryRunStatesTheCostsOfTheRecipeUnlessItIsAMiniature) {
  const RecipeFolder folder("cost: 5min on a large machine\n" +
                            recipe_text("50u", "  other: {train: --seed 2, cost: 90s on a small one}\n"));
  const Outcome outcome = folder.program("recipe run mine --output out --dry-run --only words,neural,other");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_EQ(time_of(outcome, "neural"), "5:00 on a large machine");
  EXPECT_EQ(time_of(outcome, "other"), "1:30 on a small one");
  EXPECT_EQ(time_of(outcome, "sum of these times"), "10:00 on a large machine + 1:30 on a small one + 5 not known");
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
  EXPECT_EQ(time_of(folder.run("--dry-run"), "neural"), "not known");
}

TEST(RecipeRun, ADryRunTakesTimesFromEarlierRuns) {
  const RecipeFolder folder(recipe_text("1Mu"));
  ASSERT_EQ(folder.run("--budget 3s --only neural").status, 0);
  ASSERT_EQ(folder.run("--only words").status, 0);
  folder.write([] {
    std::string text = recipe_text("1Mu");
    return text.replace(text.find("direct {system}"), 6, "direct --tokenized");
  }());
  const Outcome outcome = folder.run("--dry-run");
  EXPECT_TRUE(time_of(outcome, "words").ends_with(" s on this machine")) << outcome.out;
  // The rest of the training is known, but not the time of translating.
  const std::string training = time_of(outcome, "neural");
  EXPECT_TRUE(training.starts_with("at least ") && training.ends_with(" on this machine")) << outcome.out;
}

TEST(RecipeRun, AsksForDataThatIsMissing) {
  const RecipeFolder folder(recipe_text("20u"));
  const TempFolder empty;
  const Outcome outcome = cli::run_program(empty, "recipe run '" + folder.path() + "/recipes/mine'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("corpus/train.en.gz"), std::string::npos) << outcome.said();
  EXPECT_NE(outcome.said().find("corpus/test.de.gz"), std::string::npos) << outcome.said();
}

}  // namespace
}  // namespace dragoman::recipe

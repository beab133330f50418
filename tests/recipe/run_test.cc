// Whole recipes through the program, as users run them: two small systems on the phrasebook.
#include "tests/recipe/recipe_folder.h"

#include <memory>

#include "base/sha256.h"

namespace dragoman::recipe {
namespace {

void expect_words(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}
void expect_no_words(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_EQ(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(RecipeRun, LeavesResultsOfSystemsAndFiguresAndIsThenFinished) {
  const RecipeFolder folder(recipe_text("100u"));
  const Outcome outcome = folder.run();
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  expect_words(outcome.said(), {"This is a miniature: a few updates on generated text"});
  expect_no_words(outcome.said(), {"test.bleu"});
  const std::string results = folder.text("report/results.md");
  expect_words(results, {"This is a miniature", "| words baseline | ", "| neural | ", " | 100 | "});
  EXPECT_TRUE(folder.has("systems/words/tests/test.json"));
  EXPECT_TRUE(folder.has("systems/neural/steps/4.json"));
  EXPECT_EQ(folder.read("comparisons/test.words/scores.json")["systems"].size(), 1U);
  EXPECT_TRUE(folder.read("figures/beam/2.json")["bleu"].contains("score"));
  EXPECT_TRUE(folder.read("figures/corpus/1.json").contains("source"));
  EXPECT_TRUE(folder.read("figures/links/1.json").contains("aer"));
  EXPECT_FALSE(folder.read("figures/tree/1.json")["nodes"].empty());
  expect_words(folder.text("report/index.html"), {"Attention over the source", "<svg"});

  const Outcome again = folder.run();
  EXPECT_EQ(again.status, 0) << again.said();
  expect_no_words(again.said(), {"step 1"});

  // A changed command of a test runs again from there; a changed training run starts again.
  std::string text = recipe_text("100u");
  text.replace(text.find("direct {system}"), 6, "direct --tokenized");
  folder.write(text);
  const Outcome changed = folder.run("--only words,corpus");
  EXPECT_EQ(changed.status, 0) << changed.said();
  expect_words(changed.said(), {"words: the command of step 2, translate test, has changed"});
  expect_no_words(changed.said(), {" words: step 1", "neural: step"});
  folder.write(recipe_text("20u"));
  const Outcome shorter = folder.run("--only neural,corpus");
  expect_words(shorter.said(), {"the run of the command before is kept in out/systems/neural/run.old"});
  expect_words(folder.text("report/results.md"), {" | 20 | "});
}

TEST(RecipeRun, GoesOnAfterItWasKilledAndGivesTheSameResults) {
  const std::string text = recipe_text("800u"), record = "systems/neural/steps/1.json";
  auto folder = std::make_unique<RecipeFolder>(text);
  for (;; folder = std::make_unique<RecipeFolder>(text)) {
    Background runner(*folder, "log", "neural,corpus");
    wait_until([&] { return folder->has("systems/neural/run/checkpoints"); });
    runner.end(SIGKILL);
    if (!folder->read(record)["finished"]) break;  // on a busy machine the signal may come too late
  }
  json before = folder->read(record);
  before["seconds"] = 7200;
  std::ofstream(folder->file(record)) << before;
  const Outcome outcome = folder->run("--only neural,corpus");
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  expect_words(outcome.said(), {"neural: finished after 2:00:"});
  const std::string log = folder->text("systems/neural/steps/1.log");
  EXPECT_NE(log.find("batches per epoch"), log.rfind("batches per epoch")) << log;
  const RecipeFolder whole(text);
  ASSERT_EQ(whole.run("--only neural,corpus").status, 0);
  for (const char* file : {"systems/neural/tests/test.txt", "systems/neural/tests/test.perplexity.json"})
    EXPECT_EQ(folder->text(file), whole.text(file)) << file;
}

TEST(RecipeRun, StopsSeveralSystemsInGoodOrderWhenItIsInterrupted) {
  const RecipeFolder folder(recipe_text("1Mu", "  other: {train: --until 1Mu --seed 2}\n"));
  Background runner(folder, "log", "neural,other,corpus");
  wait_until(
      [&] { return folder.has("systems/neural/run/checkpoints") && folder.has("systems/other/run/checkpoints"); });
  expect_words(folder.run().said(), {"another run of this recipe works in out"});
  EXPECT_EQ(runner.end(SIGINT), 128 + SIGINT);
  expect_words(read_all(folder.path() + "/log"),
               {"not finished: neural, other", "interrupted; the same command goes on from here", "report: "});
  for (const char* name : {"neural", "other"})
    expect_words(folder.text(std::string("systems/") + name + "/run/log.jsonl"), {"\"kind\":\"end\""});
  EXPECT_GT(folder.read("systems/neural/steps/1.json")["seconds"], 0);
}

TEST(RecipeRun, AFailingSystemDoesNotStopTheOthers) {
  const RecipeFolder folder(recipe_text("20u",
                                        "  broken: {train: --until 20u --source absent.en --target absent.de}\n"
                                        "  after: {train: \"--until 20u --from {systems/broken}/run/model\"}\n"));
  const Outcome outcome = folder.run("--only words,after,corpus --jobs 2");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(folder.has("systems/words/tests/test.json")) << outcome.said();
  EXPECT_FALSE(folder.has("systems/after"));
  expect_words(outcome.said(), {"broken: step 1 of 4, train, failed with status 1:\n  dragoman train", "absent.en",
                                "whole log: out/systems/broken/steps/1.log", "failed: broken", "not finished: after"});
}

TEST(RecipeRun, RefusesWhatCannotRunBeforeAnythingRuns) {
  const RecipeFolder folder(recipe_text("20u", "  wrong: {train: --untill 20u}\n"));
  expect_words(folder.run("--only words,wrong").said(), {"wrong: step 1, train, is not a valid command", "untill"});
  expect_words(folder.run("--only nural").said(), {"did you mean 'neural'?"});
  expect_words(folder.run("--only ,").said(), {"--only: expected names of systems or figures"});
  EXPECT_FALSE(folder.has("systems"));
  std::string text = recipe_text("20u");
  folder.write(text.insert(text.find("prepare:"), "groups:\n  small: {flags: {trian: --seed 1}}\n"));
  expect_words(folder.run().said(), {"unknown command 'trian'; did you mean 'train'?"});
  std::ofstream(folder.file("recipe.txt")) << "another\n";
  folder.write(recipe_text("20u"));
  expect_words(folder.run().said(), {"out holds results of the recipe another, not of mine (miniature)"});
}

TEST(RecipeRun, MeasuresTheFiguresThatAreAskedForIfTheirSystemsAreFinished) {
  const RecipeFolder folder(recipe_text("20u"));
  const Outcome outcome = folder.run("--only corpus,tree");
  EXPECT_EQ(outcome.status, 1) << outcome.said();
  EXPECT_TRUE(folder.has("figures/corpus/1.json"));
  EXPECT_FALSE(folder.has("figures/links"));
  EXPECT_FALSE(folder.has("systems"));
  expect_words(outcome.said(), {"figure tree is not measured: it needs neural; use --only neural,tree"});
}

// All that a run without downloads says, with the libraries that it loads.
TEST(RecipeRun, WithAllItsDataThereNeedsNoLibcurl) {
  const RecipeFolder folder(R"(title: A dictionary
data: corpus/*
systems:
  words: {steps: ["align {data}/corpus/en {data}/corpus/de --lexicon {system}/lexicon > {system}/links"]}
)");
  fs::create_directories(folder.path() + "/data/corpus");
  const std::string text = "the house\n";
  for (const char* side : {"en", "de"}) std::ofstream(folder.path() + "/data/corpus/" + side) << text;
  std::ofstream(folder.path() + "/recipes/data.yaml")
      << fmt::format("data: {{corpus: {{files: {{en: {0}, de: {0}}}}}}}\n", sha256_of(text));
  setenv("LD_DEBUG", "libs", 1);
  const Outcome outcome = folder.program("recipe run mine --output out");
  unsetenv("LD_DEBUG");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_TRUE(folder.has("systems/words/lexicon"));
  expect_words(outcome.err, {"libc.so"});
  expect_no_words(outcome.err, {"libcurl"});
}

TEST(RecipeActions, ADryRunPrintsCommandsAndRunsNothing) {
  const RecipeFolder folder(recipe_text("50u"));
  const Outcome outcome = folder.run("--dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  expect_words(outcome.out, {"\n# neural: neural\ndragoman train --allow-unused", "\n# figure tree\ndragoman translate",
                             "\n# comparison test.words\ndragoman evaluate"});
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
}

TEST(RecipeActions, ListNamesABrokenRecipeAndListsTheOthers) {
  const RecipeFolder folder(recipe_text("20u"));
  fs::create_directories(folder.path() + "/recipes/a-broken-one");
  std::ofstream(folder.path() + "/recipes/a-broken-one/recipe.yaml") << "systems: [";
  const Outcome outcome = folder.program("recipe list recipes");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "a-broken-one    cannot be read\nmine            Two small systems\n");
  expect_words(outcome.err, {"a-broken-one/recipe.yaml:1: not valid YAML"});
  expect_words(folder.program("recipe run mien").err, {"there is no recipe 'mien'; did you mean 'mine'?"});
  expect_words(folder.program("recipe list nowhere").err, {"nowhere: expected a folder of recipes"});
  expect_words(folder.program("recipe list runs/..").err, {"expected a folder of recipes"});
  expect_words(folder.program("recipe mine").err, {"there is no action 'mine'; expected run"});
}

// One of the recipes that come with the program; all of them run every night.
TEST(RecipeRun, TheMiniatureOfARecipeTakesSecondsAndNeedsNoData) {
  const TempFolder folder;
  const Outcome outcome =
      cli::run_program(folder, "recipe run '" DRAGOMAN_SOURCE "/recipes/presets' --miniature --output out --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  for (const char* name : {"seq2seq", "transformer-tiny", "smt-word"})
    EXPECT_TRUE(fs::exists(folder.file(std::string("out/systems/") + name + "/tests/test2016.json"))) << name;
  expect_no_words(read_all(folder.file("out/report/results.md")), {"not run yet"});
}

}  // namespace
}  // namespace dragoman::recipe

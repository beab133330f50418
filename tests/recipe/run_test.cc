// Whole recipes through the program, as users run them: two small systems on the phrasebook.
#include <algorithm>

#include "tests/recipe/recipe_folder.h"

namespace dragoman::recipe {
namespace {

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

TEST(RecipeRun, LeavesTheResultsOfAnotherRecipeAlone) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run().status, 0);
  std::ofstream(folder.path() + "/out/recipe.txt") << "another\n";
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("holds results of the recipe another"), std::string::npos) << outcome.said();
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
  EXPECT_EQ(outcome.said().find("began with it"), std::string::npos) << "nothing had begun\n" << outcome.said();
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
  outcome = folder.run("--only ,");
  EXPECT_NE(outcome.said().find("--only: expected names of systems or figures"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, RefusesFlagsForUnknownCommands) {
  std::string text = recipe_text("20u");
  text.insert(text.find("prepare:\n"), "groups:\n  small: {flags: {trian: --seed 1}}\n");
  const RecipeFolder folder(text);
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("groups: small: flags: unknown command 'trian'; did you mean 'train'?"),
            std::string::npos)
      << outcome.said();
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
  EXPECT_EQ(outcome.status, 1) << outcome.said();
  EXPECT_TRUE(folder.has("figures/corpus.json"));
  EXPECT_FALSE(folder.has("figures/links.json"));
  EXPECT_FALSE(folder.has("systems"));
  EXPECT_NE(outcome.said().find("figure tree needs neural; use --only neural,tree"), std::string::npos)
      << outcome.said();
  EXPECT_EQ(outcome.said().find("systems finished"), std::string::npos) << outcome.said();
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

TEST(RecipeRun, TheReportMarksSystemsThatOtherCommandsTrained) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run("--only words,neural,corpus").status, 0);
  EXPECT_EQ(folder.text("report/results.md").find("older commands"), std::string::npos);
  folder.write(recipe_text("30u"));
  ASSERT_EQ(folder.run("--only words,neural,corpus").status, 0);
  EXPECT_NE(folder.text("report/results.md").find("neural older commands"), std::string::npos);
  for (const char* file : {"report/results.md", "report/index.html"})
    EXPECT_NE(folder.text(file).find("trained by other commands than those of the recipe now"), std::string::npos)
        << file;
}

TEST(RecipeRun, ReportsTheOthersIfAResultIsDamaged) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run("--only words,neural,corpus").status, 0);
  const std::string result = folder.text("systems/neural/result.json");
  std::ofstream(folder.file("systems/neural/result.json")) << "{";
  fs::remove_all(folder.file("report"));
  const Outcome outcome = folder.run("--only words,neural,corpus");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("out/systems/neural/result.json: not a result of a recipe; remove it"),
            std::string::npos)
      << outcome.said();
  EXPECT_NE(folder.text("report/results.md").find("result damaged"), std::string::npos);
  EXPECT_NE(folder.status().out.find("neural  damaged: out/systems/neural/result.json"), std::string::npos)
      << folder.status().said();
  fs::remove(folder.file("systems/neural/result.json"));
  EXPECT_NE(folder.status().out.find("neural  interrupted after the last step"), std::string::npos)
      << folder.status().said();
  ASSERT_EQ(folder.run("--only words,neural,corpus").status, 0);
  EXPECT_EQ(folder.text("systems/neural/result.json"), result) << "collected again, not trained again";
}

TEST(RecipeRun, RefusesToMixResultsWithDataOrRecipe) {
  const RecipeFolder folder(recipe_text("20u"));
  for (const char* flags :
       {"--output corpora --data corpora/", "--output recipes/mine", "--output recipes/../recipes/mine"})
    for (const char* more : {"", " --dry-run"}) {
      const Outcome outcome = folder.program("recipe run mine --offline " + std::string(flags) + more);
      EXPECT_EQ(outcome.status, 1) << flags;
      EXPECT_NE(outcome.said().find("choose another one for the results"), std::string::npos) << outcome.said();
    }
  EXPECT_FALSE(fs::exists(folder.path() + "/recipes/mine/recipe.txt"));
}

TEST(RecipeRun, ARecipeWithFilesOfItsOwnSaysThatTheyAreMissing) {
  const RecipeFolder folder("systems:\n  a: {train: \"--source {data}/nope.en --target {data}/nope.de --until 1u\"}\n");
  Outcome outcome = folder.program("recipe run mine --data own --dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_NE(outcome.out.find("# file own/nope.en is missing; a reads it\n"), std::string::npos) << outcome.out;
  outcome = folder.run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("this recipe has no miniature"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, ComparesOnlySystemsThatHaveTranslatedTheTestSet) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run().status, 0);
  std::string text = recipe_text("30u");
  text.insert(text.find("systems:\n"),
              "  more: {source: \"{data}/corpus/test.en.gz\", reference: \"{data}/corpus/test.de.gz\"}\n");
  folder.write(text);
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_TRUE(folder.has("systems/words/tests/more.txt"));
  EXPECT_FALSE(folder.has("systems/neural/tests/more.txt")) << "it was trained by other commands";
  EXPECT_FALSE(folder.has("comparisons/more.json"));
}

TEST(RecipeRun, SumsUpComparisonsThatFailed) {
  const RecipeFolder folder(recipe_text("20u"));
  fs::create_directories(folder.file("comparisons/test.json"));  // in the way of the file
  const Outcome outcome = folder.run();
  EXPECT_EQ(outcome.status, 1) << outcome.said();
  EXPECT_NE(outcome.said().find("comparisons that failed: compare test with words"), std::string::npos)
      << outcome.said();
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

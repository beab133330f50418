// Actions that do not run a recipe: lists, dry runs, and what is neither.
#include "tests/recipe/recipe_folder.h"

namespace dragoman::recipe {
namespace {

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

TEST(RecipeActions, AFullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run("--only words").status, 0);
  const std::string report = "recipe report mine --miniature --output out";
  for (const std::string& words :
       std::vector<std::string>{report, "recipe list recipes", "recipe status mine --miniature --output out",
                                "recipe run mine --dry-run --miniature --output out"}) {
    const Outcome outcome = folder.program(words + " > /dev/full");
    EXPECT_EQ(outcome.status, 1) << words;
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << words << "\n" << outcome.said();
  }
  for (const char* file : {"report/index.html", "report/results.md"}) {
    const std::string before = folder.text(file);
    fs::remove(folder.file(file));
    fs::create_symlink("/dev/full", folder.file(file));
    for (const std::string& words :
         std::vector<std::string>{report, "recipe run mine --miniature --output out --only words"}) {
      const Outcome outcome = folder.program(words);
      EXPECT_EQ(outcome.status, 1) << words << " with a full " << file;
      EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.said();
    }
    fs::remove(folder.file(file));
    ASSERT_EQ(folder.program(report).status, 0);
    EXPECT_EQ(folder.text(file), before);
  }
}

}  // namespace
}  // namespace dragoman::recipe

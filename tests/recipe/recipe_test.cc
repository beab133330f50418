#include "recipe/recipe.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "recipe/plan.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

using support::message;

const std::string kSystems = "systems:\n  one: {train: --until 1u}\n";

std::string refusal(const std::string& text) {
  return message([&] { parse_recipe(text, "r/recipe.yaml", "r", {}); });
}

TEST(RecipeFile, RefusesUnknownKeysWithFileAndLine) {
  const std::string said = refusal(kSystems + "tests:\n  t: {source: a, reference: b, metric: bleu}\n");
  EXPECT_NE(said.find("r/recipe.yaml"), std::string::npos) << said;
  EXPECT_NE(said.find("(line 4): unknown key 'metric'; did you mean 'metrics'?"), std::string::npos) << said;
}

TEST(RecipeFile, RefusesUnknownNames) {
  EXPECT_NE(refusal(kSystems + "tables: [{title: t, baseline: on}]\n").find("no system 'on'"), std::string::npos);
  EXPECT_NE(refusal("systems:\n  a: {train: x, group: g}\n").find("no group 'g'"), std::string::npos);
  EXPECT_NE(refusal(kSystems + "miniature: {systems: [two]}\n").find("no system 'two'"), std::string::npos);
}

TEST(RecipeFile, RefusesNamesThatCannotBeFiles) {
  EXPECT_NE(refusal("systems:\n  a b: {train: x}\n").find("'a b' cannot be a name"), std::string::npos);
  EXPECT_NE(refusal("systems:\n  ../a: {train: x}\n").find("cannot be a name"), std::string::npos);
}

TEST(RecipeFile, SystemsTrainOrHaveSteps) {
  EXPECT_NE(refusal("systems:\n  a: {title: x}\n").find("expected either 'train'"), std::string::npos);
  EXPECT_NE(refusal("systems:\n  a: {train: x, steps: [y]}\n").find("expected either 'train'"), std::string::npos);
  EXPECT_TRUE(parse_recipe("systems:\n  a: {steps: []}\n", "r", "r", {}).systems[0].steps.empty());
}

TEST(RecipeFile, SystemsComeAfterThoseTheyNeed) {
  const std::string said = refusal("systems:\n  a: {train: x, needs: [b]}\n  b: {train: y}\n");
  EXPECT_NE(said.find("'b', which must come before it"), std::string::npos) << said;
}

TEST(RecipeFile, TheExamplesOfTheDocumentationCanBePlanned) {
  const std::string page = support::read_all(DRAGOMAN_SOURCE "/docs/howto/run-a-recipe.md"), fence = "```yaml\n";
  std::vector<Plan> plans;
  for (std::size_t begin = 0; (begin = page.find(fence, begin)) != std::string::npos;) {
    begin += fence.size();
    const Recipe recipe = parse_recipe(page.substr(begin, page.find("```", begin) - begin), "page", "example", {});
    plans.push_back(make_plan(recipe, {"out"}, {.data = "data", .device = {}, .precision = {}}));
  }
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[0].systems.size(), 2U);
  EXPECT_EQ(plans[0].figures.size(), 1U);
  ASSERT_EQ(plans[1].systems.size(), 2U);
  EXPECT_EQ(plans[1].systems[1].model_steps, 3U) << "two corpora are translated back";
}

TEST(RecipeFile, RefusesValuesThatNothingMeasures) {
  const std::string test = "tests:\n  t: {source: a, reference: b, metrics: [bleu]}\n";
  const auto column = [](const std::string& value) { return "tables: [{title: x, columns: {" + value + ": y}}]\n"; };
  EXPECT_NE(refusal(kSystems + test + column("t.blue")).find("does not measure 'blue'"), std::string::npos);
  EXPECT_NE(refusal(kSystems + test + column("u.bleu")).find("no test set 'u'"), std::string::npos);
  EXPECT_NE(refusal(kSystems + test + column("bleu")).find("no value 'bleu'"), std::string::npos);
  EXPECT_NE(refusal(kSystems + test + "tables: [{title: x, columns: {t.bleu: {digits: 99}}}]\n").find("from 0 to 10"),
            std::string::npos);
}

void expect_refusal(const std::string& text, const std::string& words) {
  const std::string said = refusal(text);
  EXPECT_NE(said.find(words), std::string::npos) << text << "\nsaid: " << said;
}

TEST(RecipeFile, RefusesUnknownMetrics) {
  const auto test = [](const std::string& metrics) {
    return kSystems + "tests:\n  t: {source: a, reference: b, metrics: [" + metrics + "]}\n";
  };
  expect_refusal(test("bleu, blue"), "(line 4): there is no metric 'blue'; did you mean 'bleu'?");
  expect_refusal(test("blue") + "tables: [{title: x, columns: {t.bleu: y}}]\n", "no metric 'blue'");
  for (const char* known : {"bleu", "chrf", "chrfpp", "ter", "nltk-bleu", "multi-bleu"})
    EXPECT_NO_THROW(parse_recipe(test(known), "r", "r", {})) << known;
}

TEST(RecipeFile, RefusesFiguresOfWhatNothingMeasures) {
  const std::string before = kSystems + "tests:\n  t: {source: a, reference: b}\nfigures:\n  f: ";
  expect_refusal(before + "{kind: curves, value: nix.nix}\n", "f (line 6): there is no curve 'nix.nix'");
  EXPECT_TRUE(
      refusal(before + "{kind: bars, value: t.nix}\n").starts_with("r/recipe.yaml (line 1): figures: f (line 6): "));
  expect_refusal(before + "{kind: curves}\n", "there is no curve ''");
  expect_refusal(before + "{kind: curves, value: train.nul}\n", "did you mean 'train.nll'?");
  expect_refusal(before + "{kind: curves, value: validation.blue}\n", "did you mean 'bleu'?");
  expect_refusal(before + "{kind: curves, value: train.nll, x: weeks}\n", "there is no x 'weeks'");
  expect_refusal(before + "{kind: bars, value: t.nix}\n", "does not measure 'nix'");
  expect_refusal(before + "{kind: bars, value: train.second}\n", "did you mean 'train.seconds'?");
  EXPECT_NO_THROW(parse_recipe(before + "{kind: curves, value: validation.bleu.en-de, x: epoch}\n", "r", "r", {}));
}

TEST(RecipeFile, RefusesKeysThatAKindOfFigureDoesNotUse) {
  const std::string before = kSystems + "figures:\n  f: ";
  expect_refusal(before + "{kind: curves, value: train.nll, gold: x}\n",
                 "a figure of kind curves does not use 'gold'; it has value, x, logarithmic");
  expect_refusal(before + "{kind: bars, value: train.loss, sentence: 2}\n", "does not use 'sentence'");
  expect_refusal(before + "{kind: curves, value: train.nll, golden: x}\n", "unknown key 'golden'");
}

TEST(RecipeFile, NamesAnUnknownKeyBeforeAMissingOne) {
  expect_refusal("systems:\n  a: {trian: --seed 1}\n", "(line 2): unknown key 'trian'; did you mean 'train'?");
  expect_refusal(kSystems + "tests:\n  t: {source: a, refrence: b}\n", "did you mean 'reference'?");
}

TEST(RecipeFile, NamesKeyAndLineOfAValueOfTheWrongType) {
  expect_refusal(kSystems + "tests:\n  t: {source: a, reference: b, metrics: {a: b}}\n",
                 "(line 4): 'metrics' must be a list of texts");
  expect_refusal(kSystems + "data: {a: b}\n", "'data' must be a list of texts");
  expect_refusal("systems:\n  a: {steps: {x: y}}\n", "steps (line 2): expected a text or a list of texts");
  expect_refusal("systems:\n  a: {train: x}\n  b: {train: x, needs: {a: c}}\n", "needs (line 3): expected a text");
}

TEST(RecipeFile, SuggestsOnlyNamesThatAreAlike) {
  expect_refusal("systems:\n  a: {train: x}\n  b: {train: x, needs: zz}\n", "there is no system 'zz' in this recipe");
  EXPECT_EQ(refusal("systems:\n  a: {train: x}\n  b: {train: x, needs: zz}\n").find("did you mean"), std::string::npos);
}

TEST(RecipeFile, SaysThatThereIsNoDeclarationOfItsData) {
  expect_refusal(kSystems + "data: corpus/*\n", "there is no data.yaml");
}

TEST(RecipeFile, RefusesRepeatedKeysAndDotsInNames) {
  EXPECT_NE(refusal("systems:\n  a: {train: x}\n  a: {train: y}\n").find("'a' is given twice"), std::string::npos);
  EXPECT_NE(refusal(kSystems + "tests:\n  t.x: {source: a, reference: b}\n").find("'t.x' cannot be a name"),
            std::string::npos);
  EXPECT_NE(refusal("systems:\n  a: {train: x, year: soon}\n").find("(line 2): 'year'"), std::string::npos);
}

TEST(RecipeFile, IsARegularFile) {
  const support::TempFolder folder;
  std::filesystem::create_directory(folder.file("endless"));
  std::filesystem::create_symlink("/dev/zero", folder.file("endless/recipe.yaml"));
  EXPECT_NE(support::message([&] { read_recipe(folder.file("endless")); }).find("expected a regular file"),
            std::string::npos);
}

TEST(RecipeFile, ReportsInvalidYamlWithItsLine) {
  EXPECT_NE(refusal("systems:\n  a: {train: x\n").find("not valid YAML"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::recipe

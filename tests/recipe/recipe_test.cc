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

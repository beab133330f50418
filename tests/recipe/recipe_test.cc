#include "recipe/recipe.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "recipe/plan.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

using support::message;
using Names = std::vector<std::string>;

const std::string kSystems = "systems:\n  one: {train: --until 1u}\n";

Recipe parsed(const std::string& text) { return parse_recipe(text, "r/recipe.yaml", "r", {}); }

void expect_refusal(const std::string& text, const std::string& words) {
  const std::string said = message([&] { parsed(text); });
  EXPECT_NE(said.find(words), std::string::npos) << text << "\nsaid: " << said;
}

TEST(RecipeFile, RefusesUnknownKeysAndNamesWithFileAndLine) {
  expect_refusal(kSystems + "tests:\n  t: {source: a, reference: b, metric: bleu}\n",
                 "t (line 4): unknown key 'metric'; did you mean 'metrics'?");
  expect_refusal("systems:\n  a: {trian: --seed 1}\n", "(line 2): unknown key 'trian'; did you mean 'train'?");
  expect_refusal("systems:\n  a: {train: x, group: g}\n", "(line 2): there is no group 'g'");
  expect_refusal(kSystems + "tables: [{title: t, baseline: on}]\n",
                 "no system 'on' in this recipe; did you mean 'one'?");
  expect_refusal(kSystems + "miniature: {systems: [two]}\n", "no system 'two'");
  expect_refusal(kSystems + "tests:\n  t: {source: a, reference: b, metrics: [blue]}\n", "did you mean 'bleu'?");
  expect_refusal(kSystems + "data: corpus/*\n", "there is no data.yaml");
  expect_refusal("systems: [", "not valid YAML");
}

TEST(RecipeFile, RefusesValuesOfTheWrongShape) {
  expect_refusal(kSystems + "data: {a: b}\n", "'data': expected a list");
  expect_refusal("systems:\n  a: {train: x, year: soon}\n", "(line 2): 'year'");
  expect_refusal("systems:\n  a: {train: x, published: {t.bleu: [1]}}\n", "published");
  expect_refusal(kSystems + "figures:\n  f: {kind: tree, sentence: -3}\n", "must be from 1 to");
  expect_refusal(kSystems + "figures:\n  f: {kind: pie}\n", "expected one of curves|bars");
  expect_refusal("systems:\n  a: {title: x}\n", "expected either 'train'");
  expect_refusal("systems:\n  a: {train: x, steps: [y]}\n", "expected either 'train'");
  expect_refusal("systems: {}\n", "has no systems");
}

TEST(RecipeFile, RefusesNamesThatCannotBeFiles) {
  for (const char* name : {"a b", "../a", "a.b"})
    expect_refusal("systems:\n  " + std::string(name) + ": {train: x}\n", "cannot be a name");
  for (const char* path : {"../a", "/a", "a/../../b"}) {
    const std::string text = "data:\n  f:\n    files:\n      " + std::string(path) + ": " + std::string(64, '0') + "\n";
    EXPECT_NE(message([&] { parse_data(text, "data.yaml"); }).find("does not lead out"), std::string::npos) << path;
  }
}

TEST(RecipeFile, RefusesColumnsThatNothingMeasures) {
  const std::string test = "tests:\n  t: {source: a, reference: b, metrics: [bleu]}\n";
  const auto column = [](const std::string& value) { return "tables: [{title: x, columns: {" + value + ": y}}]\n"; };
  expect_refusal(kSystems + test + column("t.blue"), "there is no value 't.blue'");
  expect_refusal(kSystems + test + column("u.bleu"), "no test set 'u'");
  expect_refusal(kSystems + test + column("bleu"), "no value 'bleu'");
  expect_refusal(kSystems + test + "figures:\n  f: {kind: bars, value: train.second}\n",
                 "f (line 6): there is no value");
  EXPECT_NO_THROW(parsed(kSystems + test + column("model.bytes")));
}

TEST(RecipeFile, SelectsTestSetsAndSystemsByPatterns) {
  const Recipe recipe = parsed(R"(
tests:
  en-a: {source: a, reference: b}
  de-a: {source: a, reference: b}
  en-b: {source: a, reference: b}
groups:
  g: {tests: en-*}
systems:
  x-1: {train: x}
  y: {train: x, group: g}
  x-2: {train: x, tests: "*-a"}
tables: [{title: t, systems: [y, x-*]}]
)");
  EXPECT_EQ(recipe.systems[0].tests, (Names{"en-a", "de-a", "en-b"}));
  EXPECT_EQ(recipe.systems[1].tests, (Names{"en-a", "en-b"}));
  EXPECT_EQ(recipe.systems[2].tests, (Names{"en-a", "de-a"}));
  EXPECT_EQ(recipe.tables[0].systems, (Names{"y", "x-1", "x-2"}));
}

TEST(RecipeFile, WritesTextsAndLanguagesOut) {
  const Recipe recipe = parsed(R"(
texts:
  pair: "--source a.{from} --target a.{to}"
  all: [--until 1u, "{pair}"]
groups:
  en-de: {from: en, to: de, flags: {train: "{all}"}}
systems:
  back: {group: en-de, train: "--from {systems/{to}-{from}}/m"}
  other: {train: "{pair}"}
)");
  EXPECT_EQ(recipe.groups[0].flags[0].second, "--until 1u --source a.en --target a.de");
  EXPECT_EQ(recipe.systems[0].steps[0], "train --from {systems/de-en}/m");
  EXPECT_EQ(recipe.systems[1].steps[0], "train --source a.{from} --target a.{to}") << "left to the test set";
}

TEST(RecipeFile, TextsDoNotFillTheMemory) {
  std::string texts = "texts:\n  l0: " + std::string(100, 'x') + "\n";
  for (int i = 1; i < 30; ++i) texts += fmt::format("  l{}: \"{{l{}}}{{l{}}}\"\n", i, i - 1, i - 1);
  expect_refusal(texts + kSystems, "more than 65536 bytes");
}

TEST(RecipeFile, IsARegularFile) {
  const support::TempFolder folder;
  std::filesystem::create_directory(folder.file("endless"));
  std::filesystem::create_symlink("/dev/zero", folder.file("endless/recipe.yaml"));
  EXPECT_THROW(read_recipe(folder.file("endless")), Error);
  EXPECT_NE(message([&] { read_recipe(folder.file("none")); }).find("there is no recipe here"), std::string::npos);
}

TEST(RecipeFile, TheExampleOfTheDocumentationCanBePlanned) {
  const std::string page = support::read_all(DRAGOMAN_SOURCE "/docs/howto/run-a-recipe.md"), fence = "```yaml\n";
  const std::size_t begin = page.find(fence) + fence.size();
  const Recipe recipe = parsed(page.substr(begin, page.find("```", begin) - begin));
  const Plan plan = make_plan(recipe, {"out"}, {.data = "data", .device = {}, .precision = {}});
  EXPECT_EQ(plan.systems.size(), 2U);
  EXPECT_EQ(plan.figures.size(), 1U);
}

// The miniatures run every night; here, every recipe is read and planned.
TEST(RecipeFile, AllRecipesThatComeWithTheProgramCanBePlanned) {
  const std::string recipes = DRAGOMAN_SOURCE "/recipes";
  for (const std::string& name : recipes_in(recipes)) {
    const Recipe recipe = read_recipe(recipes + "/" + name);
    for (const bool is_miniature : {false, true}) {
      const PlanOptions options{.data = "d", .device = {}, .precision = {}, .threads = 0, .miniature = is_miniature};
      EXPECT_EQ(make_plan(recipe, {"out"}, options).systems.size(), recipe.systems.size()) << name;
    }
  }
}

}  // namespace
}  // namespace dragoman::recipe

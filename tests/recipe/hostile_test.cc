// Recipes that are broken or meant to do harm: refused with a sentence before anything runs.
#include <gtest/gtest.h>

#include "recipe/comparison_plan.h"
#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

// What reading and planning the recipe complains about; empty: nothing.
std::string complaint(const std::string& text, const std::string& data = "corpora") {
  const std::string said = support::message([&] {
    const Recipe recipe = parse_recipe(text, "recipe.yaml", "mine", {});
    const Folder folder{"out"};
    const PlanOptions options{.data = data, .device = {}, .precision = {}};
    const Plan plan = make_plan(recipe, folder, options);
    plan_comparisons(recipe, folder, options, translated_tests(recipe, folder, plan));
  });
  return said == "nothing was thrown" ? "" : said;
}

std::string one_system(const std::string& keys) { return "systems:\n  a: {" + keys + "}\n"; }

constexpr const char* kTest = "tests:\n  t: {source: x, reference: y}\n";

void expect_refused(const std::string& text, const std::string& words) {
  const std::string said = complaint(text);
  EXPECT_NE(said.find(words), std::string::npos) << text.substr(0, 500) << "\nsaid: " << said;
  EXPECT_LT(said.size(), 2000U) << "a message quotes at most some lines";
}

TEST(HostileRecipe, WritesOnlyBelowItsOutputFolder) {
  for (const char* step :
       {"vocab x --output /etc/passwd", "vocab x --output=/etc/passwd", "vocab x --output {system}/../../../x",
        "vocab x > /tmp/x", "stats x > ../x", "align a b --lexicon elsewhere/lexicon", "align a b --save x",
        "filter a b --output-source x --output-target {work}/y", "phrasebook --out x", "score --alignments /dev/sda",
        "translate --tree x", "train --cache /tmp/x", "train --statistical.write-arpa ../x"})
    expect_refused(one_system("steps: [\"" + std::string(step) + "\"]"), "below the output folder");
  for (const char* step : {"vocab x --output {work}/v", "vocab x > {system}/v", "tokenize x --output -"})
    EXPECT_EQ(complaint(one_system("steps: [\"" + std::string(step) + "\"]")), "") << step;
  expect_refused("flags: {vocab: --output x}\n" + one_system("steps: [vocab y]"), "below the output folder");
  expect_refused(one_system("train: --output {work}/../../x"), "recipe.yaml");
}

TEST(HostileRecipe, LeavesTheDataAlone) {
  const std::string text = one_system("steps: [\"vocab x --output {data}/train.en\"]");
  EXPECT_NE(complaint(text, "out/data").find("in the folder of the data"), std::string::npos);
  EXPECT_EQ(complaint(one_system("steps: [\"vocab x --output {work}/v\"]"), "."), "") << "results beside the data";
}

TEST(HostileRecipe, MakesAndDeclaresFilesOnlyBelowTheirFolders) {
  for (const char* file : {"../x", "/etc/x", "a/../../x", "\"\""})
    expect_refused("prepare:\n- {command: vocab x, makes: [" + std::string(file) + "]}\n" + one_system("train: x"),
                   "does not lead out of its folder");
  expect_refused("miniature: {files: {\"*\": ../../secret}}\n" + one_system("train: x"), "lead out of its folder");
  const std::string digest(64, '0');
  for (const std::string& data :
       {"data:\n  ../up:\n    files: {x: " + digest + "}\n", "data:\n  a:\n    files: {../../x: " + digest + "}\n",
        "data:\n  /etc:\n    files: {passwd: " + digest + "}\n"})
    EXPECT_NE(support::message([&] { parse_data(data, "data.yaml"); }).find("lead out of its folder"),
              std::string::npos)
        << data;
}

TEST(HostileRecipe, RunsNoRecipesAndReadsNoFlagsFromFiles) {
  expect_refused(one_system("steps: [recipe run mine]"), "a recipe cannot run the command 'recipe'");
  expect_refused(one_system("train: --config x.yaml"), "instead of --config");
  expect_refused(one_system("steps: [\"stats x; rm -rf /\"]"), "not run by a shell");
  expect_refused(one_system("steps: [\"stats $(id)\"]"), "not run by a shell");
}

TEST(HostileRecipe, PlaceholdersDoNotReferToThemselves) {
  expect_refused(one_system("train: x, model: \"{model}\", score: \"\"") + kTest, "unknown placeholder {model}");
  expect_refused(one_system("train: x") + "tests:\n  t: {source: \"{input}\", reference: y}\n",
                 "unknown placeholder {input}");
  expect_refused(one_system("train: \"{systems/a/..}\""), "there is no system 'a/..'");
}

TEST(HostileRecipe, SystemsDoNotNeedEachOther) {
  expect_refused(one_system("train: x, needs: a"), "must come before it");
  expect_refused("systems:\n  a: {train: x, needs: b}\n  b: {train: x, needs: a}\n", "must come before it");
  expect_refused("systems:\n  a: {train: \"{systems/b}\"}\n  b: {train: \"{systems/a}\"}\n", "must come before it");
}

TEST(HostileRecipe, NamesAreShortAndWithoutSlashes) {
  for (const std::string& name : {std::string("a/b"), std::string(".."), std::string(101, 'x'), std::string("\"\"")})
    for (const std::string& text : {"systems:\n  " + name + ": {train: x}\n",
                                    one_system("train: x") + "tests:\n  " + name + ": {source: a, reference: b}\n",
                                    one_system("train: x") + "figures:\n  " + name + ": {kind: curves}\n",
                                    one_system("train: x") + "groups:\n  " + name + ": {title: x}\n"})
      expect_refused(text, "cannot be a name");
}

std::string many(const std::string& key, int count, const std::string& entry) {
  std::string text = key + ":\n";
  for (int i = 0; i < count; ++i) text += "  n" + std::to_string(i) + ": " + entry + "\n";
  return text;
}

TEST(HostileRecipe, CountsAreLimited) {
  expect_refused(many("systems", 201, "{train: x}"), "at most 200 systems");
  expect_refused(one_system("train: x") + many("tests", 201, "{source: a, reference: b}"), "at most 200 test sets");
  expect_refused(many("systems", 200, "{train: x}") + many("tests", 200, "{source: a, reference: b}"),
                 "more than 10000 commands");
  std::string values = "figures:\n  f: {kind: sweep, test: t, values: [";
  for (int i = 0; i < 5000; ++i) values += "1,";
  expect_refused(one_system("train: x") + kTest + values + "1], rows: {a: x, b: x, c: x, d: x, e: x}}\n",
                 "more than 10000 commands");
  expect_refused(one_system("train: x") + "miniature: {sentences: 1000000000000}\n", "from 1 to 100000");
  expect_refused(one_system("train: x") + "miniature: {sentences: 0}\n", "from 1 to 100000");
  expect_refused(one_system("train: x") + "figures:\n  f: {kind: tree, sentence: -3}\n", "counts from 1");
  expect_refused(one_system("train: x") + "tests:\n  t: {source: a, reference: b, attention: 2000000000}\n",
                 "from 0 to 10000");
  expect_refused(one_system("train: x, seed: 99999999999999999999"), "recipe.yaml");
}

}  // namespace
}  // namespace dragoman::recipe

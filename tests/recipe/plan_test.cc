#include "recipe/comparison_plan.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

using support::message;

// A recipe with two systems; `more` is added at the end.
std::string two_systems(const std::string& more = "") {
  return R"(title: Two systems
flags:
  train: --source {data}/a
  evaluate: --bleu.lowercase
groups:
  small:
    flags: {train: --model.size 4}
tests:
  news: {source: "{data}/news.en", reference: "{work}/news.de", to: de, perplexity: true, attention: 3}
systems:
  one: {group: small, train: --until 3u, seed: 7}
  two:
    steps: ["average {systems/one}/run/model.safetensors --output {system}/mean"]
    model: "{system}/mean"
    translate: direct {model} {input} --to {to}
    score: ""
tables:
- {title: All, baseline: one, columns: {news.bleu: BLEU}}
miniature:
  flags: {train: --until 1u --threads 1}
)" + more;
}

Recipe parsed(const std::string& text) { return parse_recipe(text, "recipe.yaml", "mine", {}); }

const PlanOptions kPlain{.data = "corpora", .device = {}, .precision = {}};

Plan planned(const std::string& text, const PlanOptions& options = kPlain,
             const std::vector<std::string>& chosen = {}) {
  return make_plan(parsed(text), {"out"}, options, chosen);
}

TEST(RecipePlan, OrdersFlagsFromTheRecipeToTheRun) {
  const PlanOptions options{.data = "corpora", .device = "cuda", .precision = "bf16", .threads = 2};
  const Step train = planned(two_systems(), options).systems[0].steps[0];
  EXPECT_EQ(
      show(train.command),
      "dragoman train --source corpora/a --model.size 4 --until 3u --output out/systems/one/run --resume --seed 7 "
      "--allow-unused --device cuda --precision bf16 --threads 2 --cache out/work/cache");
  EXPECT_EQ(train.run, "out/systems/one/run");
}

TEST(RecipePlan, LeavesCommandsOnTheDeviceTheyName) {
  const PlanOptions options{.data = "corpora", .device = "cuda", .precision = {}, .threads = 0};
  const std::string recipe =
      "title: x\nsystems:\n  a: {steps: [\"translate --device cpu --model m --output {system}/o\"]}\n";
  EXPECT_EQ(show(planned(recipe, options).systems[0].steps[0].command),
            "dragoman translate --device cpu --model m --output out/systems/a/o --allow-unused");
}

TEST(RecipePlan, RecordsCommandsWithoutThisMachine) {
  const PlanOptions here{.data = "corpora", .device = "cuda", .precision = {}, .threads = 2};
  const PlanOptions there{.data = "/mnt/data", .device = {}, .precision = {}, .threads = 0};
  const std::vector<Job> a = planned(two_systems(), here).systems, b = planned(two_systems(), there).systems;
  for (std::size_t system = 0; system < a.size(); ++system)
    for (std::size_t step = 0; step < a[system].steps.size(); ++step)
      EXPECT_EQ(a[system].steps[step].recorded, b[system].steps[step].recorded);
  EXPECT_EQ(a[0].steps[0].recorded,
            "dragoman train --source {data}/a --model.size 4 --until 3u --output {system}/run --resume --seed 7");
}

TEST(RecipePlan, TestsEverySystemAfterItsModelIsMade) {
  const Job job = planned(two_systems()).systems[0];
  std::vector<std::string> titles;
  for (const Step& step : job.steps) titles.push_back(step.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"train", "translate news", "evaluate news", "score news", "attention news"}));
  EXPECT_EQ(job.model_steps, 1U);
  EXPECT_EQ(show(job.steps[2].command),
            "dragoman evaluate --bleu.lowercase out/systems/one/tests/news.txt out/work/news.de --metrics bleu,chrf "
            "--confidence --json --allow-unused > out/systems/one/tests/news.json");
  EXPECT_EQ(job.steps[4].excerpt.source, "corpora/news.en");
  EXPECT_EQ(job.steps[4].excerpt.lines, 3);
}

TEST(RecipePlan, TestSetsHaveFlagsForTranslation) {
  const std::string recipe =
      "title: x\nflags: {translate: --beam 1}\ntests:\n  beam: {source: a, reference: b, translate: --beam 5}\n"
      "systems:\n  s: {train: x}\n  other: {steps: [], translate: \"align {input}\", score: \"\"}\n";
  const std::vector<Job> jobs = planned(recipe).systems;
  EXPECT_EQ(jobs[0].steps[1].recorded,
            "dragoman translate --beam 1 --model {system}/run/model.safetensors --input a --output "
            "{system}/tests/beam.txt --beam 5");
  EXPECT_EQ(jobs[1].steps[0].recorded, "dragoman align a > {system}/tests/beam.txt");
}

TEST(RecipePlan, SystemsNeedThoseWhoseFilesTheyRead) {
  const Job job = planned(two_systems()).systems[1];
  EXPECT_EQ(job.needs, (std::vector<std::string>{"one"}));
  EXPECT_EQ(
      show(job.steps[1].command),
      "dragoman direct out/systems/two/mean corpora/news.en --to de --allow-unused > out/systems/two/tests/news.txt");
  EXPECT_EQ(planned(two_systems(), kPlain, {"two"}).systems.size(), 2U);
}

TEST(RecipePlan, TrainingRunsStayInTheFolderOfTheirSystem) {
  EXPECT_THROW(planned("systems:\n  a: {train: --output elsewhere}\n"), Error);
  EXPECT_THROW(planned("systems:\n  a: {train: \"--output {system}/../b\"}\n"), Error);
  EXPECT_EQ(planned("systems:\n  a: {train: \"--output {system}/own\"}\n").systems[0].steps[0].run,
            "out/systems/a/own");
}

TEST(RecipePlan, SystemsComeAfterThoseWhoseFilesTheyUse) {
  EXPECT_THROW(planned("systems:\n  a: {train: \"--from {systems/b}/m\"}\n  b: {train: x}\n"), Error);
  EXPECT_THROW(planned("systems:\n  a: {train: x, score: \"score {systems/b}/m\"}\n  b: {train: x}\n"), Error);
}

TEST(RecipePlan, MiniatureFlagsReplaceThoseOfTheRecipe) {
  const PlanOptions small{.data = "corpora", .device = {}, .precision = {}, .threads = 2, .miniature = true};
  EXPECT_EQ(show(planned(two_systems(), small).systems[0].steps[0].command),
            "dragoman train --source corpora/a --model.size 4 --output out/systems/one/run --resume --seed 7 "
            "--allow-unused --cache out/work/cache --until 1u --threads 1");
}

TEST(RecipePlan, MiniatureFlagsLeaveTheStructureOfATunedModelAlone) {
  const PlanOptions small{.data = "corpora", .device = {}, .precision = {}, .threads = 0, .miniature = true};
  const std::string text =
      "systems:\n  a: {train: --from m --until 9u}\n"
      "miniature: {flags: {train: --model.size 4 --until 1u --vocab.size=9 --vocab.shared --seed 2}}\n";
  EXPECT_EQ(planned(text, small).systems[0].steps[0].recorded,
            "dragoman train --from m --output {system}/run --resume --until 1u --seed 2");
}

TEST(RecipePlan, RefusesUnknownPlaceholdersWithFileAndLine) {
  const std::string wrong = two_systems() + "figures:\n  f: {kind: statistics, rows: {a: \"stats {dta}/x\"}}\n";
  const std::string said = message([&] { planned(wrong); });
  EXPECT_NE(said.find("recipe.yaml (line 1): figures: f (line 22): unknown placeholder {dta}; did you mean {data}?"),
            std::string::npos)
      << said;
}

TEST(RecipePlan, RefusesTwoTrainingRunsInOneFolder) {
  std::string text = two_systems();
  const std::string step = "average {systems/one}/run/model.safetensors --output {system}/mean";
  text.replace(text.find(step), step.size(), "train --until 1u\", \"train --until 2u");
  const std::string said = message([&] { planned(text); });
  EXPECT_NE(said.find("two training runs write to out/systems/two/run"), std::string::npos) << said;
}

TEST(RecipePlan, ComparesFinishedSystemsWithTheBaseline) {
  const Recipe recipe = parsed(two_systems());
  const Job job = plan_comparisons(recipe, {"out"}, kPlain, {{"one", {"news"}}, {"two", {"news"}}});
  ASSERT_EQ(job.steps.size(), 1U);
  EXPECT_EQ(show(job.steps[0].command),
            "dragoman evaluate --bleu.lowercase out/systems/one/tests/news.txt out/work/news.de --systems "
            "out/systems/two/tests/news.txt --metrics bleu,chrf --test bootstrap --json --allow-unused > "
            "out/comparisons/news.json");
  EXPECT_TRUE(plan_comparisons(recipe, {"out"}, kPlain, {{"two", {"news"}}}).steps.empty());
  EXPECT_TRUE(plan_comparisons(recipe, {"out"}, kPlain, {{"one", {"news"}}, {"two", {}}}).steps.empty())
      << "one of them lacks the test set";
}

}  // namespace
}  // namespace dragoman::recipe

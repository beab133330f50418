#include "recipe/plan.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

using support::message;
using Names = std::vector<std::string>;

const std::string kTwoSystems = R"(title: Two systems
flags:
  train: --source {data}/a
  evaluate: --bleu.lowercase
groups:
  small:
    flags: {train: --model.size 4}
tests:
  news: {source: "{data}/news.en", reference: "{work}/news.de", to: de, perplexity: true}
systems:
  one: {group: small, train: --until 3u --seed 7}
  two:
    steps: ["average {systems/one}/run/model.safetensors --output {system}/mean"]
    model: "{system}/mean"
    translate: direct {model} {input} --to {to}
    score: ""
tables:
- {title: All, baseline: one, columns: {news.bleu: BLEU}}
miniature:
  flags: {train: --until 1u --threads 1}
)";

const PlanOptions kPlain{.data = "corpora", .device = {}, .precision = {}};

Plan planned(const std::string& text, const PlanOptions& options = kPlain, const Names& chosen = {}) {
  return make_plan(parse_recipe(text, "recipe.yaml", "mine", {}), {"out"}, options, chosen);
}

TEST(RecipePlan, OrdersFlagsFromThisMachineToTheCommand) {
  const PlanOptions options{.data = "corpora", .device = "cuda", .precision = "bf16", .threads = 2};
  const Step train = planned(kTwoSystems, options).systems[0].steps[0];
  EXPECT_EQ(show(train.command),
            "dragoman train --allow-unused --device cuda --precision bf16 --threads 2 --cache out/work/cache --source "
            "corpora/a --model.size 4 --until 3u --seed 7 --output out/systems/one/run --resume");
  EXPECT_EQ(train.run, "out/systems/one/run");
}

TEST(RecipePlan, RecordsCommandsWithoutThisMachine) {
  const PlanOptions here{.data = "corpora", .device = "cuda", .precision = {}, .threads = 2};
  const PlanOptions there{.data = "/mnt/data", .device = {}, .precision = {}, .threads = 0};
  const std::vector<Job> a = planned(kTwoSystems, here).systems, b = planned(kTwoSystems, there).systems;
  for (std::size_t system = 0; system < a.size(); ++system)
    for (std::size_t step = 0; step < a[system].steps.size(); ++step)
      EXPECT_EQ(a[system].steps[step].recorded, b[system].steps[step].recorded);
  EXPECT_EQ(a[0].steps[0].recorded,
            "dragoman train --source {data}/a --model.size 4 --until 3u --seed 7 --output {system}/run --resume");
}

TEST(RecipePlan, TestsEverySystemAfterItsModelIsMade) {
  const Job job = planned(kTwoSystems).systems[0];
  Names titles;
  for (const Step& step : job.steps) titles.push_back(step.title);
  EXPECT_EQ(titles, (Names{"train", "translate news", "evaluate news", "score news"}));
  EXPECT_EQ(show(job.steps[2].command),
            "dragoman evaluate --allow-unused --bleu.lowercase out/systems/one/tests/news.txt out/work/news.de "
            "--metrics bleu,chrf --confidence --json > out/systems/one/tests/news.json");
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
  const Job job = planned(kTwoSystems).systems[1];
  EXPECT_EQ(job.needs, Names{"one"});
  EXPECT_EQ(show(job.steps[1].command),
            "dragoman direct --allow-unused out/systems/two/mean corpora/news.en --to de > "
            "out/systems/two/tests/news.txt");
  EXPECT_EQ(planned(kTwoSystems, kPlain, {"tw*"}).systems.size(), 2U);
  EXPECT_EQ(planned(kTwoSystems, kPlain, {"one"}).systems.size(), 1U);
  EXPECT_THROW(planned("systems:\n  a: {train: \"--from {systems/b}/m\"}\n  b: {train: x}\n"), Error);
  EXPECT_THROW(planned("systems:\n  a: {train: x, score: \"score {systems/b}/m\"}\n  b: {train: x}\n"), Error);
}

TEST(RecipePlan, TrainingRunsHaveAFolderOfTheirOwnBelowThatOfTheirSystem) {
  EXPECT_THROW(planned("systems:\n  a: {train: --output elsewhere}\n"), Error);
  EXPECT_THROW(planned("systems:\n  a: {train: \"--output {system}/../b\"}\n"), Error);
  EXPECT_EQ(planned("systems:\n  a: {train: \"--output {system}/own\"}\n").systems[0].steps[0].run,
            "out/systems/a/own");
  const std::string said = message([] { planned("systems:\n  a: {steps: [train --seed 1, train --seed 2]}\n"); });
  EXPECT_NE(said.find("two training runs write to out/systems/a/run"), std::string::npos) << said;
}

TEST(RecipePlan, MiniatureFlagsReplaceThoseOfTheRecipe) {
  const PlanOptions small{.data = "corpora", .device = {}, .precision = {}, .threads = 2, .miniature = true};
  EXPECT_EQ(planned(kTwoSystems, small).systems[0].steps[0].recorded,
            "dragoman train --source {data}/a --model.size 4 --seed 7 --output {system}/run --resume --until 1u "
            "--threads 1");
  const std::string tuned =
      "systems:\n  a: {train: --from m --until 9u}\n"
      "miniature: {flags: {train: --model.size 4 --until 1u --vocab.size=9 --vocab.shared --seed 2}}\n";
  EXPECT_EQ(planned(tuned, small).systems[0].steps[0].recorded,
            "dragoman train --from m --output {system}/run --resume --until 1u --seed 2")
      << "a model that is tuned keeps its structure";
}

TEST(RecipePlan, RefusesUnknownPlaceholdersWithFileAndLine) {
  const std::string wrong = kTwoSystems + "figures:\n  f: {kind: statistics, rows: {a: \"stats {dta}/x\"}}\n";
  const std::string said = message([&] { planned(wrong); });
  EXPECT_NE(said.find("figures: f (line 22): unknown placeholder {dta}; did you mean {data}?"), std::string::npos)
      << said;
}

TEST(RecipePlan, FiguresHaveTheCommandsOfTheirKind) {
  const auto figure = [](const std::string& text) {
    return planned(kTwoSystems + "figures:\n  f: " + text + "\n").figures.at(0);
  };
  const auto command = [](const Job& job, std::size_t step) { return show(job.steps.at(step).command); };
  const Job sweep =
      figure("{kind: sweep, test: news, values: [1, 2], rows: {a: \"translate --beam {value} {model}\"}}");
  EXPECT_EQ(sweep.steps.size(), 4U);
  EXPECT_EQ(sweep.needs, Names{"one"});
  EXPECT_EQ(sweep.measurements.at(1).value, "2");
  EXPECT_EQ(command(sweep, 2),
            "dragoman translate --allow-unused --beam 2 out/systems/one/run/model.safetensors > out/figures/f/2.txt");
  EXPECT_TRUE(
      command(sweep, 3).ends_with("out/figures/f/2.txt out/work/news.de --metrics bleu,chrf --json > "
                                  "out/figures/f/2.json"))
      << command(sweep, 3);
  const Job links = figure("{kind: alignment, gold: g, rows: {a: align x}}");
  EXPECT_EQ(
      command(links, 1),
      "dragoman evaluate --allow-unused --bleu.lowercase out/figures/f/1.txt --aer g --json > out/figures/f/1.json");
  const Job tree = figure("{kind: tree, test: news, systems: two, sentence: 3}");
  EXPECT_TRUE(
      command(tree, 0).starts_with("dragoman direct --allow-unused out/systems/two/mean out/figures/f/1.input"));
  EXPECT_EQ(tree.steps[0].excerpt.first, 3);
  EXPECT_EQ(tree.measurements.at(0).result, "out/figures/f/1.json");
  const Job maps = figure("{kind: attention, test: news, sentences: 4}");
  EXPECT_EQ(maps.needs, (Names{"one", "two"}));
  EXPECT_EQ(maps.steps.at(1).excerpt.lines, 4);
  EXPECT_TRUE(command(maps, 0).ends_with(" --json > out/figures/f/1.json") ||
              command(maps, 0).ends_with("--output out/figures/f/1.json --json"))
      << command(maps, 0);
}

TEST(RecipePlan, AFigureMayHaveTheNameOfASystem) {
  const std::string text = kTwoSystems + "figures:\n  one: {kind: statistics, rows: {a: stats x}}\n  f: {}\n";
  EXPECT_EQ(planned(text).figures.size(), 1U);
  EXPECT_EQ(planned(text, kPlain, {"one"}).systems.size(), 1U) << "the name stands for the system";
}

TEST(RecipePlan, ComparesFinishedSystemsWithTheBaseline) {
  const Recipe recipe = parse_recipe(kTwoSystems, "recipe.yaml", "mine", {});
  const std::vector<Job> jobs = plan_comparisons(recipe, {"out"}, kPlain, {"one", "two"});
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(show(jobs[0].steps.at(0).command),
            "dragoman evaluate --allow-unused --bleu.lowercase out/systems/one/tests/news.txt out/work/news.de "
            "--systems out/systems/two/tests/news.txt --metrics bleu,chrf --test bootstrap --json > "
            "out/comparisons/news.one/scores.json");
  EXPECT_TRUE(plan_comparisons(recipe, {"out"}, kPlain, {"two"}).empty());
}

}  // namespace
}  // namespace dragoman::recipe

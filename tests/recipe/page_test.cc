#include "recipe/page.h"

#include <gtest/gtest.h>

#include "recipe/tables.h"
#include "tests/recipe/sample_results.h"
#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Words = std::vector<std::string>;

Words words(const std::vector<report::Cell>& row) {
  Words found;
  for (const report::Cell& cell : row) found.push_back(cell.text + (cell.remark.empty() ? "" : " " + cell.remark));
  return found;
}

report::Table table_of(const SampleResults& sample) {
  return result_table(Results(sample.recipe, sample.folder, sample.options()), sample.recipe.tables[0]);
}

TEST(ResultTable, StandsBesideWhatWasPublished) {
  const SampleResults sample;
  const report::Table table = table_of(sample);
  EXPECT_EQ(words(table.rows.at(0)), (Words{"Baseline (2014) baseline", "22.75 ± 1.50", "20.50", "+2.25", "23.8",
                                            "1:01", "50 s", "× 1.22", "20.00"}));
  EXPECT_EQ(words(table.rows.at(1)),
            (Words{"Good | one", "30.25 ± 1.50, p = 0.013", "31.00", "−0.75", "31.2", "1:01", "–", "–", "20.00"}));
  EXPECT_EQ(words(table.rows.at(2)), (Words{"Missing", "not run yet", "40.00", "–", "–", "–", "–", "–", "–"}));
  EXPECT_TRUE(table.rows[1][1].best);
  EXPECT_EQ(table.rows[0][3].tone, report::Tone::better);
  EXPECT_EQ(table.rows[1][3].tone, report::Tone::worse);
  ASSERT_EQ(table.notes.size(), 2u);
  EXPECT_TRUE(has(table.notes[0], "paired bootstrap test against Baseline")) << table.notes[0];
  EXPECT_EQ(table.notes[1], "BLEU: nrefs:1|tok:13a");
}

TEST(ResultTable, WarnsOfPerplexitiesOfDifferentVocabularies) {
  const SampleResults sample;
  sample.system("good+one", 30, "words", "CPU", "");
  const report::Table table = table_of(sample);
  EXPECT_TRUE(has(table.notes.at(1), "The target vocabularies differ (8000 (bpe), 8000 (words))")) << table.notes[1];
  const std::string page = sample.page();
  EXPECT_TRUE(has(page, "Target vocabulary: 8000 (words)</figcaption>"));
  EXPECT_TRUE(has(page, "compare them only within a chart"));
}

TEST(CostTable, HasTimeSeedAndHardwareOfEveryFinishedSystem) {
  const SampleResults sample;
  const report::Table table = cost_table(Results(sample.recipe, sample.folder, sample.options()));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(words(table.rows[0]),
            (Words{"Baseline", "1.235M", "2,000", "2", "1:01", "0.03 s", "2.5 s", "7.5 s", "–", "7", "CPU, 4 cores"}));
  EXPECT_EQ(table.rows[1].back().text, "NVIDIA H200");
}

TEST(FigureTable, HasTheNumbersOfItsKind) {
  const SampleResults sample;
  const PlanOptions options = sample.options();
  const Results results(sample.recipe, sample.folder, options);
  const auto rows = [&](const std::string& name) {
    for (const Figure& figure : sample.recipe.figures)
      if (figure.name == name) return figure_table(results, figure).rows;
    return std::vector<std::vector<report::Cell>>();
  };
  EXPECT_EQ(words(rows("time").at(2)), (Words{"256", "–", "0.25 s"}));
  EXPECT_EQ(words(rows("links").at(0)), (Words{"aer score", "0.213"}));
  EXPECT_EQ(words(rows("links").at(3)), (Words{"aer links", "1,234"}));
  EXPECT_EQ(words(rows("counts").at(0)), (Words{"source tokens", "124,031"}));
  EXPECT_EQ(words(rows("counts").at(8)), (Words{"shared types", "812"}));
  EXPECT_EQ(words(rows("beam").at(0)), (Words{"BLEU", "20", "22"}));
  EXPECT_EQ(words(rows("beam").at(1)), (Words{"value", "1", "8"}));
  EXPECT_EQ(words(rows("beam").at(2)), (Words{"time", "1.5 s", "3.5 s"}));
  EXPECT_TRUE(rows("later").empty());
}

TEST(Page, ShowsEverythingThatWasMeasuredWithoutAnotherFile) {
  const SampleResults sample;
  const std::string page = sample.page();
  for (const char* part :
       {"A &lt;small&gt; comparison", "Three systems &amp; one test set.", "Nobody (2020), Table 1",
        "2 of 3 systems are finished.", "Measured 2026-11-16: dragoman 9.9.9 on CPU (4 cores), Linux",
        "Tested on &lt;two&gt; sentences.", "training time in seconds", "Baseline <b>20</b>",
        "sequence length in tokens", "k = 32 <b>0.25</b>", "Time of translation", "unknown share", "not measured yet",
        "das \xEF\xBF\xBD Haus", "dragoman recipe run recipes/sample", "dragoman &#39;&lt;x&gt;&#39;",
        "Attention over the past"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_FALSE(has(page, "url(") || has(page, "@import") || has(page, " src='") || has(page, "<link"))
      << "the page must not load anything";
  for (const char* attack : {"<img", "<b>Haus", "<!--"}) EXPECT_FALSE(has(page, attack)) << attack;
}

TEST(Page, OfAMiniatureSaysSoAndLeavesOutSystemsThatAreNotPartOfIt) {
  const SampleResults sample;
  EXPECT_FALSE(has(sample.page(), "This is a miniature"));
  for (const std::string& text : {sample.page(true), sample.markdown(true)}) {
    EXPECT_TRUE(has(text, "This is a miniature"));
    EXPECT_FALSE(has(text, "not run yet"));
  }
  EXPECT_FALSE(has(sample.page(true), "systems are finished."));
  EXPECT_TRUE(has(sample.markdown(true), "dragoman recipe run recipes/sample --miniature"));
}

TEST(Page, OfARecipeThatNeverRanSaysSo) {
  const support::TempFolder empty;
  const Recipe recipe = parse_recipe(kSampleRecipe, "recipe.yaml", "sample", {});
  write_report(recipe, {empty.path()}, {});
  const std::string page = support::read_all(empty.file("report/index.html"));
  EXPECT_TRUE(has(page, "0 of 3 systems are finished."));
  EXPECT_TRUE(has(page, "not run yet"));
  EXPECT_FALSE(has(page, "id='translations'"));
}

TEST(Page, LeavesOutDamagedResults) {
  const SampleResults sample;
  for (const char* file : {"systems/base/tests/news-test.json", "comparisons/news-test.base/scores.json",
                           "figures/tree/1.json", "figures/beam/1.json"})
    sample.write(file, "[1");
  const std::string page = sample.page();
  EXPECT_TRUE(has(page, "1 of 3 systems are finished."));
  EXPECT_TRUE(has(page, "30.25")) << "the other system is there";
  EXPECT_FALSE(has(page, "p = 0.013"));
}

TEST(Page, NamesFiguresWhoseResultsAreOfAnotherKind) {
  for (const auto& [name, text] : {std::pair("time", "{}"), std::pair("tree", "7"),
                                   std::pair("attention", R"({"source":"x","translations":7})")}) {
    const SampleResults sample;
    sample.write(std::string("figures/") + name + "/1.json", text);
    const std::string message = support::message([&] { sample.page(); });
    EXPECT_TRUE(has(message, std::string("figures/") + name + ": not a result of a figure of kind")) << message;
  }
}

TEST(Markdown, HasTheSameTablesWithTextsThatAreNoMarkup) {
  const SampleResults sample;
  const std::string text = sample.markdown();
  for (const char* part :
       {"## A \\<small> comparison\n", "### Table 1\n",
        "| Good \\| one | **30.25** ± 1.50, p = 0.013 | 31.00 | −0.75 |", "| Missing | not run yet | 40.00 | – |",
        "### Corpus\n", "| 256 | – | 0.25 s |", "- Measured 2026-11-16: dragoman 9.9.9 on CPU (4 cores), Linux",
        "dragoman recipe run recipes/sample"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

}  // namespace
}  // namespace dragoman::recipe

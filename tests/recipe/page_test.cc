#include <gtest/gtest.h>

#include "recipe/markdown.h"
#include "recipe/page_data.h"
#include "recipe/page_tables.h"
#include "tests/recipe/sample_results.h"
#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The words of a cell and its remark, in rows of a table.
std::vector<std::string> words(const std::vector<report::Cell>& row) {
  std::vector<std::string> found;
  for (const report::Cell& cell : row) found.push_back(cell.text + (cell.remark.empty() ? "" : " " + cell.remark));
  return found;
}

TEST(ResultTable, PutsPublishedNumbersDifferencesIntervalsAndTestsBesideOurs) {
  const SampleResults sample;
  const PageResults results(sample.recipe, sample.folder);
  const report::Table table = result_table(results, sample.recipe.tables[0]);
  ASSERT_EQ(table.rows.size(), 4u);
  using Row = std::vector<std::string>;
  EXPECT_EQ(words(table.rows[0]),
            (Row{"Baseline (2014) baseline", "22.75 ± 1.50", "20.50", "+2.25", "23.8", "1:01", "50 s", "× 1.22"}));
  EXPECT_EQ(words(table.rows[1]),
            (Row{"Good | one", "30.25 ± 1.50, p = 0.013", "31.00", "−0.75", "31.2", "1:01", "–", "–"}));
  EXPECT_EQ(words(table.rows[2]), (Row{"Running", "not finished yet", "–", "–", "–", "–", "–", "–"}));
  EXPECT_EQ(words(table.rows[3]), (Row{"Missing", "not run yet", "40.00", "–", "–", "–", "–", "–"}));
  EXPECT_FALSE(table.rows[0][1].best);
  EXPECT_TRUE(table.rows[1][1].best);
  EXPECT_EQ(table.rows[0][3].tone, report::Tone::better);
  EXPECT_EQ(table.rows[1][3].tone, report::Tone::worse);
  EXPECT_EQ(table.rows[1][1].hint, "nrefs:1|tok:13a");
}

TEST(ResultTable, NamesTheSignatureOfEveryMetric) {
  const SampleResults sample;
  const report::Table table = result_table(PageResults(sample.recipe, sample.folder), sample.recipe.tables[0]);
  ASSERT_EQ(table.notes.size(), 2u);
  EXPECT_TRUE(has(table.notes[0], "paired bootstrap test against Baseline")) << table.notes[0];
  EXPECT_EQ(table.notes[1], "BLEU: nrefs:1|tok:13a");
}

TEST(CostTable, HasTimeSeedAndHardwareOfEveryFinishedSystem) {
  const SampleResults sample;
  const report::Table table = cost_table(PageResults(sample.recipe, sample.folder));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(words(table.rows[0]), (std::vector<std::string>{"Baseline", "1.235M", "2,000", "–", "1:01", "–", "1.5 s",
                                                            "1:02", "–", "7", "CPU, 4 cores"}));
  EXPECT_EQ(table.rows[1].back().text, "NVIDIA H200");
}

TEST(Page, ShowsBackticksAsCode) {
  const SampleResults sample;
  Recipe recipe = sample.recipe;
  recipe.about = "Use `a < b` and ` alone";
  write_report(recipe, sample.folder);
  EXPECT_TRUE(has(support::read_all(sample.folder.page()), "<p>Use <code>a &lt; b</code> and ` alone</p>"));
}

TEST(Page, OfAMiniatureSaysThatItsNumbersMeanNothing) {
  SampleResults sample;
  EXPECT_FALSE(has(markdown(PageResults(sample.recipe, sample.folder)), "This is a miniature"));
  sample.write("recipe.txt", "sample (miniature)\n");
  write_report(sample.recipe, sample.folder);
  for (const std::string& file : {sample.folder.page(), sample.folder.markdown()})
    EXPECT_TRUE(has(support::read_all(file), "This is a miniature")) << file;
  EXPECT_TRUE(
      has(markdown(PageResults(sample.recipe, sample.folder)), "dragoman recipe run recipes/sample --miniature"));
}

TEST(FigureTable, HasOneRowPerLengthAndADashWhereNothingWasMeasured) {
  const SampleResults sample;
  const PageResults results(sample.recipe, sample.folder);
  const auto figure = [&](const std::string& name) {
    return *std::find_if(sample.recipe.figures.begin(), sample.recipe.figures.end(),
                         [&](const Figure& one) { return one.name == name; });
  };
  const report::Table time = figure_table(results, figure("time"));
  ASSERT_EQ(time.rows.size(), 3u);
  EXPECT_EQ(words(time.rows[2]), (std::vector<std::string>{"256", "–", "0.25 s"}));
  EXPECT_EQ(words(figure_table(results, figure("links")).rows.at(0)),
            (std::vector<std::string>{"EM", "21.3", "80.0", "75.0", "1,234", "2.0 s"}));
  EXPECT_EQ(words(figure_table(results, figure("counts")).rows.at(0)),
            (std::vector<std::string>{"tokens", "124,031", "124,031"}));
  EXPECT_TRUE(figure_table(results, figure("later")).rows.empty());
}

TEST(Page, ShowsEverythingThatWasMeasuredWithoutAnotherFile) {
  const SampleResults sample;
  const std::string page = sample.page();
  for (const char* part :
       {"A &lt;small&gt; comparison", "Four systems &amp; one test set.", "Nobody (2020), Table 1",
        "2 of 4 systems are finished.", "2026-11-16: dragoman 9.9.9 on NVIDIA H200, CPU (4 cores), Linux",
        "Tested on &lt;two&gt; sentences.", "training time in seconds", "Baseline <b>20</b>", "Running <b>90</b>",
        "sequence length in tokens", "k = 32 <b>0.25</b>", "Time of translating news 2020", "unknown tokens in %",
        "not measured yet", "the house", "dragoman recipe run recipes/sample",
        "dragoman train --output runs/sample/systems/a &#39;&lt;x&gt;&#39;"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_FALSE(has(page, "url(") || has(page, "@import") || has(page, " src='") || has(page, "<link"))
      << "the page must not load anything";
}

TEST(Page, DrawsPerplexitiesOfDifferentVocabulariesInChartsOfTheirOwn) {
  const SampleResults sample;
  sample.write("systems/base/run/config.yaml", "vocab.type: words\nmodel.target-vocabulary: 19184\n");
  EXPECT_FALSE(has(sample.page(), "Target vocabulary: 8000"));
  sample.write("systems/good+one/run/config.yaml", "vocab.type: bpe\nmodel.target-vocabulary: 8000\n");
  const std::string page = sample.page();
  EXPECT_TRUE(has(page, "Target vocabulary: 19184 (words)</figcaption>"));
  EXPECT_TRUE(has(page, "Target vocabulary: 8000 (bpe)</figcaption>"));
  EXPECT_TRUE(has(page, "compare them only within a chart"));
  EXPECT_TRUE(has(page, "<b>20</b> <small>best</small>")) << "the lowest perplexity of a curve";
}

TEST(Page, DrawsPerplexitiesOfOneVocabularyFileInOneChart) {
  const SampleResults sample;
  const std::string shared = "vocab.shared: true\nvocab.source: a/joint.vocab\nmodel.target-vocabulary: 8000\n";
  sample.write("systems/base/run/config.yaml", "vocab.type: words\n" + shared);
  sample.write("systems/good+one/run/config.yaml", "vocab.type: bpe\n" + shared);
  const std::string page = sample.page(), title = "Target vocabulary: 8000 (joint.vocab)</figcaption>";
  EXPECT_TRUE(has(page, title)) << "beside the chart of a system whose vocabulary is not known";
  EXPECT_EQ(page.find(title), page.rfind(title));
}

TEST(Page, NamesTheCpuAsTheHardwareOfSystemsThatDidNotUseTheGpu) {
  const SampleResults sample;
  const auto hardware = [&] { return cost_table(PageResults(sample.recipe, sample.folder)).rows[1].back().text; };
  EXPECT_EQ(hardware(), "NVIDIA H200");
  sample.write("systems/good+one/run/config.yaml", "task: statistical\n");
  EXPECT_EQ(hardware(), "CPU, 4 cores");
  sample.write("systems/good+one/run/config.yaml", "task: translate\n");
  sample.write("systems/good+one/run/log.jsonl", R"({"kind":"start","device":"cuda:1","hardware":"NVIDIA H100"})");
  EXPECT_EQ(hardware(), "NVIDIA H100") << "the run itself knows best";
}

TEST(Page, EscapesTextOfFilesInMarkupAndInScripts) {
  const SampleResults sample;
  const std::string page = sample.page();
  EXPECT_FALSE(has(page, "<img"));
  EXPECT_FALSE(has(page, "<b>Haus"));
  EXPECT_FALSE(has(page, "<!--"));
  std::size_t count = 0;  // not by std::regex: its stack grows with the length of a script
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at)) {
    at = page.find("</script>", at);
    ASSERT_NE(at, std::string::npos);
    ++count;
  }
  EXPECT_EQ(count, 6u) << "sentences, attention of two systems, the list of test sets, the programs of charts and page";
}

TEST(Page, JsonInAScriptReadsBackUnchanged) {
  const nlohmann::ordered_json value = {kAttack, "\xE2\x80\xA8", "ü"};
  const std::string text = script_json(value);
  EXPECT_FALSE(has(text, "<"));
  EXPECT_EQ(nlohmann::ordered_json::parse(text), value);
}

TEST(Page, OfAMiniatureCountsTheSystemsOfTheMiniature) {
  const std::string text = std::string(kSampleRecipe) + "miniature: {systems: [base, good+one]}\n";
  const Recipe recipe = parse_recipe(text, "recipe.yaml", "sample", {});
  const SampleResults sample;
  write_text(sample.folder.owner(), owner_name(recipe, true) + "\n");
  write_report(recipe, sample.folder);
  EXPECT_FALSE(has(support::read_all(sample.folder.page()), "systems are finished."));
  const support::TempFolder empty;
  write_text(Folder{empty.path()}.owner(), owner_name(recipe, true) + "\n");
  write_report(recipe, {empty.path()});
  EXPECT_TRUE(has(support::read_all(empty.file("report/index.html")), "0 of 2 systems are finished."));
}

TEST(Page, OfARecipeThatNeverRanSaysSo) {
  const support::TempFolder empty;
  const Recipe recipe = parse_recipe(kSampleRecipe, "recipe.yaml", "sample", {});
  write_report(recipe, {empty.path()});
  const std::string page = support::read_all(empty.file("report/index.html"));
  EXPECT_TRUE(has(page, "0 of 4 systems are finished."));
  EXPECT_TRUE(has(page, "not run yet"));
  EXPECT_FALSE(has(page, "id='translations'"));
}

TEST(Page, KeepsItsTestSetsAndNoticesNewOnes) {
  const SampleResults sample;
  sample.page();
  write_report(sample.recipe, sample.folder);
  EXPECT_TRUE(has(support::read_all(sample.folder.page()), "the small house is old ."));
  const std::string changed = sample.write("data/news-test.en", "the house\nthe tiny house is old .\n");
  std::filesystem::last_write_time(changed, std::filesystem::file_time_type::clock::now() + std::chrono::minutes(1));
  EXPECT_TRUE(has(sample.page(), "the tiny house is old ."));
}

TEST(Page, HasTranslationsIfOnlyTheSecondTestSetHasResults) {
  const SampleResults sample;
  std::string text = kSampleRecipe;
  text.insert(text.find("  news-test:"),
              "  early: {title: early, source: none.en, reference: none.de, from: en, to: de}\n");
  write_report(parse_recipe(text, "recipe.yaml", "sample", {}), sample.folder, sample.folder.path + "/data");
  const std::string page = support::read_all(sample.folder.page());
  EXPECT_TRUE(has(page, "<h2 id='translations'>"));
  EXPECT_TRUE(has(page, "href='#attention'"));
}

TEST(Page, HasNoAttentionOnlyBecauseATranslationSpeaksOfIt) {
  const SampleResults sample;
  for (const char* system : {"base", "good+one"}) std::filesystem::remove(sample.folder.attention(system, "news-test"));
  sample.write("systems/base/tests/news-test.txt", "self-attention\n<script id='test0-attention0'>\n");
  const std::string page = sample.page();
  EXPECT_TRUE(has(page, "<h2 id='translations'>"));
  EXPECT_FALSE(has(page, "<h2 id='attention'>"));
  EXPECT_FALSE(has(page, "href='#attention'"));
}

TEST(Page, ReplacesInvalidUtf8OfATranslation) {
  const SampleResults sample;
  sample.write("systems/base/tests/news-test.txt", "das \xFF Haus\nalt\n");
  EXPECT_TRUE(has(sample.page(), "das \xEF\xBF\xBD Haus"));
}

TEST(Page, ShowsTheFiniteNumbersOfSystemsThatDiverged) {
  const SampleResults sample;
  sample.write("systems/base/run/log.jsonl",
               R"({"kind":"train","update":100,"epoch":1,"tokens":1000,"nll":2,"tokens_per_second":null}
{"kind":"validation","update":100,"epoch":null,"tokens":1000,"scores":{"perplexity":40}}
{"kind":"validation","update":200,"epoch":2,"tokens":3000,"scores":{"perplexity":null}}
)");
  sample.write("systems/base/tests/news-test.json", R"({"system":"x","bleu":{"score":null,"ci95":null}})");
  sample.write("figures/beam.json", R"({"name":"beam","rows":[{"title":"Baseline","command":"c","seconds":2,
      "result":{"value":1,"bleu":{"score":null}}}],
      "environment":{"version":"","date":"","cpu":"","gpu":"","system":"","cores":1}})");
  std::string result = sample_system(sample.folder.path, "base", 22.75, "");
  result.replace(result.find("61.0"), 4, "null");
  sample.write("systems/base/result.json", result);
  EXPECT_TRUE(has(sample.page(), "Baseline <b>40</b>"));
  const report::Table table = result_table(PageResults(sample.recipe, sample.folder), sample.recipe.tables[0]);
  EXPECT_EQ(words(table.rows[0]), (std::vector<std::string>{"Baseline (2014) baseline", "22.75", "20.50", "+2.25",
                                                            "23.8", "–", "50 s", "–"}));
}

TEST(Page, LeavesOutADamagedResult) {
  const SampleResults sample;
  sample.write("systems/base/result.json", R"({"name":7})");
  const std::string page = sample.page();
  EXPECT_TRUE(has(page, "result damaged"));
  EXPECT_TRUE(has(page, "30.25")) << "the other system is there";
}

TEST(Page, NamesFilesOfOtherTypes) {
  for (const auto& [file, text] : std::vector<std::pair<std::string, std::string>>{
           {"comparisons/news-test.json", R"({"system":5})"},
           {"comparisons/news-test.json", R"({"system":"x","systems":[{"system":null}]})"},
           {"comparisons/news-test.json", R"({"system":"x","systems":7})"},
           {"systems/base/tests/news-test.json", "[1"},
           {"systems/base/tests/news-test.json", "[1]"},
           {"systems/base/tests/news-test.attention.jsonl", R"({"line":1,"translations":7})"},
           {"systems/base/tests/news-test.attention.jsonl",
            R"({"line":1,"source_tokens":[1],"translations":[{"tokens":["a"],"attention":[[1]]}]})"},
           {"systems/base/tests/news-test.attention.jsonl",
            R"({"line":1,"source_tokens":["a"],"translations":[{"tokens":["a"],"attention":"x"}]})"},
           {"systems/base/tests/news-test.attention.jsonl", "no JSON"}}) {
    const SampleResults sample;
    const std::string path = sample.write(file, text + "\n");
    const std::string message = support::message([&] { sample.page(); });
    EXPECT_TRUE(message.starts_with(path + ": not ")) << message;
    EXPECT_FALSE(has(message, "json.exception")) << message;
  }
}

TEST(Page, RefusesDamagedResultsAndNamesTheFile) {
  const SampleResults sample;
  sample.write("figures/time.json", R"({"name":"time","rows":[{"title":"a","command":"c","seconds":1,"result":{}}],
      "environment":{"version":"","date":"","cpu":"","gpu":"","system":"","cores":1}})");
  const std::string message = support::message([&] { sample.page(); });
  EXPECT_TRUE(has(message, "figures/time.json: not a result of a figure of kind scaling")) << message;
}

TEST(Markdown, HasTheSameTablesWithBarsEscaped) {
  const SampleResults sample;
  const std::string text = sample.markdown();
  for (const char* part :
       {"## A \\<small> comparison\n", "### Table 1\n",
        "| Good \\| one | **30.25** ± 1.50, p = 0.013 | 31.00 | −0.75 |", "| Missing | not run yet | 40.00 | – |",
        "### Corpus\n", "| 256 | – | 0.25 s |", "- Measured 2026-11-16: dragoman 9.9.9 on CPU (4 cores), Linux",
        "dragoman recipe run recipes/sample"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(Markdown, TakesTextsOfTheRecipeForNoMarkup) {
  const SampleResults sample;
  Recipe recipe = sample.recipe;
  recipe.title = "<script>\n# title";
  recipe.about = "# injected\n\n# again, see _this_ [link](x) &lt;b>";
  recipe.source = "a *paper*";
  recipe.tables[0].title = "T\n# heading";
  recipe.tables[0].note = "1. a note\n- of two lines\n";
  const std::string text = markdown(PageResults(recipe, sample.folder));
  for (const char* part :
       {"## \\<script> # title\n", "\n\\# injected  # again, see \\_this\\_ \\[link](x) \\&lt;b>\n",
        "\nPublished numbers: a \\*paper\\*\n", "### T # heading\n", "\n1\\. a note - of two lines\n"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(Commands, NameAnotherOutputFolderOnlyWhereAWordIsAPathInIt) {
  const SampleResults sample;
  const Folder folder{"out"};
  SystemResult result;
  result.steps = {{"dragoman train --output out/run --data=out/data about/out/x 'out/a b' \"out/c\" out outer/y", 1},
                  {"out/program", 1}};
  EXPECT_EQ(commands_of(PageResults(sample.recipe, folder), result),
            "dragoman train --output runs/sample/run --data=runs/sample/data about/out/x 'runs/sample/a b' "
            "\"runs/sample/c\" out outer/y\nruns/sample/program\n");
  const Folder letter{"t"};
  result.steps = {{"dragoman train out/data t/run", 1}};
  EXPECT_EQ(commands_of(PageResults(sample.recipe, letter), result), "dragoman train out/data runs/sample/run\n");
}

}  // namespace
}  // namespace dragoman::recipe

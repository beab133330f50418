// Reports as people see them: in a browser.
#include <gtest/gtest.h>

#include "report/run_report.h"
#include "tests/browser/browser.h"
#include "tests/recipe/sample_results.h"
#include "train/json_log.h"

namespace dragoman::browser {
namespace {

class Report : public testing::Test {
 protected:
  void SetUp() override {
    if (find_browser().empty()) GTEST_SKIP() << "needs Chromium: apt install chromium";
  }
};

// Whether the page fits the window, and what it loaded.
const char* const kLayout = R"js(
  return {fits: document.documentElement.scrollWidth <= innerWidth, width: innerWidth,
          loaded: performance.getEntriesByType("resource").length};)js";

TEST_F(Report, OfARecipeShowsItsRowsWithoutErrorsAndWithoutTheNetwork) {
  const recipe::SampleResults sample;
  sample.page();
  const Visit visit = browser::visit(sample.folder.page(), 1280, R"js(
    const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
    const rows = [...document.querySelector("table.results").tBodies[0].rows];
    return {systems: rows.map((row) => row.cells[0].textContent),
            charts: document.querySelectorAll("svg.chart").length, tree: document.querySelectorAll(".tree svg").length,
            headings: texts("h2"), attacked: window.attacked ?? null, images: document.images.length,
            loaded: performance.getEntriesByType("resource").length, lang: document.documentElement.lang,
            unscoped: document.querySelectorAll("th:not([scope])").length};)js");
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["loaded"], 0);
  EXPECT_EQ(visit.found["systems"], (nlohmann::json{"Baseline (2014) baseline", "Good | one", "Running", "Missing"}));
  EXPECT_EQ(visit.found["charts"], 1 + 1 + 1 + 2 + 1) << "a column of the table, curves, bars, sweep, scaling";
  EXPECT_EQ(visit.found["tree"], 1);
  EXPECT_EQ(visit.found["headings"], (nlohmann::json{"Results", "Figures", "Translations side by side", "Attention",
                                                     "Time and cost", "Commands and data"}));
  EXPECT_EQ(visit.found["attacked"], nullptr);
  EXPECT_EQ(visit.found["images"], 0);
  EXPECT_EQ(visit.found["lang"], "en");
  EXPECT_EQ(visit.found["unscoped"], 0);
}

TEST_F(Report, BrowsesTranslationsAndMarksDifferences) {
  const recipe::SampleResults sample;
  sample.page();
  const Visit visit = browser::visit(sample.folder.page(), 1280, R"js(
    const form = document.getElementById("translation-controls");
    const outputs = () => [...document.querySelectorAll("#sentences dd")].map((one) => one.textContent);
    const marked = (tag) => [...document.querySelectorAll("#sentences " + tag)].map((one) => one.textContent);
    const found = {first: outputs(), inserted: marked("ins")};
    form.querySelector("[data-step='1']").click();
    found.second = outputs();
    form.elements.missing.click();
    found.missing = marked("dd:nth-of-type(3) del");
    form.elements.search.value = "HAUS ist";
    form.elements.search.dispatchEvent(new Event("input"));
    found.status = document.getElementById("found").textContent;
    found.outlined = marked("mark");
    return found;)js");
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["first"],
            (nlohmann::json{"the house", "das Haus", "das Auto attention", "das Haus attention"}));
  EXPECT_EQ(visit.found["inserted"], nlohmann::json{"Auto"});
  EXPECT_EQ(visit.found["second"][3], recipe::kAttack) << "shown as it was written";
  EXPECT_EQ(visit.found["missing"], nlohmann::json{"kleine"});
  EXPECT_EQ(visit.found["status"], "1 of 2 sentences");
  EXPECT_EQ(visit.found["outlined"], nlohmann::json{"Haus ist"});
}

TEST_F(Report, ReadsOutAttentionWeightsByKeyboard) {
  const recipe::SampleResults sample;
  sample.page();
  const Visit visit = browser::visit(sample.folder.page(), 1280, R"js(
    document.querySelectorAll("#sentences button")[1].click();
    const system = document.querySelector("#attention-controls [name=system]").selectedOptions[0].textContent;
    const [source, past] = document.querySelectorAll("#maps svg");
    const press = (map, key) => map.dispatchEvent(new KeyboardEvent("keydown", {key}));
    const readout = () => document.getElementById("readout").textContent;
    press(source, "ArrowDown");
    const first = readout();
    press(source, "ArrowRight");
    return {system, first, second: readout(), cells: source.querySelectorAll("rect").length,
            past: past.querySelectorAll("rect").length};)js");
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["system"], "Good | one");
  EXPECT_EQ(visit.found["first"], "Haus ← the: 0.250");
  EXPECT_EQ(visit.found["second"], "Haus ← <house>: 0.750");
  EXPECT_EQ(visit.found["cells"], 4);
  EXPECT_EQ(visit.found["past"], 3) << "no cells after the word itself";
}

TEST_F(Report, HidesASeriesWhenItsLegendIsUnchecked) {
  const recipe::SampleResults sample;
  sample.page();
  const Visit visit = browser::visit(sample.folder.page(), 1280, R"js(
    const plot = [...document.querySelectorAll(".plot")].find((one) => one.querySelectorAll(".legend input").length > 2);
    const shown = () => [...plot.querySelectorAll("g.series")].filter((one) => getComputedStyle(one).display !== "none").length;
    const before = shown();
    plot.querySelector(".legend input").click();
    return {before, after: shown()};)js");
  EXPECT_EQ(visit.found["before"], 3);
  EXPECT_EQ(visit.found["after"], 2);
}

TEST_F(Report, FitsAPhoneAndADesktop) {
  const recipe::SampleResults sample;
  sample.page();
  for (const int width : {390, 1280}) {
    const Visit visit = browser::visit(sample.folder.page(), width, kLayout);
    EXPECT_EQ(visit.found["width"], width);
    EXPECT_EQ(visit.found["fits"], true) << width;
  }
}

TEST_F(Report, OfATrainingRunFitsAPhoneWithoutErrors) {
  const support::TempFolder folder;
  train::JsonLog log(folder.file("log.jsonl"));
  report::ReportWriter report(folder.path(), {"run", {{"training pairs", "48"}}, "batch.size: 8\n"});
  log.on_start({});
  for (std::uint64_t update = 10; update <= 30; update += 10) {
    train::StepReport step;
    step.position = {update, 1, 10 * update};
    step.sums = {30, 20, 10};
    log.on_log(step);
  }
  report.on_start({});
  const Visit visit = browser::visit(report.path(), 390, kLayout);
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["fits"], true);
  EXPECT_EQ(visit.found["loaded"], 0);
}

}  // namespace
}  // namespace dragoman::browser

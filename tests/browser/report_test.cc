// Reports as people see them: in a browser.
#include <gtest/gtest.h>

#include "report/comparison.h"
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
            charts: document.querySelectorAll("svg.chart").length, boxes: document.querySelectorAll(".box svg").length,
            outputs: texts(".sentences dd"),
            headings: texts("h2"), attacked: window.attacked ?? null, images: document.images.length,
            loaded: performance.getEntriesByType("resource").length, lang: document.documentElement.lang,
            unscoped: document.querySelectorAll("th:not([scope])").length};)js");
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["loaded"], 0);
  EXPECT_EQ(visit.found["systems"], (nlohmann::json{"Baseline (2014) baseline", "Good | one", "Missing"}));
  EXPECT_EQ(visit.found["charts"], 1 + 1 + 2 + 1) << "curves, bars, sweep, scaling";
  EXPECT_EQ(visit.found["boxes"], 1 + 2) << "a tree and two attention maps";
  EXPECT_EQ(visit.found["outputs"].back(), recipe::kAttack) << "shown as it was written";
  EXPECT_EQ(visit.found["headings"],
            (nlohmann::json{"Results", "Figures", "Translations side by side", "Time and cost", "Commands and data"}));
  EXPECT_EQ(visit.found["attacked"], nullptr);
  EXPECT_EQ(visit.found["images"], 0);
  EXPECT_EQ(visit.found["lang"], "en");
  EXPECT_EQ(visit.found["unscoped"], 0);
}

TEST_F(Report, HidesASeriesWhenItsLegendIsUnchecked) {
  const recipe::SampleResults sample;
  sample.page();
  const Visit visit = browser::visit(sample.folder.page(), 1280, R"js(
    const plot = [...document.querySelectorAll(".plot")].find((one) => one.querySelectorAll(".legend input").length > 1);
    const shown = () => [...plot.querySelectorAll("g.series")].filter((one) => getComputedStyle(one).display !== "none").length;
    const before = shown();
    plot.querySelector(".legend input").click();
    return {before, after: shown()};)js");
  EXPECT_EQ(visit.found["before"], 2);
  EXPECT_EQ(visit.found["after"], 1);
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

// A run with long words, a wide table of settings, curves, samples with attention, and counts of pairs.
class SampleRun {
 public:
  SampleRun() : log_(folder_.file("log.jsonl"), record()), report_(folder_.path()) {
    log_.on_start({});
    for (std::uint64_t update = 10; update <= 300; update += 10) {
      train::StepReport step;
      step.position = {update, static_cast<double>(update) / 100, 10 * update};
      step.sums = {30, 20 + static_cast<double>(update % 7), 10};
      step.tokens_per_second = 1000;
      step.elapsed = static_cast<double>(update);
      log_.on_log(step);
      if (update % 100 != 0) continue;
      train::Validation validation;
      validation.position = step.position;
      validation.scores.set("bleu", update == 200 ? 30 : 20);
      validation.best = update == 200;
      const std::vector<std::string> words(40, "Donaudampfschifffahrt");
      validation.samples.push_back(
          {"a source", "a reference", std::string(300, 'x'), words, words, std::vector<float>(1600, 0.5f)});
      log_.on_validation(validation);
    }
    report_.on_start({});
  }

  std::string page() const { return report_.path(); }
  std::string folder() const { return folder_.path(); }
  void end() {
    log_.on_end({{300, 3, 3000}, "reached 3e", "model", 300});
    report_.on_end({});
  }

 private:
  static train::RunRecord record() {
    train::RunRecord record;
    record.name = "run";
    record.command = "dragoman train --source " + std::string(200, 'y');
    record.settings = {{"source", std::string(300, 'z')}};
    return record;
  }

  support::TempFolder folder_;
  train::JsonLog log_;
  report::ReportWriter report_;
};

TEST_F(Report, OfATrainingRunFitsAPhoneWithoutErrorsAndWithoutTheNetwork) {
  const SampleRun run;
  const Visit visit = browser::visit(run.page(), 390, kLayout);
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["width"], 390);
  EXPECT_EQ(visit.found["fits"], true);
  EXPECT_EQ(visit.found["loaded"], 0);
}

TEST_F(Report, OfATrainingRunChoosesAxisAndSmoothing) {
  const SampleRun run;
  const Visit visit = browser::visit(run.page(), 1280, R"js(
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => getComputedStyle(one).display !== "none").length;
    const drawings = () => ["updates", "epochs", "time"].map((axis) => shown("svg.over-" + axis));
    const lines = () => ["some", "more"].map((strength) => shown("svg.over-time .line." + strength) > 0);
    const figures = document.querySelectorAll("figure.plot").length;
    const first = drawings();
    document.getElementById("over-time").click();
    const smooth = [lines()];
    document.getElementById("smooth-more").click();
    smooth.push(lines());
    document.getElementById("smooth-off").click();
    smooth.push(lines());
    return {figures, first, second: drawings(), smooth};)js");
  EXPECT_EQ(visit.console, "");
  const auto figures = visit.found["figures"];
  EXPECT_EQ(visit.found["first"], (nlohmann::json{figures, 0, 0}));
  EXPECT_EQ(visit.found["second"], (nlohmann::json{0, 0, figures}));
  EXPECT_EQ(visit.found["smooth"], (nlohmann::json{{true, false}, {false, true}, {false, false}}));
}

TEST_F(Report, ReadsOutValuesOfChartsByKeyboardAndPointer) {
  const SampleRun run;
  const Visit visit = browser::visit(run.page(), 1280, R"js(
    const figure = [...document.querySelectorAll("figure.plot")].find((one) => one.textContent.includes("BLEU and chrF"));
    const chart = figure.querySelector("svg.over-updates");
    const values = () => figure.querySelector(".values").textContent.trim().replace(/\s+/g, " ");
    const press = (key) => { chart.dispatchEvent(new KeyboardEvent("keydown", {key})); return values(); };
    const keys = ["Home", "ArrowRight", "ArrowRight", "ArrowRight"].map(press);
    const box = chart.getBoundingClientRect();
    chart.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + (64 + 460 / 3) / 540 * box.width, clientY: box.top + 50}));
    const pointed = values();
    chart.dispatchEvent(new PointerEvent("pointerleave"));
    return {keys, pointed, left: values(), focusable: chart.tabIndex};)js");
  EXPECT_EQ(visit.console, "");
  EXPECT_EQ(visit.found["keys"], (nlohmann::json{"updates 100: BLEU 20", "updates 200: BLEU 30", "updates 300: BLEU 20",
                                                 "updates 300: BLEU 20"}));
  EXPECT_EQ(visit.found["pointed"], "updates 100: BLEU 20");
  EXPECT_EQ(visit.found["left"], "");
  EXPECT_EQ(visit.found["focusable"], 0);
}

// How the page was loaded after a minute, with what was chosen before.
const char* const kLater = R"js(
  document.body.dataset.found = performance.getEntriesByType("navigation")[0].type;
  if (document.body.dataset.found === "navigate") document.getElementById("over-epochs").click();
  document.body.dataset.found += " " + document.querySelector("[name=over]:checked").value;)js";

TEST_F(Report, OfARunThatGoesOnLoadsItselfAgainAndKeepsWhatWasChosen) {
  SampleRun run;
  EXPECT_EQ(look_after(run.page(), 60, kLater), "reload epochs");
  run.end();
  EXPECT_EQ(look_after(run.page(), 60, kLater), "navigate epochs") << "a finished run stays as it is";
}

// Boxes that scroll sideways.
const char* const kScrolling = R"js(
  return {count: [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth).length};)js";

TEST_F(Report, ComparingFourRunsNeedsNoScrollingOnADesktop) {
  const SampleRun one, two, three, four;
  const support::TempFolder folder;
  const std::string page = folder.write(
      "comparison.html", report::comparison_page({one.folder(), two.folder(), three.folder(), four.folder()}));
  EXPECT_EQ(browser::visit(page, 1280, kScrolling).found["count"], 0);
  EXPECT_GT(browser::visit(page, 390, kScrolling).found["count"], 0) << "on a phone the table scrolls in its own box";
}

TEST_F(Report, OutputsOfATrainingRunStandBelowTheirUpdateOnAPhone) {
  const SampleRun run;
  const char* const probe = R"js(
    const box = (one, kind) => one.querySelector(kind).getBoundingClientRect();
    const stages = [...document.querySelectorAll("article summary")];
    return {stages: stages.length, below: stages.filter((one) => box(one, ".said").top >= box(one, ".when").bottom).length,
            indented: stages.filter((one) => box(one, ".said").left > one.getBoundingClientRect().left + 10).length};)js";
  const Visit phone = browser::visit(run.page(), 390, probe);
  EXPECT_GT(phone.found["stages"], 0);
  EXPECT_EQ(phone.found["below"], phone.found["stages"]);
  EXPECT_EQ(phone.found["indented"], phone.found["stages"]);
}

TEST_F(Report, ComparingRunsFitsAPhoneWithoutErrors) {
  SampleRun one, two;
  two.end();
  const support::TempFolder folder;
  const std::string page = folder.write("comparison.html", report::comparison_page({one.folder(), two.folder()}));
  for (const int width : {390, 1280}) {
    const Visit visit = browser::visit(page, width, kLayout);
    EXPECT_EQ(visit.console, "");
    EXPECT_EQ(visit.found["fits"], true) << width;
    EXPECT_EQ(visit.found["loaded"], 0);
  }
}

}  // namespace
}  // namespace dragoman::browser

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "report/bars.h"
#include "report/chart.h"
#include "report/escape.h"
#include "report/json_file.h"
#include "report/run_report.h"
#include "report/series_style.h"
#include "report/table.h"
#include "report/word_matrix.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"
#include "train/json_log.h"

namespace dragoman::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// Whether elements are properly nested; enough of a check for text that we write ourselves.
bool is_balanced(const std::string& html) {
  static const std::regex tag("<(/?)([a-zA-Z0-9]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (auto found = std::sregex_iterator(html.begin(), html.end(), tag); found != std::sregex_iterator(); ++found) {
    const std::string name = (*found)[2];
    if (name == "meta" || name == "input" || (*found)[3] == "/") continue;
    if ((*found)[1] != "/") {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

// The page without its scripts, whose text is no markup. Not by std::regex: its stack grows with the length of a
// script.
std::string without_scripts(std::string page) {
  const std::string end = "</script>";
  for (std::size_t at = page.find("<script>"); at != std::string::npos; at = page.find("<script>", at))
    page.erase(at, page.find(end, at) - at + end.size());
  return page;
}

TEST(Chart, OfTrainingStartsAtZeroHoweverLateTheFirstPointIs) {
  Chart chart{.title = "accuracy",
              .x_label = "updates",
              .y_label = "accuracy",
              .series = {{.name = "run", .points = {{500, 1}, {1000, 2}}}}};
  const auto has_zero = [](const std::string& html) {
    return html.find("text-anchor='middle'>0</text>") != std::string::npos;
  };
  EXPECT_FALSE(has_zero(draw(chart)));
  chart.starts_at_zero = true;
  EXPECT_TRUE(has_zero(draw(chart)));
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(0, 0.4, 4).size(), 5u);
  EXPECT_EQ(ticks(99.99999999999999, 100, 5).size(), 1u) << "a difference by rounding is no range";
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{-3.7, 12.9}, {1e-7, 1e-4}, {999, 1001}})
    for (const double tick : ticks(low, high, 5)) {
      EXPECT_GE(tick, low - 1e-9);
      EXPECT_LE(tick, high + 1e-9);
    }
}

TEST(Chart, DrawsEverySeriesWithItsLastValueAndLabelsBothAxes) {
  const std::string svg =
      draw(Chart{.title = "Loss <now>",
                 .x_label = "updates",
                 .y_label = "loss & more",
                 .series = {{"training", {{0, 5}, {10, 3}, {20, 2.5}}}, {"held out", {{10, 4}, {20, 3.25}}}}});
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_EQ(count(svg, "type='checkbox'"), 2u);
  for (const char* part :
       {"training <b>2.5</b> <small>last</small>", "held out <b>3.25</b>", "Loss &lt;now&gt;</figcaption>",
        "text-anchor='end'>updates</text>", ">loss &amp; more</text>", "<title>held out\nupdates 10: 4</title>"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_TRUE(is_balanced(svg));
}

// Pixels of the first polyline.
std::vector<std::pair<double, double>> pixels(const std::string& svg) {
  const std::size_t begin = svg.find("points='") + 8;
  std::stringstream text(svg.substr(begin, svg.find('\'', begin) - begin));
  std::vector<std::pair<double, double>> found;
  char comma;
  for (double x, y; text >> x >> comma >> y;) found.emplace_back(x, y);
  return found;
}

TEST(Chart, HigherValuesAreHigherUpAndLaterOnesFurtherRight) {
  const auto points = pixels(draw(Chart{"", "", "", {{"a", {{1, 10}, {2, 30}, {3, 20}}}}}));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_LT(points[0].first, points[1].first);
  EXPECT_LT(points[1].second, points[2].second);
  EXPECT_LT(points[2].second, points[0].second);
}

TEST(Chart, LogarithmicAxesKeepRatios) {
  const auto points =
      pixels(draw(Chart{"", "", "", {{"a", {{1, 10}, {2, 100}, {3, 1000}}}}, AxisKind::linear, AxisKind::log10}));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[0].second - points[1].second, points[1].second - points[2].second, 0.2);
}

TEST(Chart, MarksTheBestValueAndSaysWhichValueTheLegendShows) {
  const std::string lowest = draw(Chart{"", "updates", "", {{"held out", {{1, 5}, {2, 3}, {3, 4}}, Best::lowest}}});
  EXPECT_NE(lowest.find("held out <b>3</b> <small>best, last 4</small>"), std::string::npos) << lowest;
  EXPECT_EQ(count(lowest, "class='best'"), 1u);
  EXPECT_NE(lowest.find("<title>held out, best\nupdates 2: 3</title>"), std::string::npos);
  const std::string highest = draw(Chart{"", "", "", {{"bleu", {{1, 5}, {2, 7}}, Best::highest}}});
  EXPECT_NE(highest.find("bleu <b>7</b> <small>best</small>"), std::string::npos) << "the last one is the best";
}

TEST(Chart, KeepsTheBestValueOfALongRun) {
  Series series{"a", {}, Best::lowest};
  for (int i = 0; i < 10'000; ++i) series.points.emplace_back(i, i == 5000 ? 1 : 9);
  EXPECT_NE(draw(Chart{"", "", "", {series}}).find("<b>1</b> <small>best, last 9</small>"), std::string::npos)
      << "thinning takes means, but the best is a value of the log";
}

TEST(Chart, SmoothingFollowsALineAndLevelsNoise) {
  std::vector<std::pair<double, double>> trend, noise;
  for (int i = 0; i < 50; ++i) {
    trend.emplace_back(i, 3 * i + 1);
    noise.emplace_back(i, i % 2 == 0 ? 1 : -1);
  }
  const auto line = smoothed(trend, 7), level = smoothed(noise, 7);
  ASSERT_EQ(line.size(), trend.size());
  for (std::size_t i = 0; i < line.size(); ++i) EXPECT_NEAR(line[i].second, trend[i].second, 1e-9) << "no lag at " << i;
  for (std::size_t i = 7; i + 7 < level.size(); ++i) EXPECT_NEAR(level[i].second, 0, 1e-9) << i;
}

TEST(Chart, HasADrawingForEveryAxisAndOneLegend) {
  Series noisy{"training", {}, Best::none, true};
  for (int i = 0; i < 40; ++i) noisy.points.emplace_back(i, i % 3);
  const Chart chart{"Loss", "updates", "loss", {noisy}};
  const std::string html = draw(std::vector<View>{{"updates", chart}, {"epochs", chart}});
  EXPECT_EQ(count(html, "class='chart over-updates'"), 1u);
  EXPECT_EQ(count(html, "class='chart over-epochs'"), 1u);
  EXPECT_EQ(count(html, "<ul class='legend'>"), 1u);
  for (const char* strength : {"line raw", "line smooth some", "line smooth more"})
    EXPECT_EQ(count(html, strength), 2u);
  EXPECT_TRUE(is_balanced(html));
}

TEST(Chart, HandlesEmptySeriesNaNAndASinglePoint) {
  EXPECT_NE(draw(Chart{"Empty", "", "", {{"a", {}}}}).find("nothing yet"), std::string::npos);
  const double nan = std::nan("");
  EXPECT_EQ(draw(Chart{"", "", "", {{"a", {{1, nan}, {2, 3}}}}}).find("nan"), std::string::npos);
  EXPECT_EQ(draw(Chart{"", "", "", {{"a", {{5, 5}}}}}).find("nan"), std::string::npos);
  EXPECT_EQ(draw(Chart{"", "", "", {{"a", {{5, 0}, {6, 0}}}}}).find("nan"), std::string::npos);
}

TEST(Chart, AxesOfPowersOfTwoHaveThemAsTicks) {
  const Axis axis{AxisKind::log2, 64, 4096, 0, 600};
  std::vector<std::string> labels;
  for (const auto& [value, label] : axis.ticks(8)) labels.push_back(label);
  EXPECT_EQ(labels, (std::vector<std::string>{"64", "128", "256", "512", "1024", "2048", "4096"}));
  EXPECT_NEAR(axis(128) - axis(64), axis(4096) - axis(2048), 1e-9);
  EXPECT_EQ(axis.ticks(4).size(), 4u) << "every second one where there is less room";
}

TEST(Chart, TwentySeriesDifferInColourOrDashes) {
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 20; ++i) looks.insert(series_swatch(i).substr(series_swatch(i).find("<line")));
  EXPECT_GE(looks.size(), 12u) << "dashes and markers alone, without colour";
  looks.clear();
  for (std::size_t i = 0; i < kDistinctSeries; ++i) looks.insert(std::to_string(i % kColours) + series_dash(i));
  EXPECT_EQ(looks.size(), kDistinctSeries);
}

TEST(Chart, LongRunsAreThinned) {
  Series series{"a", {}};
  for (int i = 0; i < 100'000; ++i) series.points.emplace_back(i, i % 7);
  EXPECT_LE(pixels(draw(Chart{"", "", "", {series}})).size(), 400u);
}

double attribute(const std::string& svg, const std::string& name, std::size_t from = 0) {
  const std::size_t at = svg.find(name + "='", from) + name.size() + 2;
  return std::stod(svg.substr(at));
}

TEST(Bars, AreAsLongAsTheirValuesAndShowWhatIsMissing) {
  const std::string svg =
      draw(Bars{.title = "BLEU",
                .label = "BLEU",
                .bars = {{.name = "a <b>", .remark = "2014", .value = 10, .half_width = 1, .published = {}},
                         {.name = "c", .remark = {}, .value = 20, .half_width = {}, .published = 25},
                         {.name = "d", .remark = {}, .value = {}, .half_width = {}, .published = {}}}});
  const std::size_t first = svg.find("class='bar'"), second = svg.find("class='bar'", first + 1);
  EXPECT_NEAR(2 * attribute(svg, "width", first), attribute(svg, "width", second), 0.2);
  EXPECT_EQ(count(svg, "class='bar'"), 2u);
  for (const char* part : {"a &lt;b&gt;: 10.0 ± 1.0", "c: 20.0, published 25.0", "not run yet", "2014"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_NE(svg.find("y='127.0'>not run yet</text>"), std::string::npos) << "below the name, not beside it";
}

TEST(Bars, ShortenNamesThatDoNotFit) {
  const std::string name(100, 'x');
  const std::string svg =
      draw(Bars{.title = "BLEU",
                .label = "BLEU",
                .bars = {{.name = name, .remark = {}, .value = 10, .half_width = {}, .published = {}}}});
  EXPECT_NE(svg.find("<title>" + name + ": 10.0</title>"), std::string::npos) << "the whole name is a tooltip";
  EXPECT_NE(svg.find("<div class='name'>" + name + "</div></foreignObject>"), std::string::npos);
  EXPECT_LT(attribute(svg, "width", svg.find("<foreignObject")), attribute(svg, "x", svg.find("class='value'")));
}

TEST(Table, SharesTheHeadingsOfGroupsAndScopesThem) {
  const Table table{
      .title = "T <1>",
      .head = {{.title = "system"}, {.title = "ours", .group = "BLEU"}, {.title = "theirs", .group = "BLEU"}},
      .rows = {{{.text = "a|b"}, {.text = "1.5", .remark = "± 1", .hint = "sig", .best = true}, {.text = "–"}}},
      .notes = {"a note & more"}};
  const std::string html = to_html(table);
  for (const char* part : {"<caption>T &lt;1&gt;</caption>", "<th scope='colgroup' class='first' colspan='2'>BLEU</th>",
                           "<th scope='row'>a|b</th>", "title='sig'><strong>1.5</strong> <small>± 1</small></td>",
                           "<li>a note &amp; more</li>"})
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
  EXPECT_TRUE(is_balanced(html));
  EXPECT_EQ(to_markdown(table),
            "| system | BLEU ours | theirs |\n|---|---:|---:|\n| a\\|b | **1.5** ± 1 | – |\n\n- a note & more\n");
}

TEST(WordMatrix, HasACellForEveryPairOfWords) {
  const std::string svg = draw(WordMatrix{{"a", "house", "."}, {"ein", "<Haus>"}, {1, 0, 0.25, 0.75, 0.5, 0.5}, {}});
  EXPECT_EQ(count(svg, "class='cell'"), 6u);
  EXPECT_EQ(count(svg, "fill-opacity='0.750'"), 1u);
  EXPECT_NE(svg.find("house / &lt;Haus&gt;: 0.750"), std::string::npos);
  EXPECT_EQ(svg.find("<Haus>"), std::string::npos);
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_NE(support::message([] { draw(WordMatrix{{"a"}, {"b"}, {}, {}}); }).find("1 x 1 weights"), std::string::npos);
}

TEST(WordMatrix, FramesLinksInAFileOfItsOwn) {
  const WordMatrix matrix{{"a", "b"}, {"x"}, {1, 0}, {false, true}};
  EXPECT_EQ(draw_file(matrix).rfind("<svg xmlns=", 0), 0u);
  EXPECT_TRUE(is_balanced(draw_file(matrix)));
  EXPECT_EQ(count(draw_file(matrix), "class='cell framed'"), 1u);
  EXPECT_EQ(count(draw_file(matrix), "class='cell'"), 1u);
  EXPECT_NE(support::message([] {
              draw(WordMatrix{{"a"}, {"b"}, {1}, {true, true}});
            }).find("1 x 1 frames"),
            std::string::npos);
}

TEST(RunReport, ShowsCurvesSamplesAndSettingsWithoutTheNetwork) {
  support::TempFolder folder;
  train::RunRecord record;
  record.settings = {{"batch.size", "8"}};
  record.facts = {{"training pairs", "48"}};
  train::JsonLog log(folder.file("log.jsonl"), record);
  ReportWriter report(folder.path());
  log.on_start({});
  report.on_start({});
  EXPECT_TRUE(std::filesystem::exists(report.path())) << "the page exists from the start";
  for (std::uint64_t update = 10; update <= 80; update += 10) {
    train::StepReport step;
    step.position = {update, static_cast<double>(update) / 100, 10 * update};
    step.sums = {30, 20, 10};
    step.rate = 1e-3;
    log.on_log(step);
    train::Validation validation;
    validation.position = step.position;
    validation.scores.set("loss", 3.0);
    validation.scores.set("bleu", static_cast<double>(update));
    validation.best = true;
    validation.samples.push_back({"ein <b>", "a ref", "out " + std::to_string(update), {"ein"}, {"out"}, {1.f}});
    log.on_validation(validation);
    report.on_validation(validation);
  }
  const std::string page = support::read_all(report.path());
  for (const char* part : {"Loss", "BLEU and chrF", "Learning rate", "Throughput", "out 10<", "out 80<",
                           "class='matrix'", "batch.size: 8", "training pairs", "ein &lt;b&gt;"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(count(page, "<details"), 6u + 1u) << "six stages of one sentence, and the settings";
  EXPECT_TRUE(is_balanced(without_scripts(page)));
}

TEST(RunReport, OfARunThatDivergesShowsTheFinitePart) {
  support::TempFolder folder;
  train::JsonLog log(folder.file("log.jsonl"));
  ReportWriter report(folder.path());
  log.on_start({});
  report.on_start({});
  const auto validate = [&](std::uint64_t update, double loss, float weight) {
    train::StepReport step;
    step.position = {update, 1, 10 * update};
    step.sums = {loss, loss, 1};
    log.on_log(step);
    train::Validation validation;
    validation.position = step.position;
    validation.scores.set("loss", loss);
    validation.scores.set("perplexity", std::exp(loss));
    validation.best = true;
    validation.samples.push_back({"ein", "a", "out", {"ein"}, {"out"}, {weight}});
    log.on_validation(validation);
    report.on_validation(validation);
  };
  validate(10, 2, 1.f);
  validate(20, 1000, 1.f);
  const std::string page = support::read_all(report.path());
  EXPECT_NE(page.find("update 20, loss 1000, perplexity not finite"), std::string::npos) << page;
  validate(30, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN());
  const std::string last = support::read_all(report.path());
  EXPECT_NE(last.find("validation <b>7.389</b> <small>best</small>"), std::string::npos)
      << "the perplexity of the first validation";
  EXPECT_EQ(count(last, "class='matrix'"), 2u) << "weights that are not finite are not drawn";
  EXPECT_EQ(without_scripts(last).find("nan"), std::string::npos);
}

TEST(Escape, ReplacesWhatNoXmlFileMayContain) {
  EXPECT_EQ(escape("a\tb\nc\x01\x1B<\xFF\xEF\xBF\xBFü"),
            "a\tb\nc\xEF\xBF\xBD\xEF\xBF\xBD&lt;\xEF\xBF\xBD\xEF\xBF\xBDü");
  const std::string map = draw_file(WordMatrix{{"a\x02"}, {"b\x1F"}, {1}, {}, "t\x03"});
  for (const char* part : {"a\xEF\xBF\xBD", "b\xEF\xBF\xBD", "t\xEF\xBF\xBD"})
    EXPECT_NE(map.find(part), std::string::npos) << part;
  EXPECT_EQ(map.find_first_of("\x02\x1F\x03"), std::string::npos);
}

TEST(Escape, MarkdownHasNoMarkupAndOneLine) {
  EXPECT_EQ(escape_markdown("a_b | <c>\n# d & e &amp; ~f~"), "a\\_b \\| \\<c> # d & e \\&amp; \\~f\\~");
  EXPECT_EQ(escape_markdown("-0.5"), "-0.5");
  EXPECT_EQ(escape_markdown_block("\n  # d \n"), "\\# d");
  EXPECT_EQ(escape_markdown_block("12) d"), "12\\) d");
  EXPECT_EQ(escape_markdown_block("12 d. - e"), "12 d. - e");
  EXPECT_EQ(escape_markdown_block("- d"), "\\- d");
  EXPECT_EQ(escape_markdown_block(" \n"), "");
  EXPECT_NE(to_markdown(Table{.title = {}, .head = {}, .rows = {}, .notes = {"# n"}}).find("- \\# n\n"),
            std::string::npos);
}

TEST(JsonFile, NumbersAreThereOrNot) {
  const Json json = Json::parse(R"({"a":1.5,"b":null,"c":"2","d":3})");
  EXPECT_EQ(number(json, "a"), 1.5);
  EXPECT_EQ(number(json, "d"), 3);
  for (const char* key : {"b", "c", "missing"}) EXPECT_EQ(number(json, key), std::nullopt) << key;
  EXPECT_EQ(number(Json::array(), "a"), std::nullopt);
}

TEST(JsonFile, ErrorsNameTheFileAndWhatItShouldBe) {
  const support::TempFolder folder;
  const auto read = [](const Json& json) { return json.at("n").get<int>(); };
  EXPECT_EQ(read_json(folder.file("missing"), "a sample", read), std::nullopt);
  EXPECT_EQ(read_json(folder.write("good", R"({"n":3})"), "a sample", read), 3);
  for (const char* text : {"", "{", "[]", R"({"n":"x"})"}) {
    const std::string path = folder.write("bad", text);
    EXPECT_EQ(support::message([&] { read_json(path, "a sample", read); }),
              path + ": not a sample; remove it to measure again");
  }
}

}  // namespace
}  // namespace dragoman::report

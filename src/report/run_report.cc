#include "report/run_report.h"

#include <filesystem>

#include "base/file.h"
#include "base/progress.h"
#include "report/escape.h"
#include "report/json_file.h"
#include "report/page_style.h"

namespace dragoman::report {
namespace {

constexpr auto kPause = std::chrono::seconds(10);  // minimum time between two rewrites of the page
constexpr std::size_t kStages = 6;                 // validations whose samples are shown

// The lines of a log, grouped by kind.
struct History {
  std::vector<Json> train, validation, remarks;
  Json start, end;

  explicit History(const std::string& path) {
    for (Json& line : read_log(path)) {
      const std::string kind = line.value("kind", "");
      if (kind == "train")
        train.push_back(std::move(line));
      else if (kind == "validation")
        validation.push_back(std::move(line));
      else if (kind == "remark")
        remarks.push_back(std::move(line));
      else if (kind == "start")
        start = std::move(line);
      else if (kind == "end")
        end = std::move(line);
    }
  }
};

Series series(const std::string& name, const std::vector<Json>& lines, const Json::json_pointer& value) {
  Series found{name, {}};
  for (const Json& line : lines)
    if (const auto found_value = line.contains(value) ? number(line.at(value)) : std::nullopt)
      found.points.emplace_back(number(line, "update").value_or(0), *found_value);
  return found;
}

Chart chart(const std::string& title, const std::string& label, std::vector<Series> lines,
            AxisKind axis = AxisKind::linear) {
  return {.title = title, .x_label = "updates", .y_label = label, .series = std::move(lines), .y = axis};
}

std::string charts(const History& history) {
  using P = Json::json_pointer;
  std::string html = "<section class='charts'>";
  const auto add = [&](const Chart& one) {
    for (const Series& line : one.series)
      if (!line.points.empty()) {
        html += draw(one);
        return;
      }
  };
  add(chart(
      "Loss", "negative log-likelihood per token",
      {series("training", history.train, P("/nll")), series("validation", history.validation, P("/scores/loss"))}));
  add(chart("Perplexity", "perplexity",
            {series("training", history.train, P("/perplexity")),
             series("validation", history.validation, P("/scores/perplexity"))},
            AxisKind::log10));
  add(chart(
      "BLEU and chrF", "score of the validation set, 0 to 100",
      {series("BLEU", history.validation, P("/scores/bleu")), series("chrF", history.validation, P("/scores/chrf"))}));
  add(chart("Accuracy and F1", "score of the validation set, in per cent",
            {series("accuracy", history.validation, P("/scores/accuracy")),
             series("F1", history.validation, P("/scores/f1"))}));
  add(chart("Learning rate", "learning rate", {series("rate", history.train, P("/rate"))}));
  add(chart("Gradient norm", "norm of the gradient", {series("norm", history.train, P("/gradient_norm"))}));
  add(chart("Throughput", "target tokens per second", {series("throughput", history.train, P("/tokens_per_second"))}));
  return html + "</section>";
}

std::string table(const Facts& facts) {
  std::string html = "<table>";
  for (const auto& [name, words] : facts)
    html += fmt::format("<tr><th scope='row'>{}</th><td>{}</td></tr>", escape(name), escape(words));
  return html + "</table>";
}

Facts summary(const History& history) {
  Facts facts;
  const Json* last = !history.train.empty() ? &history.train.back() : nullptr;
  if (last)
    facts.emplace_back(
        "now",
        fmt::format("update {}, epoch {:.2f}, {} target tokens", with_commas(last->value("update", std::int64_t{0})),
                    number(*last, "epoch").value_or(0), with_commas(last->value("tokens", std::int64_t{0}))));
  for (auto line = history.validation.rbegin(); line != history.validation.rend(); ++line) {
    if (!line->value("best", false)) continue;
    std::string words = fmt::format("update {}", with_commas(line->value("update", std::int64_t{0})));
    const Json scores = line->value("scores", Json::object());
    for (const auto& [name, value] : scores.items()) {
      if (!train::metric_and_part(name).second.empty()) continue;
      const std::optional<double> finite = number(value);
      words += fmt::format(", {} {}", name, finite ? short_number(*finite) : "not finite");
    }
    facts.emplace_back("best so far", words);
    break;
  }
  if (history.end.is_object())
    facts.emplace_back("ended", fmt::format("{}, {} of training", history.end.value("reason", ""),
                                            clock_time(number(history.end, "seconds").value_or(0))));
  for (const Json& remark : history.remarks) facts.emplace_back("remark", remark.value("words", ""));
  return facts;
}

// The validations to show: the first, the last and some evenly spaced ones between them.
std::vector<const Json*> stages(const History& history) {
  const std::size_t count = history.validation.size(), shown = std::min(count, kStages);
  std::vector<const Json*> chosen;
  for (std::size_t i = 0; i < shown; ++i)
    chosen.push_back(&history.validation[shown == 1 ? 0 : i * (count - 1) / (shown - 1)]);
  return chosen;
}

// The weights of a sample; none if some of them are not finite.
std::vector<double> finite_weights(const Json& weights) {
  std::vector<double> found;
  for (const Json& weight : weights)
    if (const auto value = number(weight)) found.push_back(*value);
  return found.size() == weights.size() ? found : std::vector<double>();
}

std::string stage(const Json& validation, const Json& sample, bool open) {
  std::string html =
      fmt::format("<details{}><summary><span class='when'>update {}</span> {}</summary>", open ? " open" : "",
                  with_commas(validation.value("update", std::int64_t{0})), escape(sample.value("output", "")));
  const WordMatrix attention{.rows = sample.at("output_pieces"),
                             .columns = sample.at("source_pieces"),
                             .weights = finite_weights(sample.at("attention")),
                             .framed = {}};
  if (!attention.weights.empty() && attention.weights.size() == attention.rows.size() * attention.columns.size())
    html += draw(attention);
  return html + "</details>";
}

std::string samples(const History& history) {
  const std::vector<const Json*> shown = stages(history);
  if (shown.empty() || shown.back()->at("samples").empty()) return "";
  std::string html = "<h2>Translations during training</h2>";
  const Json& last = shown.back()->at("samples");
  for (std::size_t i = 0; i < last.size(); ++i) {
    html += fmt::format("<article><p class='source'>{}</p><p class='reference'>{}</p>",
                        escape(last[i].value("source", "")), escape(last[i].value("reference", "")));
    for (const Json* validation : shown)
      if (validation->at("samples").size() > i)
        html += stage(*validation, validation->at("samples")[i], validation == shown.back());
    html += "</article>";
  }
  return html;
}

}  // namespace

std::string run_page(const std::string& log_path, const RunDescription& description) {
  const History history(log_path);
  std::string html = fmt::format(
      "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width,initial-scale=1'><title>{0}</title><style>{1}</style></head><body><h1>{0}</h1>",
      escape(description.title), page_style());
  html += table(summary(history)) + charts(history) + samples(history);
  html += "<h2>Data and model</h2>" + table(description.facts);
  html += "<h2>Configuration</h2><details><summary>all settings</summary><pre>" + escape(description.settings) +
          "</pre></details>";
  return html + "</body></html>\n";
}

void ReportWriter::on_start(const train::RunInfo&) {
  started_ = true;
  write();
}

void ReportWriter::on_log(const train::StepReport&) {
  if (Clock::now() - written_ >= kPause) write();
}

void ReportWriter::write() {
  if (!started_) return;
  std::filesystem::create_directories(output_ + "/report");
  AtomicFile file(path());
  file.write(run_page(output_ + "/log.jsonl", description_));
  file.commit();
  written_ = Clock::now();
}

}  // namespace dragoman::report

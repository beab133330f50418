#include "report/run_report.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/progress.h"
#include "base/utc_time.h"
#include "report/axis.h"
#include "report/escape.h"
#include "report/facts.h"
#include "report/page_frame.h"
#include "report/run_charts.h"
#include "report/table.h"
#include "report/word_matrix.h"
#include "train/scores.h"

namespace dragoman::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLiveScript =
#include "report/live.js.inc"
    ;

constexpr auto kPause = std::chrono::seconds(10);  // minimum time between two rewrites of the page
constexpr int kShare = 100;                        // a rewrite may take this fraction of the time until the next one
constexpr std::size_t kStages = 6;                 // validations whose samples are shown

std::string position(const Json& line) {
  return fmt::format("update {}, epoch {:.2f}, {} target tokens", count_at(line, "update"),
                     number(line, "epoch").value_or(0), count_at(line, "tokens"));
}

std::string scores_of(const Json& validation) {
  std::string words = "update " + count_at(validation, "update");
  const Json& scores = object_at(validation, "scores");
  for (const auto& [name, value] : scores.items()) {
    if (!train::metric_and_part(name).second.empty()) continue;
    const std::optional<double> finite = number(value);
    words += fmt::format(", {} {}", name, finite ? short_number(*finite) : "not finite");
  }
  return words;
}

Facts summary(const RunHistory& run) {
  Facts facts;
  const bool is_running = run.state == RunState::running;
  if (run.newest.is_object()) facts.emplace_back(is_running ? "now" : "trained until", position(run.newest));
  if (run.start().contains("until") && is_running) {
    std::string ends;
    for (const Json& end : run.start()["until"]) ends += (ends.empty() ? "" : " or ") + end.get<std::string>();
    facts.emplace_back("goes on until", ends);
  }
  facts.emplace_back("time", clock_time(run.seconds()) + " of training and validation");
  if (const Json* const best = run.best()) facts.emplace_back(is_running ? "best so far" : "best", scores_of(*best));
  if (run.end.is_object() && !text(run.end, "model").empty()) facts.emplace_back("model", text(run.end, "model"));
  for (const Json& remark : run.remarks) facts.emplace_back("remark", text(remark, "words"));
  return facts;
}

// How, when and where the run was started.
Facts origin(const RunHistory& run) {
  Facts facts;
  const Json& start = run.start();
  const auto add = [&](const char* name, const char* key) {
    if (const std::string words = text(start, key); !words.empty()) facts.emplace_back(name, words);
  };
  for (const Json& one : run.starts) {
    const bool is_resumed = number(one, "update").value_or(0) > 0;
    if (const std::string time = text(one, "time"); !time.empty())
      facts.emplace_back(is_resumed ? "resumed" : "started",
                         show_time(time) + (is_resumed ? ", from update " + count_at(one, "update") : ""));
    if (const std::string command = text(one, "command"); !command.empty())
      facts.emplace_back(is_resumed ? "resumed with" : "started with", command);
  }
  add("preset", "preset");
  if (start.contains("seed")) facts.emplace_back("seed", start["seed"].dump());
  if (start.contains("parameters"))
    facts.emplace_back("parameters",
                       fmt::format("{} ({} trained)", count_at(start, "parameters"), count_at(start, "trainable")));
  if (const std::string device = text(start, "device"); !device.empty())
    facts.emplace_back("device", device + ": " + text(start, "hardware"));
  add("machine", "machine");
  if (const std::string version = text(start, "version"); !version.empty())
    facts.emplace_back("version", "dragoman " + version);
  return facts;
}

Facts data_facts(const RunHistory& run) {
  Facts facts;
  for (const auto& [name, words] : object_at(run.start(), "facts").items())
    facts.emplace_back(name, words.is_string() ? words.get<std::string>() : words.dump());
  return facts;
}

// What became of the pairs that were read. Columns in which all counts are zero are left out.
std::string data_table(const Json& data) {
  std::vector<std::pair<std::string, const Json*>> sets;
  for (const auto& [key, title] : {std::pair("train", "training"), std::pair("validation", "validation")})
    if (const Json& counts = object_at(data, key); !counts.empty()) sets.emplace_back(title, &counts);
  if (sets.empty()) return "";
  Table table{.title = "Sentence pairs", .head = {{.title = "set"}}, .rows = {}, .notes = {}};
  for (const auto& [title, counts] : sets) table.rows.push_back({{.text = title}});
  // A column of the counts of `group`, an object of the line; of the line itself if it is empty.
  const auto add = [&](const std::string& heading, const std::string& group, const std::string& key, bool always) {
    const auto owner = [&](const Json& counts) -> const Json& {
      return group.empty() ? counts : object_at(counts, group);
    };
    const auto has_some = [&](const auto& set) { return number(owner(*set.second), key).value_or(0) > 0; };
    if (!always && std::none_of(sets.begin(), sets.end(), has_some)) return;
    table.head.push_back({.title = heading, .group = group});
    for (std::size_t i = 0; i < sets.size(); ++i)
      table.rows[i].push_back({.text = count_at(owner(*sets[i].second), key)});
  };
  add("read", "", "pairs_read", true);
  add("held out", "", "held_out", false);
  add("kept", "", "kept", true);
  for (const char* group : {"dropped", "cut", "repaired"}) {
    std::set<std::string> keys;
    for (const auto& [title, counts] : sets)
      for (const auto& [key, count] : object_at(*counts, group).items())
        if (keys.insert(key).second) add(key, group, key, false);
  }
  return to_html(table);
}

std::string show_settings(const RunHistory& run) {
  std::string text;
  for (const auto& [key, value] : run.settings) text += fmt::format("{}: {}\n", key, value);
  return text.empty()
             ? ""
             : "<h2>Settings</h2><details><summary>all settings</summary><pre>" + escape(text) + "</pre></details>";
}

// The validations to show: the first, the last and some evenly spaced ones between them.
std::vector<const Json*> stages(const RunHistory& history) {
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

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> found;
  for (const Json& one : list) found.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return found;
}

std::string boxed(const WordMatrix& attention) {
  return fmt::format("<div class='box' role='region' tabindex='0' aria-label='{}'>{}</div>", escape(attention.title),
                     draw(attention));
}

// The maps of a sample: over the source and, if the model attends to it, over the decoder's own past. A damaged log may
// have weights that do not fit.
std::string attention_maps(const Json& sample) {
  const std::vector<std::string> output = texts(list_at(sample, "output_pieces"));
  const WordMatrix attention{.rows = output,
                             .columns = texts(list_at(sample, "source_pieces")),
                             .weights = finite_weights(list_at(sample, "attention")),
                             .framed = {},
                             .title = "Attention over the source"};
  std::string html;
  if (!attention.weights.empty() && attention.weights.size() == attention.rows.size() * attention.columns.size())
    html += boxed(attention);
  std::vector<std::vector<float>> past;
  for (const Json& row : list_at(sample, "past_attention")) {
    const std::vector<double> weights = row.is_array() ? finite_weights(row) : std::vector<double>();
    if (weights.size() == past.size() + 1) past.emplace_back(weights.begin(), weights.end());
  }
  if (!past.empty() && past.size() == output.size()) html += boxed(past_attention_map(output, past));
  return html;
}

std::string stage(const Json& validation, const Json& sample, bool open) {
  std::string html =
      fmt::format("<details{}><summary><span class='when'>update {}</span> <span class='said'>{}</span></summary>",
                  open ? " open" : "", count_at(validation, "update"), escape(text(sample, "output")));
  return html + attention_maps(sample) + "</details>";
}

std::string samples(const RunHistory& history) {
  const std::vector<const Json*> shown = stages(history);
  if (shown.empty() || list_at(*shown.back(), "samples").empty()) return "";
  std::string html = "<h2>Translations during training</h2>";
  const Json& last = list_at(*shown.back(), "samples");
  for (std::size_t i = 0; i < last.size(); ++i) {
    html += fmt::format("<article><p class='source'>{}</p><p class='reference'>{}</p>", escape(text(last[i], "source")),
                        escape(text(last[i], "reference")));
    for (const Json* validation : shown)
      if (list_at(*validation, "samples").size() > i)
        html += stage(*validation, list_at(*validation, "samples")[i], validation == shown.back());
    html += "</article>";
  }
  return html;
}

// The state of the run, and the switch of the live page.
std::string header(const RunHistory& run, const std::string& title) {
  return fmt::format(
      "<h1>{}</h1><p class='state {}'><strong>{}</strong></p><p class='live'><span id='age'></span> "
      "<label hidden><input type='checkbox' id='refresh' checked> refresh automatically</label></p>",
      escape(title), state_name(run.state), escape(run.describe_state()));
}

}  // namespace

std::string run_page(const RunHistory& run, const std::string& name) {
  const std::string title = "dragoman run " + name;
  std::string body = header(run, title) + to_html(summary(run));
  if (!run.train.empty() || !run.validation.empty()) body += chart_controls() + run_charts(run);
  body += samples(run) + "<h2>How it was run</h2>" + to_html(origin(run)) + "<h2>Data</h2>" + to_html(data_facts(run)) +
          data_table(run.data) + show_settings(run);
  return to_html(
      Page{.title = fmt::format("{} ({})", title, state_name(run.state)),
           .style = {},
           .body_attributes = fmt::format(" data-state='{}' data-written='{}'", state_name(run.state), utc_time()),
           .body = body,
           .script = kLiveScript});
}

std::string page_of_run(const std::string& run) {
  return run_page(history_of(run), fs::absolute(find_log(run)).lexically_normal().parent_path().filename().string());
}

std::string report_path(const std::string& run) {
  return (fs::is_regular_file(run) ? fs::path(run).parent_path() : fs::path(run)) / "report" / "index.html";
}

void ReportWriter::on_start(const train::RunInfo&) {
  started_ = true;
  write();
}

void ReportWriter::on_log(const train::StepReport&) {
  if (Clock::now() - written_ >= pause_) write();
}

void ReportWriter::write() {
  if (!started_) return;
  const auto begin = Clock::now();
  fs::create_directories(output_ + "/report");
  const RunHistory history(output_ + "/log.jsonl", true);
  AtomicFile file(path());
  file.write(run_page(history, text(history.start(), "name")));
  file.commit();
  written_ = Clock::now();
  pause_ = std::max<Clock::duration>(kPause, kShare * (written_ - begin));
}

}  // namespace dragoman::report

#include "run/evaluation_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "run/json_text.h"
#include "run/text_table.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;
using Row = TableRow;

std::string number(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

std::string show_p(const std::optional<double>& p) {
  return p ? fmt::format("{:.4f} {}", *p, *p < 0.05 ? "*" : " ") : "";
}

// The table of one metric: a row per system.
std::string comparison(const Evaluation& evaluation, std::size_t m) {
  const double baseline = evaluation.systems[0].scores[m].score;
  std::vector<Row> rows = {
      {evaluation.metrics[m]->name(), "score", "difference", "mean ± 95 %", "p bootstrap  ", "p randomization  "}};
  for (const SystemResult& system : evaluation.systems) {
    const SystemScore& score = system.scores[m];
    const bool is_first = &system == &evaluation.systems[0];
    rows.push_back({"  " + system.path, number(score.score, evaluation.digits),
                    is_first ? "" : fmt::format("{:+.{}f}", score.score - baseline, evaluation.digits),
                    score.confidence ? fmt::format("{:.{}f} ± {:.{}f}", score.confidence->mean, evaluation.digits,
                                                   score.confidence->half_width, evaluation.digits)
                                     : "",
                    show_p(score.p_bootstrap), show_p(score.p_randomization)});
  }
  return text_table(rows);
}

std::string slice_table(const Evaluation& evaluation, const SliceTable& slices) {
  std::string text;
  for (const SystemResult& system : evaluation.systems) {
    std::vector<Row> rows = {{"by " + slices.name + ": " + system.path, "sentences"}};
    for (const auto& metric : evaluation.metrics) rows[0].push_back(metric->name());
    for (const eval::Slice& slice : slices.slices) {
      Row row = {"  " + slice.name, std::to_string(slice.sentences.size())};
      for (std::size_t m = 0; m < evaluation.metrics.size(); ++m)
        row.push_back(
            number(evaluation.metrics[m]->score(system.scores[m].statistics.sum(slice.sentences)), evaluation.digits));
      rows.push_back(std::move(row));
    }
    text += text_table(rows) + "\n";
  }
  return text;
}

std::string word_table(const Evaluation& evaluation, const SystemResult& system) {
  std::vector<Row> rows = {
      {"words by training frequency: " + system.path, "in reference", "found", "precision", "recall", "F1"}};
  for (const eval::WordClass& words : system.word_classes)
    rows.push_back({"  " + words.name, std::to_string(words.in_reference), std::to_string(words.common),
                    number(100 * words.precision(), evaluation.digits), number(100 * words.recall(), evaluation.digits),
                    number(100 * words.f1(), evaluation.digits)});
  return text_table(rows) + "\n";
}

std::string single_system(const Evaluation& evaluation) {
  const SystemResult& system = evaluation.systems[0];
  std::vector<Row> rows = {{system.path, "score"}};
  if (system.scores[0].confidence) rows[0].push_back("mean ± 95 %");
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const SystemScore& score = system.scores[m];
    Row row = {"  " + evaluation.metrics[m]->name(), number(score.score, evaluation.digits)};
    if (score.confidence)
      row.push_back(number(score.confidence->mean, evaluation.digits) + " ± " +
                    number(score.confidence->half_width, evaluation.digits));
    rows.push_back(std::move(row));
  }
  return text_table(rows) + "\n";
}

Json detail_value(const eval::Detail& detail) {
  if (detail.is_list) return detail.values;
  return detail.values[0];
}

Json score_json(const eval::Metric& metric, const SystemScore& score, std::size_t references) {
  Json json;
  json["score"] = score.score;
  for (const eval::Detail& detail : metric.details(score.sums)) json[detail.name] = detail_value(detail);
  if (score.confidence) {
    json["mean"] = score.confidence->mean;
    json["ci95"] = score.confidence->half_width;
  }
  if (score.p_bootstrap) json["p_bootstrap"] = *score.p_bootstrap;
  if (score.p_randomization) json["p_randomization"] = *score.p_randomization;
  json["signature"] = metric.signature(references);
  return json;
}

Json slices_json(const Evaluation& evaluation, const SystemResult& system) {
  Json json;
  for (const SliceTable& slices : evaluation.slices)
    for (const eval::Slice& slice : slices.slices) {
      Json entry = {{"slice", slice.name}, {"sentences", slice.sentences.size()}};
      for (std::size_t m = 0; m < evaluation.metrics.size(); ++m)
        entry[evaluation.metrics[m]->key()]["score"] =
            evaluation.metrics[m]->score(system.scores[m].statistics.sum(slice.sentences));
      json[slices.name].push_back(std::move(entry));
    }
  for (const eval::WordClass& words : system.word_classes)
    json["words"].push_back({{"class", words.name},
                             {"in_reference", words.in_reference},
                             {"in_hypothesis", words.in_hypothesis},
                             {"common", words.common},
                             {"precision", words.precision()},
                             {"recall", words.recall()},
                             {"f1", words.f1()}});
  return json;
}

Json system_json(const Evaluation& evaluation, const SystemResult& system, bool with_sentences) {
  Json json = {{"system", system.path}};
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m)
    json[evaluation.metrics[m]->key()] = score_json(*evaluation.metrics[m], system.scores[m], evaluation.references);
  if (!evaluation.slices.empty() || !system.word_classes.empty()) json["slices"] = slices_json(evaluation, system);
  if (!with_sentences) return json;
  for (std::size_t i = 0; i < evaluation.sentences; ++i) {
    Json sentence = {{"line", i + 1}};
    for (std::size_t m = 0; m < evaluation.metrics.size(); ++m)
      sentence[evaluation.metrics[m]->key()] =
          evaluation.metrics[m]->sentence_score(system.scores[m].statistics.row(i));
    json["sentences"].push_back(std::move(sentence));
  }
  return json;
}

}  // namespace

std::string report_text(const Evaluation& evaluation) {
  std::string text =
      fmt::format("{}, {}\n\n", counted(evaluation.sentences, "sentence"), counted(evaluation.references, "reference"));
  if (evaluation.systems.size() == 1) {
    text += single_system(evaluation);
  } else {
    for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) text += comparison(evaluation, m) + "\n";
    text += "* p < 0.05: the difference from the first system is unlikely to be chance\n\n";
  }
  for (const SliceTable& slices : evaluation.slices) text += slice_table(evaluation, slices);
  for (const SystemResult& system : evaluation.systems)
    if (!system.word_classes.empty()) text += word_table(evaluation, system);
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    const eval::Metric& metric = *evaluation.metrics[m];
    const SystemScore& score = evaluation.systems[0].scores[m];
    const std::string remark = metric.remark(score.sums);
    text += fmt::format("{}|{} = {}{}{}\n", metric.name(), metric.signature(evaluation.references),
                        number(score.score, evaluation.digits), remark.empty() ? "" : " ", remark);
  }
  return text;
}

std::string report_sentences(const Evaluation& evaluation) {
  const bool several = evaluation.systems.size() > 1;
  std::string text = several ? "system\tline" : "line";
  for (const auto& metric : evaluation.metrics) text += "\t" + metric->name();
  text += "\n";
  for (const SystemResult& system : evaluation.systems)
    for (std::size_t i = 0; i < evaluation.sentences; ++i) {
      if (several) text += system.path + "\t";
      text += std::to_string(i + 1);
      for (std::size_t m = 0; m < evaluation.metrics.size(); ++m)
        text +=
            "\t" + number(evaluation.metrics[m]->sentence_score(system.scores[m].statistics.row(i)), evaluation.digits);
      text += "\n";
    }
  return text;
}

std::string report_json(const Evaluation& evaluation, bool with_sentences) {
  Json json = system_json(evaluation, evaluation.systems[0], with_sentences);
  for (std::size_t s = 1; s < evaluation.systems.size(); ++s)
    json["systems"].push_back(system_json(evaluation, evaluation.systems[s], with_sentences));
  return to_text(json, 2) + "\n";
}

}  // namespace dragoman::run

#include "run/classification_scores.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"
#include "run/text_table.h"
#include "search/words.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;

// Longest label that is read; a longer line is no label.
constexpr std::size_t kMostLabelBytes = 4096;
// The table of confusions has at most this many labels, which fit a terminal; more are listed by frequency.
constexpr std::size_t kMostInTable = 12;
constexpr std::size_t kMostListed = 20;

const std::string kNoPrediction = "(none)", kUnknownLabel = "(unknown)";

std::string per_cent(double value) { return fmt::format("{:.2f}", value); }

}  // namespace

ClassificationScores::ClassificationScores(const std::string& path, const search::ClassifierModel& model)
    : model_(model), references_(data::open_bytes(path), kMostLabelBytes) {}

void ClassificationScores::add(const search::Prediction& prediction) {
  ++lines_;
  data::Line line;
  if (!references_.next(line)) {
    ++missing_;
    return;
  }
  check(!line.oversized, "{}:{}: expected a label but got more than {} bytes", references_.name(), line.number,
        kMostLabelBytes);
  const bool blank = search::count_display_words(line.text) == 0;
  if (blank && prediction.best.empty()) return;
  check(!blank, "{}:{}: expected a label but got a blank line", references_.name(), line.number);
  const std::optional<std::int32_t> reference = model_.find_label(line.text);
  if (!reference && unknown_++ == 0) first_unknown_ = fmt::format("{}:{}", references_.name(), line.number);
  confusion_.add(reference.value_or(eval::Confusion::kNone),
                 prediction.best.empty() ? eval::Confusion::kNone : prediction.best.front().index);
}

void ClassificationScores::finish() {
  for (data::Line line; missing_ == 0 && references_.next(line);) {
  }
  check(missing_ == 0 && references_.count() == lines_, "{} has {}, but the input has {}", references_.name(),
        counted(references_.count(), "label"), counted(lines_, "line"));
  check(confusion_.lines() > 0, "{} contains no labels", references_.name());
  if (unknown_ > 0)
    log::warning("{}: a label that the model does not have; {} count{} as errors", first_unknown_,
                 counted(unknown_, "such line"), unknown_ == 1 ? "s" : "");
}

const std::string& ClassificationScores::name_of(std::int32_t index, const std::string& none) const {
  return index == eval::Confusion::kNone ? none : model_.labels()[static_cast<std::size_t>(index)];
}

std::string ClassificationScores::text() const {
  const std::string scores =
      fmt::format("accuracy {} % ({} of {}), macro-F1 {} %\n", per_cent(confusion_.accuracy()),
                  with_commas(confusion_.correct()), with_commas(confusion_.lines()), per_cent(confusion_.f1()));
  std::string text = scores + "\n" + label_table() + "\n" +
                     (confusion_.classes().size() <= kMostInTable ? confusion_table() : frequent_confusions());
  text.pop_back();
  return text;
}

std::string ClassificationScores::label_table() const {
  std::vector<TableRow> rows = {{"label", "lines", "predicted", "precision", "recall", "F1"}};
  for (const auto& [index, counts] : confusion_.classes())
    rows.push_back({name_of(index, ""), with_commas(counts.reference), with_commas(counts.predicted),
                    per_cent(counts.precision()), per_cent(counts.recall()), per_cent(counts.f1())});
  return text_table(rows);
}

std::string ClassificationScores::confusion_table() const {
  std::vector<std::int32_t> rows, columns;
  for (const auto& [index, counts] : confusion_.classes()) {
    rows.push_back(index);
    columns.push_back(index);
  }
  const auto adds = [&](auto side) {
    return std::any_of(confusion_.pairs().begin(), confusion_.pairs().end(),
                       [&](const auto& entry) { return entry.first.*side == eval::Confusion::kNone; });
  };
  using Pair = std::pair<std::int32_t, std::int32_t>;
  if (adds(&Pair::first)) rows.push_back(eval::Confusion::kNone);
  if (adds(&Pair::second)) columns.push_back(eval::Confusion::kNone);
  std::vector<TableRow> table = {{"reference \\ predicted"}};
  for (const std::int32_t column : columns) table[0].push_back(name_of(column, kNoPrediction));
  for (const std::int32_t row : rows) {
    table.push_back({name_of(row, kUnknownLabel)});
    for (const std::int32_t column : columns) {
      const auto found = confusion_.pairs().find({row, column});
      table.back().push_back(with_commas(found == confusion_.pairs().end() ? 0 : found->second));
    }
  }
  return text_table(table);
}

std::string ClassificationScores::frequent_confusions() const {
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::uint64_t>> errors;
  for (const auto& entry : confusion_.pairs())
    if (entry.first.first != entry.first.second) errors.push_back(entry);
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<TableRow> rows = {{"most frequent errors: reference", "predicted", "lines"}};
  for (std::size_t i = 0; i < std::min(errors.size(), kMostListed); ++i)
    rows.push_back({name_of(errors[i].first.first, kUnknownLabel), name_of(errors[i].first.second, kNoPrediction),
                    with_commas(errors[i].second)});
  return text_table(rows);
}

Json ClassificationScores::json() const {
  Json json = {{"lines", confusion_.lines()}, {"correct", confusion_.correct()}, {"accuracy", confusion_.accuracy()},
               {"f1", confusion_.f1()},       {"labels", Json::array()},         {"confusion", Json::array()}};
  for (const auto& [index, counts] : confusion_.classes())
    json["labels"].push_back({{"label", name_of(index, "")},
                              {"lines", counts.reference},
                              {"predicted", counts.predicted},
                              {"precision", counts.precision()},
                              {"recall", counts.recall()},
                              {"f1", counts.f1()}});
  const auto label = [&](std::int32_t index) {
    return index == eval::Confusion::kNone ? Json() : Json(name_of(index, ""));
  };
  for (const auto& [pair, lines] : confusion_.pairs())
    json["confusion"].push_back(
        {{"reference", label(pair.first)}, {"predicted", label(pair.second)}, {"lines", lines}});
  return json;
}

}  // namespace dragoman::run

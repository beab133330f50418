#include "run/data_counts.h"

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/utc_time.h"
#include "train/append_file.h"

namespace dragoman::run {
namespace {

using nlohmann::ordered_json;

void add(data::Counts& counts, const std::string& name, std::uint64_t count) {
  for (auto& [known, sum] : counts)
    if (known == name) {
      sum += count;
      return;
    }
  counts.emplace_back(name, count);
}

// Adds the report of a token store (data::count_pairs), whose names have prefixes.
void add_report(PairCounts& counts, const data::Counts& report) {
  for (const auto& [name, count] : report) {
    const std::size_t colon = name.find(": ");
    const std::string kind = name.substr(0, colon), reason = colon == std::string::npos ? "" : name.substr(colon + 2);
    if (kind == "read") counts.read += count;
    if (kind == "dropped" || kind == "skipped") add(counts.dropped, reason, count);
    if (kind == "repaired") add(counts.repaired, reason, count);
  }
}

// Adds what the length limits do to the rows of one source.
void add_rows(PairCounts& counts, const data::BatchSource& source, const data::RowOptions& limits) {
  std::uint64_t dropped = 0, cut_source = 0, cut_target = 0;
  for (std::uint64_t row = 0; row < source.store.rows(); ++row) {
    if (data::is_held_out(source.split, row, source.store.rows()) != source.held_out) {
      ++counts.held_out;
      continue;
    }
    const bool long_source = data::exceeds(source.store.source_length(row), limits.max_source_length);
    const bool long_target = data::exceeds(source.store.target_length(row), limits.max_target_length);
    if (limits.too_long == data::TooLong::drop && (long_source || long_target)) {
      ++dropped;
      continue;
    }
    ++counts.kept;
    cut_source += long_source ? 1 : 0;
    cut_target += long_target ? 1 : 0;
  }
  if (limits.max_source_length <= 0 && limits.max_target_length <= 0) return;
  if (limits.too_long == data::TooLong::drop) return add(counts.dropped, "too many tokens", dropped);
  add(counts.cut, "source", cut_source);
  add(counts.cut, "target", cut_target);
}

// "; dropped: 3 too long, 2 empty" without the counts that are zero.
std::string list(const char* what, const data::Counts& counts) {
  std::string words;
  for (const auto& [name, count] : counts)
    if (count > 0) words += fmt::format("{} {} {}", words.empty() ? "" : ",", with_commas(count), name);
  return words.empty() ? "" : fmt::format("; {}:{}", what, words);
}

// "source" as "source sentence" or "source sentences".
data::Counts in_sentences(data::Counts counts) {
  for (auto& [side, count] : counts) side += count == 1 ? " sentence" : " sentences";
  return counts;
}

ordered_json to_json(const data::Counts& counts) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

}  // namespace

PairCounts count_pairs(const std::vector<data::BatchSource>& sources, const data::RowOptions& limits) {
  PairCounts counts;
  for (const data::BatchSource& source : sources) {
    if (!source.held_out) add_report(counts, source.store.report());
    add_rows(counts, source, limits);
  }
  return counts;
}

std::string show(const PairCounts& counts) {
  const std::string kept = counts.kept == counts.read ? "all kept" : with_commas(counts.kept) + " kept";
  const std::string held_out =
      counts.held_out == 0 ? "" : fmt::format("; {} held out for validation", with_commas(counts.held_out));
  return fmt::format("{} read, {}{}{}{}{}", counted(counts.read, "pair"), kept, list("dropped", counts.dropped),
                     list("cut", in_sentences(counts.cut)), list("repaired", counts.repaired), held_out);
}

ordered_json to_json(const PairCounts& counts) {
  return {{"pairs_read", counts.read},          {"held_out", counts.held_out}, {"kept", counts.kept},
          {"dropped", to_json(counts.dropped)}, {"cut", to_json(counts.cut)},  {"repaired", to_json(counts.repaired)}};
}

void DataLog::on_start(const train::RunInfo& info) {
  ordered_json line = {{"kind", "data"},
                       {"time", utc_time()},
                       {"update", info.begin.updates},
                       {"epoch", info.begin.epochs},
                       {"tokens", info.begin.tokens},
                       {"train", to_json(counts_.training)}};
  log::info("training data: {}", show(counts_.training));
  if (counts_.validation) {
    line["validation"] = to_json(*counts_.validation);
    log::info("validation data: {}", show(*counts_.validation));
  }
  train::AppendFile(log_path_).append(line.dump() + "\n");
}

}  // namespace dragoman::run

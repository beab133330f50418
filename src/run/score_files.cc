#include "run/score_files.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "align/alignment.h"
#include "base/progress.h"
#include "data/line_writer.h"
#include "data/pair_reader.h"
#include "run/request_reader.h"
#include "search/words.h"

namespace dragoman::run {

std::vector<WordScore> score_words(const search::Model& model, const search::PairScore& score) {
  const std::span<const std::int32_t> ids = std::span(score.target).first(score.target.size() - 1);
  const std::string text = model.target().decode(ids);
  const std::vector<text::Span> spans = search::target_spans(model.target(), ids, text);
  const std::vector<int> words = search::words_of(text, spans);
  std::vector<WordScore> result;
  int before = -1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto value = static_cast<double>(score.log_probabilities[i]);
    const std::string piece = text.substr(spans[i].begin, spans[i].end - spans[i].begin);
    if (result.empty() || (words[i] >= 0 && words[i] != before)) {
      result.push_back({piece, value});
    } else {
      result.back().word += piece;
      result.back().log_probability += value;
    }
    before = words[i] >= 0 ? words[i] : before;
  }
  for (WordScore& word : result) word.word.erase(0, word.word.find_first_not_of(' '));
  result.push_back({"</s>", static_cast<double>(score.log_probabilities.back())});
  return result;
}

nlohmann::ordered_json to_json(std::uint64_t line, const search::Model& model, const search::PairScore& score) {
  nlohmann::ordered_json json{{"line", line},
                              {"log_probability", score.sum()},
                              {"tokens", score.log_probabilities.size()},
                              {"perplexity", std::exp(-score.sum() / static_cast<double>(score.target.size()))}};
  for (const WordScore& word : score_words(model, score)) json["words"].push_back({word.word, word.log_probability});
  const auto pieces = [](const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
    std::vector<std::string> found;
    for (const std::int32_t id : ids) found.push_back(tokenizer.piece(id));
    return found;
  };
  if (!score.source.empty()) {
    json["source_tokens"] = pieces(model.source(), score.source);
    json["target_tokens"] = pieces(model.target(), score.target);
  }
  if (!score.attention.empty()) json["attention"] = score.attention;
  if (!score.past_attention.empty()) json["past_attention"] = score.past_attention;
  return json;
}

eval::LogLikelihood score_files(const search::Model& model, const ScoredFiles& files, const OnScore& on_score) {
  // In memory at a time: pairs, and bytes of their text before the last pair.
  constexpr std::size_t kWindow = 4096, kWindowBytes = std::size_t{16} << 20;
  const auto reader =
      data::PairReader::open({.source = files.source, .target = files.target}, {.max_line_bytes = kUsualLineBytes});
  std::optional<data::LineWriter> alignment_file;
  if (!files.alignments.empty()) alignment_file.emplace(files.alignments);
  Progress progress("score", 0, "pairs");
  search::ScoringOptions scoring{
      .alignment = alignment_file.has_value(),
      .attention = files.attention,
      .to = files.to,
      .from = files.from,
      .advance = [&](std::size_t done) { progress.advance(static_cast<std::int64_t>(done)); }};
  eval::LogLikelihood total;
  std::uint64_t& line = scoring.first_line;
  for (bool more = true; more;) {
    std::vector<SentencePair> pairs;
    std::size_t bytes = 0;
    for (data::Pair pair; pairs.size() < kWindow && bytes < kWindowBytes && (more = reader->next(pair));) {
      bytes += pair.source.size() + pair.target.size();
      pairs.push_back({pair.source, pair.target});
    }
    // Every line is a pair, so none may be skipped.
    check(reader->report().skipped_length == 0, "{} or {}: a line is longer than {} bytes", files.source, files.target,
          kUsualLineBytes);
    const std::vector<search::PairScore> scores = search::score_pairs(model, pairs, scoring);
    for (std::size_t i = 0; i < scores.size(); ++i, ++line) {
      on_score(line, scores[i]);
      if (alignment_file) alignment_file->write(align::to_pharaoh(scores[i].alignment));
      total += {scores[i].sum(), std::ssize(scores[i].target), search::count_display_words(pairs[i].target) + 1};
    }
  }
  if (alignment_file) alignment_file->commit();
  progress.finish();
  return total;
}

}  // namespace dragoman::run

#include "text/subword_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "text/unicode.h"

namespace dragoman::text {
namespace {

// How much lower than the worst piece an uncovered character scores, as in SentencePiece.
constexpr double kUnknownPenalty = 10;

std::unordered_map<std::string_view, std::int32_t> index_of(const std::vector<std::string>& pieces) {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!pieces[id].empty()) ids.emplace(pieces[id], static_cast<std::int32_t>(id));
  return ids;
}

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<double>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace

UnigramSampler::UnigramSampler(const ScoredPieces& model)
    : pieces_(model.pieces), prefixes_(index_of(pieces_)), scores_(model.scores) {
  double worst = 0;
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    const std::string_view piece = pieces_[id];
    if (!piece.empty()) worst = std::min(worst, static_cast<double>(scores_[id]));
    for (std::size_t end = 0; end < piece.size(); end += code_point_at(piece, end).length)
      prefixes_.emplace(piece.substr(0, end), -1);
  }
  unknown_score_ = worst - kUnknownPenalty;
}

std::vector<Segment> UnigramSampler::sample(std::string_view text, double alpha, Random& random) const {
  struct Arc {
    std::uint32_t begin;
    std::int32_t id;
    double weight;  // log weight of all segmentations that end with this arc
  };
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  std::vector<double> total(text.size() + 1, kNothing);
  std::vector<std::vector<Arc>> arriving(text.size() + 1);
  total[0] = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t character = code_point_at(text, begin).length;
    for (std::size_t end = begin + character;;) {
      const auto found = prefixes_.find(text.substr(begin, end - begin));
      const std::int32_t id = found != prefixes_.end() ? found->second : -1;
      if (id >= 0 || end == begin + character) {
        const double weight = total[begin] + alpha * (id >= 0 ? static_cast<double>(scores_[id]) : unknown_score_);
        arriving[end].push_back({static_cast<std::uint32_t>(begin), id, weight});
        total[end] = log_add(total[end], weight);
      }
      if (found == prefixes_.end() || end == text.size()) break;
      end += code_point_at(text, end).length;
    }
    begin += character;
  }
  std::vector<Segment> segments;
  for (std::size_t end = text.size(); end > 0;) {
    double left = random.uniform();
    const Arc* chosen = &arriving[end].back();
    for (const Arc& arc : arriving[end]) {
      left -= std::exp(arc.weight - total[end]);
      if (left < 0) {
        chosen = &arc;
        break;
      }
    }
    segments.push_back({chosen->id, static_cast<std::uint32_t>(end) - chosen->begin});
    end = chosen->begin;
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

BpeSampler::BpeSampler(const ScoredPieces& model) : pieces_(model.pieces), ids_(index_of(pieces_)) {
  std::vector<std::int32_t> order;
  for (const auto& [piece, id] : ids_) order.push_back(id);
  std::sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
    return model.scores[left] != model.scores[right] ? model.scores[left] > model.scores[right] : left < right;
  });
  // Two adjacent pieces may be merged if together they spell a piece; better pieces are merged earlier.
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::string_view piece = pieces_[order[rank]];
    for (std::size_t cut = code_point_at(piece, 0).length; cut < piece.size();
         cut += code_point_at(piece, cut).length) {
      const auto left = ids_.find(piece.substr(0, cut)), right = ids_.find(piece.substr(cut));
      if (left != ids_.end() && right != ids_.end())
        merges_.insert(left->second, right->second, {static_cast<std::int32_t>(rank), order[rank]});
    }
  }
}

std::vector<Segment> BpeSampler::sample(std::string_view text, double dropout, Random& random) const {
  std::vector<std::int32_t> symbols;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = code_point_at(text, at).length;
    const auto found = ids_.find(text.substr(at, length));
    symbols.push_back(found != ids_.end() ? found->second : -1);
    at += length;
  }
  apply_merges(merges_, MergeOrder::immediate, dropout, random, symbols);
  std::vector<Segment> segments;
  std::size_t at = 0;
  for (const std::int32_t id : symbols) {
    const std::size_t length = id >= 0 ? pieces_[id].size() : code_point_at(text, at).length;
    segments.push_back({id, static_cast<std::uint32_t>(length)});
    at += length;
  }
  return segments;
}

}  // namespace dragoman::text

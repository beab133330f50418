#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/progress.h"
#include "text/build.h"
#include "text/byte_bpe.h"
#include "text/byte_bpe_split.h"
#include "text/vocabulary.h"

namespace dragoman::text {
namespace {

constexpr std::int32_t kBytes = 256, kSpecial = 8;

using SymbolPair = std::uint64_t;
SymbolPair pair_of(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

// Learns BPE merges: repeatedly merges the most frequent pair of adjacent symbols; ties go to the pair of older
// symbols. Pair counts are updated word by word; the queue may contain outdated counts, which are corrected when
// popped.
class MergeLearner {
 public:
  explicit MergeLearner(const WordCounts& counts) {
    for (int byte = 0; byte < kBytes; ++byte) spellings_.push_back(byte_spellings()[byte]);
    std::vector<const WordCounts::value_type*> entries;
    for (const auto& entry : counts) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(),
              [](const auto* left, const auto* right) { return left->first < right->first; });
    for (const auto* entry : entries) {
      TrainingWord word{{}, entry->second};
      for (const char byte : entry->first) word.symbols.push_back(static_cast<unsigned char>(byte));
      words_.push_back(std::move(word));
      count_pairs(static_cast<std::int32_t>(words_.size()) - 1, +1);
    }
    for (const auto& [pair, count] : counts_) queue_.push({count, pair});
  }

  void learn(std::int32_t merges) {
    Progress progress("learning", merges, "merges");
    while (static_cast<std::int32_t>(merges_.size()) < merges && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (const std::int64_t now = counts_[best.pair]; now != best.count) {
        if (now > 1) queue_.push({now, best.pair});
        continue;
      }
      if (best.count < 2) break;
      apply(best.pair);
      progress.advance();
    }
  }

  std::unique_ptr<Tokenizer> result(int multiple) const {
    nlohmann::json encoder = nlohmann::json::object();
    for (std::size_t id = 0; id < spellings_.size(); ++id) encoder[spellings_[id]] = id;
    std::string merges = "#version: 0.2\n";
    for (const SymbolPair pair : merges_)
      merges += spellings_[pair >> 32] + " " + spellings_[pair & 0xFFFFFFFFu] + "\n";
    return std::make_unique<ByteBpe>(encoder.dump(), merges, multiple);
  }

 private:
  struct TrainingWord {
    std::vector<std::int32_t> symbols;
    std::int64_t count;
  };
  struct Candidate {
    std::int64_t count;
    SymbolPair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void count_pairs(std::int32_t index, int sign) {
    const TrainingWord& word = words_[index];
    for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      const SymbolPair pair = pair_of(word.symbols[i], word.symbols[i + 1]);
      counts_[pair] += sign * word.count;
      if (sign > 0) places_[pair].insert(index);
    }
  }

  void apply(SymbolPair pair) {
    const auto left = static_cast<std::int32_t>(pair >> 32), right = static_cast<std::int32_t>(pair & 0xFFFFFFFFu);
    std::string spelling = spellings_[left] + spellings_[right];
    const auto [place, is_new] = symbols_.emplace(spelling, static_cast<std::int32_t>(spellings_.size()));
    const std::int32_t symbol = place->second;
    if (is_new) spellings_.push_back(std::move(spelling));
    merges_.push_back(pair);
    std::vector<std::int32_t> touched(places_[pair].begin(), places_[pair].end());
    std::sort(touched.begin(), touched.end());
    std::unordered_set<SymbolPair> fresh;
    for (const std::int32_t index : touched) {
      count_pairs(index, -1);
      join(words_[index].symbols, left, right, symbol);
      count_pairs(index, +1);
      const auto& symbols = words_[index].symbols;
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i)
        if (symbols[i] == symbol || symbols[i + 1] == symbol) fresh.insert(pair_of(symbols[i], symbols[i + 1]));
    }
    places_.erase(pair);
    counts_.erase(pair);
    for (const SymbolPair made : fresh) queue_.push({counts_[made], made});
  }

  static void join(std::vector<std::int32_t>& symbols, std::int32_t left, std::int32_t right, std::int32_t symbol) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < symbols.size(); ++to) {
      const bool here = from + 1 < symbols.size() && symbols[from] == left && symbols[from + 1] == right;
      symbols[to] = here ? symbol : symbols[from];
      from += here ? 2 : 1;
    }
    symbols.resize(to);
  }

  std::vector<TrainingWord> words_;
  std::vector<std::string> spellings_;
  std::unordered_map<std::string, std::int32_t> symbols_;
  std::vector<SymbolPair> merges_;
  std::unordered_map<SymbolPair, std::int64_t> counts_;
  std::unordered_map<SymbolPair, std::unordered_set<std::int32_t>> places_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::unique_ptr<Tokenizer> build_byte_bpe(const LineSource& lines, std::int32_t size, int multiple) {
  check(size > kBytes + kSpecial, "byte-level BPE: expected a size of more than {} but got {}", kBytes + kSpecial,
        size);
  WordCounts counts;
  std::string line;
  while (lines(line))
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = byte_bpe_piece_end(line, begin);
      ++counts[line.substr(begin, end - begin)];
      begin = end;
    }
  MergeLearner learner(counts);
  learner.learn(size - kBytes - kSpecial);
  return learner.result(multiple);
}

}  // namespace dragoman::text

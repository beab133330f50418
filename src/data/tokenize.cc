#include "data/tokenize.h"

#include <future>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "data/pair_reader.h"

namespace dragoman::data {
namespace {

// A block of pairs is the unit of work of a thread; a round of blocks is read while the previous round is tokenised.
constexpr std::size_t kBlockPairs = 512, kBlockBytes = 1 << 18, kRoundBlocks = 64;
using PairBlock = std::vector<Pair>;
using Round = std::vector<PairBlock>;

class RoundReader {
 public:
  explicit RoundReader(const TokenRequest& request)
      : reader_(PairReader::open(request.corpus, request.reading)), filters_(request.filters) {}

  // Empty at the end of the corpus.
  Round read() {
    Round round;
    while (round.size() < kRoundBlocks) {
      PairBlock block = read_block();
      if (block.empty()) break;
      round.push_back(std::move(block));
    }
    return round;
  }

  Counts report() const { return count_pairs(reader_->report(), filters_); }

 private:
  PairBlock read_block() {
    PairBlock block;
    std::size_t bytes = 0;
    Pair pair;
    while (block.size() < kBlockPairs && bytes < kBlockBytes && reader_->next(pair)) {
      if (!filters_.keeps(pair)) continue;
      bytes += pair.source.size() + pair.target.size();
      block.push_back(std::move(pair));
    }
    return block;
  }

  std::unique_ptr<PairReader> reader_;
  Filters filters_;
};

void encode_block(const TokenRequest& request, const PairBlock& block, TokenBlock& out) {
  std::vector<std::int32_t> source, target;
  for (const Pair& pair : block) {
    source.clear();
    target.clear();
    request.source->encode(pair.source, source);
    request.target->encode(pair.target, target);
    out.add({source, target, pair.source, pair.target});
  }
}

}  // namespace

void tokenize_corpus(const TokenRequest& request, const std::string& path, std::uint64_t key) {
  const bool small = request.source->size() <= 65536 && request.target->size() <= 65536;
  RoundReader reader(request);
  TokenStoreWriter writer(path, small ? 2 : 4, request.keep_text);
  Progress progress("tokenising " + request.corpus.source, 0, "pairs");
  for (Round round = reader.read(); !round.empty();) {
    std::future<Round> next = std::async(std::launch::async, [&] { return reader.read(); });
    std::vector<TokenBlock> encoded(round.size(), writer.block());
    threads::each(static_cast<std::int64_t>(round.size()), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      encode_block(request, round[at], encoded[at]);
    });
    for (std::size_t i = 0; i < round.size(); ++i) {
      writer.append(encoded[i]);
      progress.advance(static_cast<std::int64_t>(round[i].size()));
    }
    round = next.get();
  }
  writer.finish(key, reader.report());
}

}  // namespace dragoman::data

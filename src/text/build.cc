#include "text/build.h"

#include <algorithm>
#include <mutex>

#include "base/threads.h"
#include "text/vocabulary.h"
#include "text/word_level.h"

namespace dragoman::text {
namespace {

// Reads the source in blocks and calls body(lines, begin, end) for parts of each block on several threads.
template <class Body>
void in_parallel(const LineSource& lines, Body body) {
  constexpr std::size_t kLines = 16384;
  constexpr std::int64_t kGrain = 512;
  std::vector<std::string> batch;
  for (bool more = true; more;) {
    batch.resize(kLines);
    std::size_t count = 0;
    while (count < kLines && (more = lines(batch[count]))) ++count;
    batch.resize(count);
    threads::split(static_cast<std::int64_t>(count), kGrain,
                   [&](std::int64_t begin, std::int64_t end) { body(batch, begin, end); });
  }
}

}  // namespace

std::unique_ptr<Tokenizer> build_words(const LineSource& lines, const WordOptions& rules,
                                       const WordVocabularyOptions& options) {
  const WordRules words(rules);
  WordCounts counts;
  std::mutex mutex;
  in_parallel(lines, [&](const std::vector<std::string>& batch, std::int64_t begin, std::int64_t end) {
    WordCounts mine;
    for (std::int64_t i = begin; i < end; ++i)
      for (Word& word : words.tokenize(batch[i])) ++mine[std::move(word.text)];
    const std::lock_guard lock(mutex);
    for (const auto& [word, count] : mine) counts[word] += count;
  });
  return std::make_unique<WordLevel>(words, Vocabulary::from_counts(counts, options.min_count, options.size),
                                     options.multiple);
}

EncodingStatistics measure_encoding(const Tokenizer& tokenizer, const LineSource& lines) {
  EncodingStatistics all;
  std::vector<char> seen(static_cast<std::size_t>(tokenizer.size()), 0);
  std::mutex mutex;
  const std::int32_t unknown = tokenizer.special().unknown;
  in_parallel(lines, [&](const std::vector<std::string>& batch, std::int64_t begin, std::int64_t end) {
    EncodingStatistics mine;
    std::vector<std::int32_t> ids, used;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::string& line = batch[i];
      ids.clear();
      tokenizer.encode(line, ids);
      ++mine.lines;
      mine.bytes += static_cast<std::int64_t>(line.size()) + 1;
      for (std::size_t at = 0; at < line.size(); ++at)
        mine.words += line[at] != ' ' && (at == 0 || line[at - 1] == ' ');
      mine.ids += static_cast<std::int64_t>(ids.size());
      mine.unknown += std::count(ids.begin(), ids.end(), unknown);
      mine.longest = std::max(mine.longest, static_cast<std::int64_t>(ids.size()));
      used.insert(used.end(), ids.begin(), ids.end());
    }
    const std::lock_guard lock(mutex);
    all.lines += mine.lines;
    all.bytes += mine.bytes;
    all.words += mine.words;
    all.ids += mine.ids;
    all.unknown += mine.unknown;
    all.longest = std::max(all.longest, mine.longest);
    for (const std::int32_t id : used) seen[static_cast<std::size_t>(id)] = 1;
  });
  all.used = std::count(seen.begin(), seen.end(), 1);
  return all;
}

}  // namespace dragoman::text

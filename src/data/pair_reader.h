#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/corpus.h"

namespace dragoman::data {

// A sentence and its translation, both valid UTF-8 without line ends.
struct Pair {
  std::string source, target;
  std::uint64_t line = 0;  // position in its file, from 1
};

// What was skipped or changed while reading.
struct ReadingReport {
  std::uint64_t pairs = 0;           // returned to the caller
  std::uint64_t skipped_utf8 = 0;    // invalid UTF-8 or NUL bytes
  std::uint64_t replaced_utf8 = 0;   // the same, replaced by U+FFFD
  std::uint64_t skipped_length = 0;  // a line longer than max_line_bytes

  // Adds the report of another corpus.
  ReadingReport& operator+=(const ReadingReport& other);
};

// Streams the pairs of one corpus in bounded memory.
class PairReader {
 public:
  virtual ~PairReader() = default;
  // Of a corpus with only one side, both sides of a pair are the same sentence.
  static std::unique_ptr<PairReader> open(const Corpus& corpus, const ReadingOptions& options);

  bool next(Pair& pair);
  const ReadingReport& report() const { return report_; }

 protected:
  enum class Got { pair, oversized, end };

  explicit PairReader(const ReadingOptions& options) : options_(options) {}
  // Reads the next record, without any check.
  virtual Got read(Pair& pair) = 0;
  // The files that the sides come from.
  virtual const std::string& source_name() const = 0;
  virtual const std::string& target_name() const = 0;

  ReadingOptions options_;

 private:
  bool make_valid(Pair& pair);

  ReadingReport report_;
};

}  // namespace dragoman::data

#pragma once

#include <cstdint>
#include <string>

#include "data/line_writer.h"
#include "data/pair_reader.h"

namespace dragoman::data {

// Writes pairs to two files, one per side. Neither appears before both are complete.
class PairWriter {
 public:
  // Fails unless these are two different files.
  PairWriter(const std::string& source, const std::string& target);

  void write(const Pair& pair);
  void commit();
  std::uint64_t written() const { return written_; }

 private:
  LineWriter source_, target_;
  std::uint64_t written_ = 0;
};

}  // namespace dragoman::data

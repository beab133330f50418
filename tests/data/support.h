#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/words.h"
#include "tests/support/errors.h"
#include "tests/support/gzip.h"
#include "tests/support/temp_folder.h"
#include "text/tokenizer.h"

// Shared by the tests of this room.
namespace dragoman::data::testing {

using support::message;
using support::read_all;
using support::TempFolder;
using support::write_gzip;

// Words that spell a number n have id 4 + n, other words are unknown. Sampling repeats each token with probability
// `strength`, so that sampled segmentations are longer and vary.
class NumberTokenizer : public text::Tokenizer {
 public:
  explicit NumberTokenizer(std::int32_t size = 1000) : size_(size) {}

  void encode(std::string_view line, std::vector<std::int32_t>& ids) const override {
    for_each_word(line, [&](std::string_view word) { ids.push_back(id_of(word)); });
  }
  text::Encoded encode_spans(std::string_view) const override { return {}; }
  void encode_sampled(std::string_view line, double strength, Random& random,
                      std::vector<std::int32_t>& ids) const override {
    for_each_word(line, [&](std::string_view word) {
      ids.push_back(id_of(word));
      if (random.uniform() < strength) ids.push_back(id_of(word));
    });
  }
  std::string decode(std::span<const std::int32_t>) const override { return ""; }
  std::int32_t size() const override { return size_; }
  text::SpecialIds special() const override { return {}; }
  std::string piece(std::int32_t id) const override { return std::to_string(id - 4); }
  std::string serialize() const override { return "numbers " + std::to_string(size_); }

 private:
  std::int32_t id_of(std::string_view word) const {
    std::int32_t number = 0;
    for (const char c : word) {
      if (c < '0' || c > '9') return special().unknown;
      number = 10 * number + (c - '0');
    }
    return 4 + number < size_ ? 4 + number : special().unknown;
  }
  std::int32_t size_;
};

}  // namespace dragoman::data::testing

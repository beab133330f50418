#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text/tokenizer.h"

namespace dragoman::text {

// The ids of tokens by their spelling, the inverse of Tokenizer::piece(). The table is made when it is first needed;
// threads may share one.
class PieceIds {
 public:
  // The tokenizer must outlive this object.
  explicit PieceIds(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The unknown id for a token that the vocabulary does not have.
  std::int32_t find(std::string_view piece) const;
  bool contains(std::string_view piece) const;

 private:
  const std::unordered_map<std::string, std::int32_t>& table() const;

  const Tokenizer& tokenizer_;
  mutable std::once_flag made_;
  mutable std::unordered_map<std::string, std::int32_t> table_;
};

// Ids that are never part of a translation by a model with `ids` words: those that the tokenizer names, such as BOS and
// padding, and those that it does not have.
std::vector<std::int32_t> never_written(const Tokenizer& target, int ids);

}  // namespace dragoman::text

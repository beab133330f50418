#pragma once

#include <memory>

#include "text/piece_ids.h"
#include "text/tokenizer.h"

namespace dragoman::python {

// A tokenizer that Python holds.
class Tokenizer {
 public:
  explicit Tokenizer(std::unique_ptr<text::Tokenizer> tokenizer)
      : tokenizer_(std::move(tokenizer)), pieces_(std::make_unique<text::PieceIds>(*tokenizer_)) {}

  const text::Tokenizer& operator*() const { return *tokenizer_; }
  const text::Tokenizer* operator->() const { return tokenizer_.get(); }
  const text::PieceIds& pieces() const { return *pieces_; }

 private:
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::unique_ptr<text::PieceIds> pieces_;
};

}  // namespace dragoman::python

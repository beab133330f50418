#include "text/piece_ids.h"

#include <gtest/gtest.h>

#include "text/build.h"

namespace dragoman::text {
namespace {

std::unique_ptr<Tokenizer> learn_pieces(SubwordKind kind) {
  int left = 50;
  return build_subwords(
      [&](std::string& line) {
        line = "a red house and a blue dog, number " + std::to_string(left);
        return left-- > 0;
      },
      {}, {.kind = kind, .size = 340});
}

TEST(PieceIds, AreTheInverseOfPieces) {
  for (const SubwordKind kind : {SubwordKind::bpe, SubwordKind::unigram}) {
    const std::unique_ptr<Tokenizer> tokenizer = learn_pieces(kind);
    const PieceIds ids(*tokenizer);
    for (std::int32_t id = 0; id < tokenizer->size(); ++id) {
      const std::string piece = tokenizer->piece(id);
      if (piece.empty()) continue;  // it exists only for rounding
      EXPECT_EQ(ids.find(piece), id) << piece;
      EXPECT_TRUE(ids.contains(piece));
    }
  }
}

TEST(PieceIds, OtherTextIsUnknown) {
  const std::unique_ptr<Tokenizer> tokenizer = learn_pieces(SubwordKind::bpe);
  const PieceIds ids(*tokenizer);
  for (const char* const piece : {"", "no such piece", "\xff"}) {
    EXPECT_EQ(ids.find(piece), tokenizer->special().unknown) << piece;
    EXPECT_FALSE(ids.contains(piece)) << piece;
  }
}

}  // namespace
}  // namespace dragoman::text

#include "text/byte_bpe.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "tests/support/mixed_lines.h"
#include "tests/text/support.h"
#include "text/byte_bpe_split.h"
#include "text/tokenizer_file.h"
#include "text/unicode.h"

namespace dragoman::text {
namespace {

using support::fnv;
using support::LineGenerator;

std::string golden(const std::string& name) {
  std::ifstream in(std::string(DRAGOMAN_GOLDEN) + "/byte_bpe_" + name, std::ios::binary);
  EXPECT_TRUE(in.good()) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

const ByteBpe& small_model() {
  static const ByteBpe model(golden("encoder.json"), golden("vocab.bpe"), 8);
  return model;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = byte_bpe_piece_end(text, begin);
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

TEST(ByteBpe, GivesTheIdsOfAnIndependentImplementationOnTenThousandLinesOfMixedScripts) {
  LineGenerator generator(2);
  std::istringstream hashes(golden("hashes.txt"));
  int count = 0;
  for (std::string expected; hashes >> expected; ++count) {
    const std::string line = generator.next();
    const auto ids = ids_of(small_model(), line);
    ASSERT_EQ(fnv(ids), static_cast<std::uint32_t>(std::stoul(expected, nullptr, 16))) << count << ": " << line;
    ASSERT_EQ(small_model().decode(ids), line);
  }
  EXPECT_EQ(count, 10000);
}

TEST(ByteBpe, RandomBytesComeBackUnchanged) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random.below(80), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    ASSERT_EQ(small_model().decode(ids_of(small_model(), bytes)), bytes);
  }
}

TEST(ByteBpe, SplitsAsThePatternOfTheFormatDoes) {
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(split("I'll say it's 12,5  now!  "),
            (Pieces{"I", "'ll", " say", " it", "'s", " 12", ",", "5", " ", " now", "!", "  "}));
  EXPECT_EQ(split("a\n\nb \tc"), (Pieces{"a", "\n", "\n", "b", " ", "\t", "c"}));
  EXPECT_EQ(split("x'S !'s"), (Pieces{"x", "'", "S", " !'", "s"}));
  EXPECT_EQ(split("e\u0301t\u00E9\u00A0\u0967\u00BD\x1Cz"),
            (Pieces{"e", "\u0301", "t\u00E9", "\u00A0", "\u0967\u00BD", "\x1C", "z"}));
  EXPECT_EQ(split("a\xFF\xC3 \x80z"), (Pieces{"a", "\xFF\xC3", " \x80", "z"}));
}

TEST(ByteBpe, SpansAreTheBytesOfEachIdAndCoverTheLine) {
  LineGenerator generator(5);
  for (int round = 0; round < 500; ++round) {
    const std::string line = generator.next();
    const Encoded encoded = small_model().encode_spans(line);
    ASSERT_EQ(encoded.ids, ids_of(small_model(), line));
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < encoded.ids.size(); ++i) {
      ASSERT_EQ(encoded.spans[i].begin, at);
      at = encoded.spans[i].end;
      ASSERT_EQ(small_model().decode({&encoded.ids[i], 1}),
                line.substr(encoded.spans[i].begin, at - encoded.spans[i].begin));
    }
    ASSERT_EQ(at, line.size());
  }
}

TEST(ByteBpe, SampledSegmentationsDecodeToTheLineAndRepeatWithTheirRandomNumbers) {
  LineGenerator generator(6);
  int different = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string line = generator.next();
    std::vector<std::int32_t> first, second, plain, bytes;
    Random one(11, round), two(11, round), unused(1);
    small_model().encode_sampled(line, 0.3, one, first);
    small_model().encode_sampled(line, 0.3, two, second);
    ASSERT_EQ(first, second);
    ASSERT_EQ(small_model().decode(first), line);
    small_model().encode_sampled(line, 0, unused, plain);
    ASSERT_EQ(plain, ids_of(small_model(), line));
    small_model().encode_sampled(line, 1, unused, bytes);
    ASSERT_EQ(bytes.size(), line.size());
    different += first != plain;
  }
  EXPECT_GT(different, 150);
}

TEST(ByteBpe, LongRunsAreJoinedByTheSameRuleAsShortOnes) {
  // Long words are merged with a heap, short ones by scanning; the ids must not depend on which.
  const std::string unit = "ababbaabab";
  std::string line;
  for (int i = 0; i < 20; ++i) line += unit;
  MergeTable table;
  table.insert(0, 1, {0, 2});
  table.insert(2, 2, {1, 3});
  table.insert(2, 0, {2, 4});
  table.insert(4, 1, {0, 5});
  for (std::size_t length = 1; length <= line.size(); ++length) {
    std::vector<std::int32_t> expected, got;
    for (const char c : line.substr(0, length)) expected.push_back(c - 'a');
    got = expected;
    for (;;) {  // by definition: merge the lowest pair everywhere, from left to right
      Merge best;
      for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
        const Merge merge = table.find(expected[i], expected[i + 1]);
        if (merge.rank < best.rank) best = merge;
      }
      if (best.rank == Merge::kNone) break;
      std::vector<std::int32_t> next;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool join = i + 1 < expected.size() && table.find(expected[i], expected[i + 1]).result == best.result;
        next.push_back(join ? best.result : expected[i]);
        i += join ? 1 : 0;
      }
      expected = next;
    }
    apply_merges(table, MergeOrder::rounds, got);
    ASSERT_EQ(got, expected) << length;
  }
}

TEST(ByteBpe, SpecialIdsFollowTheVocabularyAndTheSizeIsRoundedUp) {
  const ByteBpe& model = small_model();
  const std::int32_t known = 256 + 1200;
  EXPECT_EQ(model.special().begin, known);
  EXPECT_EQ(model.special().pad, known + 1);
  EXPECT_EQ(model.special().end, known + 2);
  EXPECT_EQ(model.special().unknown, known + 3);
  EXPECT_EQ(model.piece(known + 4), "<mask>");
  EXPECT_EQ(model.size(), (known + 8 + 7) / 8 * 8);
  EXPECT_EQ(ByteBpe(golden("encoder.json"), golden("vocab.bpe"), 1).size(), known + 8);
  const std::vector<std::int32_t> ids = {model.special().begin, model.special().unknown, model.special().end,
                                         model.special().pad, model.size() - 1};
  EXPECT_EQ(model.decode(ids), "<unk>");
}

TEST(ByteBpe, SpecialSymbolsThatTheVocabularyHoldsAreUsed) {
  std::string encoder = golden("encoder.json");
  encoder.replace(encoder.rfind('}'), 1,
                  R"(, "<s>": 1456, "<pad>": 1457, "</s>": 1458, "<unk>": 1459, "<mask>": 1460})");
  const ByteBpe model(encoder, golden("vocab.bpe"), 1);
  EXPECT_EQ(model.size(), 1461);
  EXPECT_EQ(model.special().end, 1458);
  EXPECT_EQ(model.decode(ids_of(model, "<s> </s>")), "<s> </s>");
  for (const std::int32_t id : ids_of(model, "<s><pad></s>")) EXPECT_LT(id, 1456);
}

TEST(ByteBpe, SerialisedItIsTheSameTokenizer) {
  const std::string data = small_model().serialize();
  const auto copy = deserialize_tokenizer(data);
  EXPECT_EQ(copy->serialize(), data);
  EXPECT_EQ(copy->size(), small_model().size());
  const std::string line = "The interpreter's border — Grenze 😀";
  EXPECT_EQ(ids_of(*copy, line), ids_of(small_model(), line));
}

TEST(ByteBpe, ThreadsMayShareOne) {
  LineGenerator generator(8);
  std::vector<std::string> lines;
  std::vector<std::vector<std::int32_t>> expected;
  for (int i = 0; i < 300; ++i) {
    lines.push_back(generator.next());
    expected.push_back(ids_of(small_model(), lines.back()));
  }
  std::vector<std::thread> workers;
  std::vector<int> wrong(4, 0);
  for (int w = 0; w < 4; ++w)
    workers.emplace_back([&, w] {
      for (std::size_t i = 0; i < lines.size(); ++i) wrong[w] += ids_of(small_model(), lines[i]) != expected[i];
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(std::accumulate(wrong.begin(), wrong.end(), 0), 0);
}

TEST(ByteBpe, DamagedFilesAreRefusedWithTheLine) {
  const auto message = [](const std::string& encoder, const std::string& merges) -> std::string {
    try {
      const ByteBpe model(encoder, merges, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("[]", ""), "encoder.json: expected a JSON object from token to id");
  EXPECT_EQ(message("{\"a\": 0}", ""), "encoder.json: byte 0x00, spelled '\u0100', has no id");
  EXPECT_EQ(message(golden("encoder.json"), "#version: 0.2\nt h\nt\n"),
            "vocab.bpe:3: expected two symbols and one space but got 't'");
  EXPECT_EQ(message(golden("encoder.json"), "t nosuch\n"), "vocab.bpe:1: 'nosuch' is not in encoder.json");
  EXPECT_EQ(message(golden("encoder.json"), "#version: 0.2\n"),
            "vocab.bpe: has no merges, so that most tokens of encoder.json could not occur");
  EXPECT_THROW(deserialize_tokenizer("something else"), Error);
  EXPECT_THROW(deserialize_tokenizer("dragoman-tokenizer 1\n{\"kind\":\"byte-bpe\"}\n"), Error);
}

}  // namespace
}  // namespace dragoman::text

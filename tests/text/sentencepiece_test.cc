#include "text/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "tests/support/errors.h"
#include "tests/text/support.h"
#include "text/subword_sampling.h"

namespace dragoman::text {
namespace {

[[maybe_unused]] const bool kQuiet = (log::set_level(log::Level::warning), true);

// Sentences of a small grammar, enough to train syllables and words.
std::vector<std::string> make_corpus(int count) {
  const std::vector<std::string> subjects = {"the old interpreter", "a tired traveller", "the customs officer",
                                             "der Übersetzer",      "die Reisende",      "अनुवादक"};
  const std::vector<std::string> verbs = {"translates", "remembers", "carries", "versteht", "übersetzte", "पढ़ता है"};
  const std::vector<std::string> objects = {"every letter",     "the heavy trunks", "1,234 words",
                                            "den langen Brief", "die Grenze",       "किताब"};
  const std::vector<std::string> ends = {".", "!", " at the border.", " in the harbour.", " am Hafen.", "।"};
  Random random(17);
  std::vector<std::string> lines;
  const auto pick = [&](const std::vector<std::string>& list) { return list[random.below(list.size())]; };
  for (int i = 0; i < count; ++i) {
    std::string line = pick(subjects);
    for (const auto* list : {&verbs, &objects}) line += " " + pick(*list);
    lines.push_back(line + pick(ends));
  }
  return lines;
}

std::unique_ptr<Tokenizer> train(SubwordKind kind, bool bytes = false, SubwordText text = {}) {
  SubwordOptions options;
  options.kind = kind;
  options.size = bytes ? 400 : 140;
  options.multiple = 8;
  options.character_coverage = 1;
  options.byte_fallback = bytes;
  return build_subwords(lines_of(make_corpus(1500)), text, options);
}

const Tokenizer& model(SubwordKind kind) {
  static const std::unique_ptr<Tokenizer> bpe = train(SubwordKind::bpe), unigram = train(SubwordKind::unigram);
  return kind == SubwordKind::bpe ? *bpe : *unigram;
}

std::vector<std::int32_t> sampled(const Tokenizer& tokenizer, std::string_view line, double strength, Random& random) {
  std::vector<std::int32_t> ids;
  tokenizer.encode_sampled(line, strength, random, ids);
  return ids;
}

class SentencePieceTest : public testing::TestWithParam<SubwordKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SentencePieceTest, testing::Values(SubwordKind::bpe, SubwordKind::unigram),
                         [](const auto& kind) { return name_of(kind.param); });

TEST_P(SentencePieceTest, LinesComeBackUnchanged) {
  const Tokenizer& tokenizer = model(GetParam());
  for (const std::string& line : make_corpus(300)) {
    const auto ids = ids_of(tokenizer, line);
    ASSERT_EQ(tokenizer.decode(ids), line);
    ASSERT_LT(ids.size(), line.size());
    ASSERT_EQ(tokenizer.encode_spans(line).ids, ids);  // the whole line at once, without the cache
  }
  EXPECT_EQ(tokenizer.size() % 8, 0);
  EXPECT_TRUE(ids_of(tokenizer, "").empty());
}

TEST_P(SentencePieceTest, SpansPointIntoTheLineAlsoAfterNormalisation) {
  const auto tokenizer = train(GetParam(), false, {.prepare = {.lower = true}});
  const std::string line = "Die  U\u0308bersetzer\u00A0VERSTEHT";
  const Encoded encoded = tokenizer->encode_spans(line);
  EXPECT_EQ(encoded.ids, ids_of(*tokenizer, line));
  EXPECT_EQ(tokenizer->decode(encoded.ids), "die übersetzer versteht");
  std::string covered;
  std::uint32_t last = 0;
  for (const Span& span : encoded.spans) {
    ASSERT_LE(last, span.end);
    covered += line.substr(std::max(last, span.begin), span.end - std::max(last, span.begin));
    last = span.end;
  }
  EXPECT_EQ(last, line.size());
  EXPECT_NE(covered.find("U\u0308bersetzer"), std::string::npos);
}

TEST_P(SentencePieceTest, SamplesDecodeToTheLineAndRepeatWithTheirRandomNumbers) {
  const Tokenizer& tokenizer = model(GetParam());
  int different = 0, index = 0;
  for (const std::string& line : make_corpus(200)) {
    Random one(3, index), two(3, index), none(1);
    const auto first = sampled(tokenizer, line, 0.7, one);
    ASSERT_EQ(first, sampled(tokenizer, line, 0.7, two));
    ASSERT_EQ(tokenizer.decode(first), line);
    ASSERT_EQ(sampled(tokenizer, line, 0, none), ids_of(tokenizer, line));
    different += first != ids_of(tokenizer, line);
    ++index;
  }
  EXPECT_GT(different, 100);
}

TEST_P(SentencePieceTest, ThreadsThatSampleForTheFirstTimeAtOnceGetTheSameSegmentations) {
  const std::unique_ptr<Tokenizer> fresh = deserialize_tokenizer(model(GetParam()).serialize());
  const std::string line = make_corpus(1)[0];
  std::vector<std::vector<std::int32_t>> found(4);
  std::vector<std::thread> threads;
  for (auto& ids : found)
    threads.emplace_back([&] {
      Random random(5);
      ids = sampled(*fresh, line, 0.7, random);
    });
  for (std::thread& thread : threads) thread.join();
  Random random(5);
  for (const auto& ids : found) EXPECT_EQ(ids, found[0]);
  EXPECT_EQ(found[0], sampled(model(GetParam()), line, 0.7, random));
}

TEST_P(SentencePieceTest, AlmostNoStrengthIsThePlainSegmentation) {
  // Our own merging and lattice against the library's.
  const Tokenizer& tokenizer = model(GetParam());
  Random random(4);
  for (const std::string& line : make_corpus(300))
    ASSERT_EQ(sampled(tokenizer, line, 1e-9, random), ids_of(tokenizer, line)) << line;
}

TEST(SubwordSampling, FullDropoutOfBpeIsCharacters) {
  Random random(4);
  EXPECT_EQ(sampled(model(SubwordKind::bpe), "die Grenze", 1, random).size(), 11u);
}

TEST_P(SentencePieceTest, CharactersNeverSeenAreUnknownOrBytes) {
  const std::string line = "die Ωλ Grenze";
  const Tokenizer& plain = model(GetParam());
  EXPECT_EQ(plain.decode(ids_of(plain, line)), "die <unk> Grenze");
  const auto bytes = train(GetParam(), true);
  EXPECT_EQ(bytes->decode(ids_of(*bytes, line)), line);
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(bytes->decode(sampled(*bytes, line, 0.5, random)), line);
    const auto ids = sampled(plain, line, 0.5, random);
    ASSERT_EQ(std::count(ids.begin(), ids.end(), plain.special().unknown), 1);
  }
}

TEST_P(SentencePieceTest, EveryByteOfACharacterHasItsPlace) {
  const auto tokenizer = train(GetParam(), true);
  const std::string line = "die \u20ac Grenze";
  const Encoded encoded = tokenizer->encode_spans(line);
  int bytes = 0;
  for (std::size_t i = 0; i < encoded.ids.size(); ++i) {
    if (!tokenizer->piece(encoded.ids[i]).starts_with("<0x")) continue;
    ++bytes;
    EXPECT_EQ(line.substr(encoded.spans[i].begin, encoded.spans[i].end - encoded.spans[i].begin), "\u20ac");
  }
  EXPECT_EQ(bytes, 3);
}

TEST_P(SentencePieceTest, SpecialIdsAndRoundingVanish) {
  const Tokenizer& tokenizer = model(GetParam());
  const SpecialIds special = tokenizer.special();
  EXPECT_EQ(special.unknown, 0);
  auto ids = ids_of(tokenizer, "die Grenze");
  ids.insert(ids.begin(), special.begin);
  ids.push_back(special.end);
  ids.push_back(special.pad);
  EXPECT_EQ(tokenizer.decode(ids), "die Grenze");
  EXPECT_THROW(tokenizer.decode(std::vector<std::int32_t>{tokenizer.size()}), Error);
}

TEST_P(SentencePieceTest, TheSameCorpusAndSeedGiveTheSameModel) {
  EXPECT_EQ(train(GetParam())->serialize(), model(GetParam()).serialize());
}

TEST_P(SentencePieceTest, SerialisedItIsTheSameTokenizer) {
  const Tokenizer& tokenizer = model(GetParam());
  const auto copy = deserialize_tokenizer(tokenizer.serialize());
  EXPECT_EQ(copy->serialize(), tokenizer.serialize());
  for (const std::string& line : make_corpus(20)) EXPECT_EQ(ids_of(*copy, line), ids_of(tokenizer, line));
}

TEST(SubwordBuilding, MakesEachDigitAPieceIfAsked) {
  std::vector<std::string> lines = make_corpus(500);
  for (std::string& line : lines) line += " 1994";
  SubwordOptions options;
  options.kind = SubwordKind::bpe;
  options.size = 200;
  options.byte_fallback = false;
  const auto pieces_of_year = [&] { return ids_of(*build_subwords(lines_of(lines), {}, options), "1994").size(); };
  EXPECT_LT(pieces_of_year(), 4u);
  options.split_digits = true;
  EXPECT_GE(pieces_of_year(), 4u);
}

TEST_P(SentencePieceTest, WordsHaveTheSamePiecesAfterMarksAndInCapitals) {
  const auto tokenizer = train(GetParam(), true, {.signs = {.detach_marks = true, .fold_capitals = true}});
  const auto ends_alike = [&](std::string_view line, std::string_view word) {
    const auto ids = ids_of(*tokenizer, line), last = ids_of(*tokenizer, word);
    return ids.size() > last.size() && std::equal(last.rbegin(), last.rend(), ids.rbegin());
  };
  EXPECT_TRUE(ends_alike("„Grenze", "Grenze"));
  EXPECT_TRUE(ends_alike("die (Grenze", "Grenze"));
  EXPECT_TRUE(ends_alike("DIE GRENZE", "die grenze"));
  const auto copy = deserialize_tokenizer(tokenizer->serialize());
  for (const char* line : {"„Grenze“ der US-Grenze", "DIE GRENZE (\"ALT\")", "die Grenze"}) {
    EXPECT_EQ(copy->decode(ids_of(*copy, line)), line);
    EXPECT_EQ(copy->encode_spans(line).ids, ids_of(*tokenizer, line));
    Random random(3);
    EXPECT_EQ(copy->decode(sampled(*copy, line, 0.5, random)), line);
  }
}

TEST(SubwordBuilding, MarksAreOnePieceWithTheSignThatTheyAreDetached) {
  std::vector<std::string> lines = make_corpus(500);
  for (std::string& line : lines) line += " \"at the US-border";
  for (const SubwordKind kind : {SubwordKind::bpe, SubwordKind::unigram}) {
    const SubwordOptions options{.kind = kind, .size = 200, .byte_fallback = false};
    const auto tokenizer = build_subwords(lines_of(lines), {.signs = {.detach_marks = true}}, options);
    const auto pieces = [&](std::string_view line) { return ids_of(*tokenizer, line).size(); };
    EXPECT_EQ(pieces("\"at"), pieces("at") + 1) << name_of(kind);
    EXPECT_EQ(pieces("US-border"), pieces("US border") + 1) << name_of(kind);
  }
}

TEST(SubwordSampling, LearnsFromASampleOfTheLines) {
  SubwordOptions options;
  options.size = 120;
  options.byte_fallback = false;
  options.sample = 300;
  const auto first = build_subwords(lines_of(make_corpus(2000)), {}, options);
  EXPECT_EQ(build_subwords(lines_of(make_corpus(2000)), {}, options)->serialize(), first->serialize());
  options.seed = 2;
  EXPECT_NE(build_subwords(lines_of(make_corpus(2000)), {}, options)->serialize(), first->serialize());
  EXPECT_THROW(build_subwords(lines_of({}), {}, options), Error);
}

TEST(SubwordSampling, UnigramSegmentationsAppearAsOftenAsTheirProbabilities) {
  ScoredPieces pieces;
  pieces.pieces = {"", "a", "b", "ab", "aba", "ba"};
  pieces.scores = {0, -1.5f, -1.2f, -1.0f, -2.5f, -1.4f};
  const UnigramSampler sampler(pieces);
  const std::string text = "abab";
  for (const double alpha : {1.0, 0.3, 0.0}) {
    std::map<std::string, double> weights;
    double sum = 0;
    const std::function<void(std::size_t, std::string, double)> walk = [&](std::size_t at, const std::string& path,
                                                                           double score) {
      if (at == text.size()) {
        weights[path] = std::exp(alpha * score);
        sum += weights[path];
        return;
      }
      for (std::size_t id = 1; id < pieces.pieces.size(); ++id)
        if (text.compare(at, pieces.pieces[id].size(), pieces.pieces[id]) == 0)
          walk(at + pieces.pieces[id].size(), path + " " + std::to_string(id), score + pieces.scores[id]);
    };
    walk(0, "", 0);
    std::map<std::string, int> seen;
    Random random(5);
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      std::string path;
      for (const Segment& segment : sampler.sample(text, alpha, random)) path += " " + std::to_string(segment.id);
      ++seen[path];
    }
    for (const auto& [path, weight] : weights)
      EXPECT_NEAR(seen[path], kDraws * weight / sum, 4 * std::sqrt(kDraws * 0.25)) << path;
    EXPECT_LE(seen.size(), weights.size());
  }
}

TEST(ByteBpeTraining, LearnsTheMostFrequentPairsAndKeepsEveryByte) {
  const auto tokenizer = build_byte_bpe(lines_of(make_corpus(500)), 256 + 8 + 140, 8);
  EXPECT_EQ(tokenizer->size(), 408);
  for (const std::string& line : make_corpus(100)) {
    const auto ids = ids_of(*tokenizer, line);
    EXPECT_EQ(tokenizer->decode(ids), line);
    EXPECT_LT(ids.size(), line.size() / 2);
  }
  EXPECT_EQ(build_byte_bpe(lines_of(make_corpus(500)), 404, 8)->serialize(), tokenizer->serialize());
  const auto pair = build_byte_bpe(lines_of({"xyxyxy", "xy", "zw"}), 256 + 8 + 2, 1);
  EXPECT_EQ(pair->piece(256), "xy");
  EXPECT_EQ(pair->piece(257), "xyxy");
  EXPECT_THROW(build_byte_bpe(lines_of({"x"}), 200, 1), Error);
}

// A field of a protocol buffer message.
std::string field(int number, const std::string& bytes) {
  std::string encoded(1, static_cast<char>(number << 3 | 2));
  for (std::size_t size = bytes.size();; size >>= 7) {
    encoded += static_cast<char>((size & 0x7F) | (size > 0x7F ? 0x80 : 0));
    if (size <= 0x7F) return encoded + bytes;
  }
}

// A map of characters as SentencePiece stores it: units of a double-array trie, then replacements.
struct MapOfCharacters {
  std::vector<std::uint32_t> units;
  std::string replacements = std::string("e\0", 2);

  // Unused units have a label that is wrong for their place.
  explicit MapOfCharacters(std::uint32_t count = 256) : units(count) {
    for (std::uint32_t i = 0; i < count; ++i) units[i] = ~i & 0xFF;
    units[0] = 1;  // the root, whose children are in the first block
  }

  static std::uint32_t unit(char label, std::uint32_t offset, bool leaf = false) {
    return offset << 10 | (leaf ? 1u << 8 : 0) | static_cast<unsigned char>(label);
  }
  // Maps "a" to "e".
  static MapOfCharacters good() {
    MapOfCharacters map;
    map.units['a'] = unit('a', 'a' ^ 2, true);
    map.units[2] = 1u << 31;
    return map;
  }
  std::string blob() const {
    const auto size = static_cast<std::uint32_t>(4 * units.size());
    std::string bytes(4 + size, '\0');
    std::memcpy(bytes.data(), &size, 4);
    std::memcpy(bytes.data() + 4, units.data(), size);
    return bytes + replacements;
  }
};

// The result of tokenising "a" with a model whose map of characters is replaced, or the error.
std::string with_map(const std::string& blob, int spec = 3) {
  const std::string packed = model(SubwordKind::unigram).serialize() + field(spec, field(2, blob));
  try {
    const auto tokenizer = deserialize_tokenizer(packed);
    return tokenizer->decode(ids_of(*tokenizer, "a"));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SentencePieceModels, AMapOfCharactersIsCheckedBeforeTheLibraryWalksIt) {
  const std::string damaged = "subwords: the SentencePiece model is damaged: its map of characters is not consistent";
  EXPECT_EQ(with_map(MapOfCharacters::good().blob()), "e");
  MapOfCharacters map = MapOfCharacters::good();
  map.units['a'] = MapOfCharacters::unit('a', 1 << 20, true);
  EXPECT_EQ(with_map(map.blob()), damaged) << "children beyond the array";
  EXPECT_EQ(with_map(map.blob(), 5), damaged) << "in the map for detokenisation";
  map = MapOfCharacters::good();
  map.units[0] = MapOfCharacters::unit(1, 256);
  EXPECT_EQ(with_map(map.blob()), damaged) << "the root's children beyond the array";
  map = MapOfCharacters::good();
  map.units[2] = 1u << 31 | 2;
  EXPECT_EQ(with_map(map.blob()), damaged) << "a replacement beyond the end";
  map = MapOfCharacters::good();
  map.replacements = "e";
  EXPECT_EQ(with_map(map.blob()), damaged) << "a replacement without an end";
  map = MapOfCharacters::good();
  map.units['a'] = MapOfCharacters::unit('a', 'a');
  EXPECT_EQ(with_map(map.blob()), damaged) << "a path that comes back to itself";
  EXPECT_EQ(with_map(MapOfCharacters::good().blob().substr(0, 1000)), damaged) << "cut short";
  EXPECT_EQ(with_map("abc"), damaged);
}

TEST(SentencePieceModels, AMapOfCharactersCannotInflateText) {
  MapOfCharacters map = MapOfCharacters::good();
  map.replacements = std::string(64, 'e') + '\0';
  EXPECT_EQ(with_map(map.blob()), std::string(64, 'e'));
  map.replacements = std::string(65, 'e') + '\0';
  const std::string refusal =
      "subwords: the SentencePiece model's map of characters has a replacement of more than 64 bytes";
  EXPECT_EQ(with_map(map.blob()), refusal);
  EXPECT_EQ(with_map(map.blob(), 5), refusal) << "in the map for detokenisation";
}

class Sentences final : public sentencepiece::SentenceIterator {
 public:
  explicit Sentences(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

TEST(SentencePieceModels, TheLibrarysOwnMapsAreAccepted) {
  for (const char* rule : {"nmt_nfkc", "nfkc_cf"}) {
    std::string model;
    Sentences sentences(make_corpus(500));
    const std::unordered_map<std::string, std::string> settings = {
        {"normalization_rule_name", rule}, {"vocab_size", "90"}, {"minloglevel", "2"}, {"pad_id", "3"}};
    const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_GT(model.size(), 100'000u) << "the model contains a map";
    const SentencePiece tokenizer(SubwordKind::unigram, {}, model, 1);
    EXPECT_EQ(tokenizer.decode(ids_of(tokenizer, "the ｏｌｄ letter")), "the old letter");
  }
}

TEST(SentencePieceModels, MoreNestedEntriesThanTheLibraryHasRoomForAreRefused) {
  // 33 entries: "a", "aa", "aaa", ... One block of 256 units per level.
  const int levels = 33;
  MapOfCharacters map(256 * (levels + 2));
  std::uint32_t at = 0, base = 256;  // the root's children
  map.units[0] = MapOfCharacters::unit(1, at ^ base);
  for (int level = 1; level <= levels; ++level) {
    at = base ^ 'a';
    base = 256u * (static_cast<std::uint32_t>(level) + 1);
    map.units[at] = MapOfCharacters::unit('a', at ^ base, true);
    map.units[base] = 1u << 31;
    if (level == 32) {
      EXPECT_EQ(with_map(map.blob()), "e");
    }
  }
  EXPECT_NE(with_map(map.blob()).find("not consistent"), std::string::npos);
}

TEST(SentencePieceModels, PiecesAreBoundedInLength) {
  const std::string good = model(SubwordKind::bpe).serialize();
  const auto message = [&](const std::string& piece) {
    return support::message([&] { deserialize_tokenizer(good + field(1, field(1, piece))); });
  };
  EXPECT_EQ(message("qqq"), "nothing was thrown");
  EXPECT_NE(message(std::string(1'000'000, 'q')).find("a piece has 1000000 bytes, at most 512"), std::string::npos);
  EXPECT_LT(message(std::string(1'000'000, 'q')).size(), 200u);
  EXPECT_NE(message("").find("empty piece"), std::string::npos);
  EXPECT_NE(message(std::string("q\0r", 3)).find("zero byte"), std::string::npos);
  EXPECT_NE(support::message([&] { deserialize_tokenizer(good + "\x0a\x7f"); }).find("truncated"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::text

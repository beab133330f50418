#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/byte_stream.h"
#include "base/random.h"
#include "data/words.h"
#include "smt/ngram_arpa.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::smt {
namespace {

using Sentence = std::vector<std::uint32_t>;

struct Golden {
  nlohmann::json json;
  text::Vocabulary vocabulary;

  Golden() : json(read()), vocabulary(words(json["train"])) {}
  static nlohmann::json read() {
    std::ifstream file(DRAGOMAN_GOLDEN "/ngram.json");
    return nlohmann::json::parse(file);
  }
  static text::Vocabulary words(const nlohmann::json& lines) {
    text::WordCounts counts;
    for (const std::string line : lines)
      data::for_each_word(line, [&](std::string_view word) { ++counts[std::string(word)]; });
    return text::Vocabulary::from_counts(counts, 1, 0);
  }
  Sentence ids(const std::string& line) const {
    Sentence sentence;
    data::for_each_word(
        line, [&](std::string_view word) { sentence.push_back(static_cast<std::uint32_t>(vocabulary.find(word))); });
    return sentence;
  }
  NgramEstimator estimate(int order, int memory = 64, int min_count = 1) const {
    NgramConfig config;
    config.order = order;
    config.memory = memory;
    config.min_count = min_count;
    NgramEstimator estimates(config, static_cast<std::uint32_t>(vocabulary.size()));
    for (const std::string line : json["train"]) estimates.add(ids(line));
    estimates.finish();
    return estimates;
  }
};

std::vector<double> log10_of(const NgramModel& model, Sentence sentence) {
  sentence.push_back(2);
  std::vector<double> logs;
  NgramState state = model.begin(), next;
  for (const std::uint32_t word : sentence) {
    logs.push_back(model.score(state, word, next));
    state = next;
  }
  return logs;
}

TEST(Ngram, DiscountsCountsAndProbabilitiesAreThoseOfASlowProgramWrittenFromTheDefinitions) {
  const Golden golden;
  for (const nlohmann::json& expected : golden.json["models"]) {
    const int order = expected["order"];
    NgramEstimator estimates = golden.estimate(order);
    for (int n = 1; n <= order; ++n) {
      const auto at = static_cast<std::size_t>(n - 1);
      // The estimator lists <s> and <unk> among the words; the golden counts do not.
      EXPECT_EQ(estimates.count(n), expected["ngrams"][at].get<std::uint64_t>() + (n == 1 ? 2 : 0));
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(estimates.discounts(n)[d], expected["discounts"][at][d].get<double>(), 1e-12);
    }
    const NgramModel model = NgramModel::build(estimates);
    double total = 0, words = 0;
    for (std::size_t i = 0; i < golden.json["test"].size(); ++i) {
      const std::vector<double> logs = log10_of(model, golden.ids(golden.json["test"][i]));
      ASSERT_EQ(logs.size(), expected["log10"][i].size());
      for (std::size_t w = 0; w < logs.size(); ++w) {
        EXPECT_NEAR(logs[w], expected["log10"][i][w].get<double>(), 1e-3) << order << "-gram, line " << i;
        total += logs[w];
        ++words;
      }
    }
    EXPECT_NEAR(std::pow(10, -total / words) / expected["perplexity"].get<double>(), 1, 1e-4);
  }
}

// All reachable contexts: each n-gram of the model, each preceded by an unseen word, and the empty context.
void expect_sums_of_one(const Golden& golden, NgramEstimator& estimates) {
  const NgramModel model = NgramModel::build(estimates);
  const auto size = static_cast<std::uint32_t>(golden.vocabulary.size());
  const auto sum_after = [&](const Sentence& context, bool from_begin) {
    NgramState state = from_begin ? model.begin() : NgramState(), next;
    for (const std::uint32_t word : context) {
      model.score(state, word, next);
      state = next;
    }
    double sum = 0;
    for (std::uint32_t word = 0; word < size; ++word)
      if (word != 1 && word != 3) sum += std::pow(10.0, model.score(state, word, next));
    return sum;
  };
  EXPECT_NEAR(sum_after({}, false), 1, 5e-4);
  EXPECT_NEAR(sum_after({}, true), 1, 5e-4);
  for (int n = 1; n < estimates.order(); ++n)
    estimates.visit(n, [&](const NgramEntry& entry) {
      const bool begins = entry.words[0] == 1;
      if (entry.words.back() == 2) return;
      const Sentence rest(entry.words.begin() + (begins ? 1 : 0), entry.words.end());
      EXPECT_NEAR(sum_after(rest, begins), 1, 5e-4);
      Sentence after_unknown = rest;
      after_unknown.insert(after_unknown.begin(), 0);
      EXPECT_NEAR(sum_after(after_unknown, false), 1, 5e-4);
    });
}

TEST(Ngram, ProbabilitiesSumToOneInEveryContext) {
  const Golden golden;
  NgramEstimator estimates = golden.estimate(3);
  expect_sums_of_one(golden, estimates);
}

TEST(Ngram, ProbabilitiesSumToOneWhenRareNgramsAreLeftOut) {
  const Golden golden;
  NgramEstimator all = golden.estimate(4), pruned = golden.estimate(4, 64, 3);
  EXPECT_LT(pruned.count(4), all.count(4) / 4);
  EXPECT_EQ(pruned.count(2), all.count(2));
  expect_sums_of_one(golden, pruned);
}

// Sums before rounding to 16 bits.
TEST(Ngram, SeenNgramsAndBackoffWeightsSumToOneExactly) {
  const Golden golden;
  NgramEstimator estimates = golden.estimate(3);
  std::map<Sentence, double> probability, backoff, seen, seen_shorter;
  for (int n = 1; n <= 3; ++n)
    estimates.visit(n, [&](const NgramEntry& entry) {
      probability[entry.words] = entry.probability;
      if (entry.is_context) backoff[entry.words] = entry.backoff;
    });
  for (const auto& [words, p] : probability) {
    if (words.size() == 1) continue;
    const Sentence context(words.begin(), words.end() - 1), suffix(words.begin() + 1, words.end());
    seen[context] += p;
    seen_shorter[context] += probability.at(suffix);
  }
  EXPECT_GT(seen.size(), 300u);
  for (const auto& [context, sum] : seen)
    EXPECT_NEAR(sum + backoff.at(context) * (1 - seen_shorter.at(context)), 1, 1e-9);
}

TEST(Ngram, SortedRunsOnDiskGiveTheSameModelAsMemory) {
  const Golden golden;
  NgramConfig config;
  config.memory = 1;
  const auto size = static_cast<std::uint32_t>(golden.vocabulary.size());
  NgramEstimator small(config, size);
  config.memory = 512;
  NgramEstimator large(config, size);
  // Random sentences, enough for several runs of one MiB.
  Random random(3);
  for (int s = 0; s < 4000; ++s) {
    Sentence sentence(random.below(20));
    for (std::uint32_t& word : sentence) {
      const auto a = static_cast<std::uint32_t>(random.below(size - 4));
      const auto b = static_cast<std::uint32_t>(random.below(size - 4));
      word = 4 + std::min(a, b);
    }
    small.add(sentence);
    large.add(sentence);
  }
  small.finish();
  large.finish();
  EXPECT_EQ(NgramModel::build(small).serialize(), NgramModel::build(large).serialize());
}

TEST(Ngram, ModelsSurviveTheArpaFormatAndTheirOwn) {
  const support::TempFolder folder;
  const Golden golden;
  NgramEstimator estimates = golden.estimate(5);
  const NgramModel model = NgramModel::build(estimates);
  write_arpa(folder.file("model.arpa"), estimates, golden.vocabulary);
  const ArpaModel arpa = read_arpa(folder.file("model.arpa"));
  const NgramModel copy = NgramModel::deserialize(model.serialize());
  ASSERT_EQ(arpa.model.order(), 5);
  for (const std::string line : golden.json["test"]) {
    Sentence other;
    data::for_each_word(
        line, [&](std::string_view word) { other.push_back(static_cast<std::uint32_t>(arpa.vocabulary.find(word))); });
    const auto expected = log10_of(model, golden.ids(line)), again = log10_of(arpa.model, other);
    EXPECT_EQ(log10_of(copy, golden.ids(line)), expected);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(again[i], expected[i], 1e-3);
  }
}

TEST(Ngram, StatesForgetWordsThatNoLongerMatter) {
  const Golden golden;
  NgramEstimator estimates = golden.estimate(5);
  const NgramModel model = NgramModel::build(estimates);
  NgramState state = model.begin(), next;
  EXPECT_EQ(state.length, 1u);
  model.score(state, 0, next);
  EXPECT_EQ(next.length, 0u) << "no n-gram starts with an unknown word";
  EXPECT_TRUE(next == NgramState());
}

TEST(Ngram, DamagedArpaFilesAreRefusedWithTheLine) {
  const support::TempFolder folder;
  const std::string good =
      "\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.3\n-0.5\t</s>\n-0.4\ta\t-0.2\n\n"
      "\\2-grams:\n-0.1\t<s> a\n\n\\end\\\n";
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const std::string path = folder.write("bad.arpa", text);
    return support::message([&] { read_arpa(path); }).substr(path.size() - std::string("bad.arpa").size());
  };
  EXPECT_EQ(read_arpa(folder.write("good.arpa", good)).model.count(1), 4u);
  EXPECT_EQ(error("-0.4", "four"), "bad.arpa:9: expected a base 10 logarithm but got 'four'");
  EXPECT_EQ(error("ngram 1=4", "ngram 1=5"), "bad.arpa:11: the header announces 5 1-grams but there are only 4");
  EXPECT_EQ(error("<s> a", "<s> b"), "bad.arpa:12: the word 'b' is missing from the 1-grams");
  EXPECT_EQ(error("\\end\\", ""), "bad.arpa:14: the file ends before \\end\\");
  EXPECT_EQ(error("\\2-grams:", "\\3-grams:"), "bad.arpa:11: expected \\2-grams: but got '\\3-grams:'");
  EXPECT_EQ(error("ngram 2=1", "ngram 2=99999999999"),
            "bad.arpa:14: the header announces 99999999999 2-grams but there are only 1");
  EXPECT_EQ(error("ngram 2=1", "ngram 2=99999999999999999999"),
            "bad.arpa:3: expected 'ngram N=COUNT' but got 'ngram 2=99999999999999999999'");
  EXPECT_EQ(error("-0.4", "0.4"), "bad.arpa:9: expected the logarithm of a probability but got 0.4, which is positive");
  EXPECT_EQ(error("-0.4", "nan"), "bad.arpa:9: expected a base 10 logarithm but got 'nan'");
  EXPECT_EQ(error("-1\t<unk>", "-1\ta"), "bad.arpa:11: the word 'a' occurs twice among the 1-grams");
  EXPECT_EQ(error("-99\t<s>\t-0.3", "-99\tb"), "bad.arpa:11: '<s>' is missing from the 1-grams");
}

// The counts of the header are claims; memory is allocated for n-grams that are there.
TEST(Ngram, ArpaFilesThatClaimManyNgramsTakeNoMemoryForThem) {
  const support::TempFolder folder;
  std::string text = "\\data\\\nngram 1=3\n";
  for (int n = 2; n <= kMaxNgramOrder; ++n) text += "ngram " + std::to_string(n) + "=4000000000000000000\n";
  text += "\n\\1-grams:\n-1\t<s>\t-0.3\n-0.5\t</s>\n-0.4\ta\t-0.2\n\n\\2-grams:\n-0.1\t<s> a\n";
  const std::string path = folder.write("claims.arpa", text);
  EXPECT_EQ(support::message([&] { read_arpa(path); }), path + ":15: the file ends before \\end\\");
}

TEST(Ngram, AModelIsTheSameWhetherItsSizeIsKnownBeforeOrNot) {
  Random random(3);
  std::vector<std::vector<std::uint32_t>> bigrams;
  for (std::uint32_t a = 4; a < 60; ++a)
    for (std::uint32_t b = 4; b < 60; ++b)
      if (random.below(3) == 0) bigrams.push_back({a, b});
  const auto build = [&](bool known) {
    NgramModelBuilder builder(60, 2);
    for (std::uint32_t word = 0; word < 60; ++word) builder.add({&word, 1}, -2, -0.5, true);
    if (known) builder.expect(2, bigrams.size());
    for (const auto& words : bigrams) EXPECT_TRUE(builder.add(words, -1.0 / words[0], 0, false));
    return builder.finish().serialize();
  };
  EXPECT_EQ(build(true), build(false));
}

TEST(Ngram, TablesThatWouldSlowDownEverySearchAreRefused) {
  ByteWriter writer;
  writer.put(std::uint32_t{1});
  writer.put_array(std::vector<std::uint64_t>{10, 9000});
  writer.put_array(std::vector<std::uint32_t>(10, 0));
  std::vector<std::uint64_t> slots(9000, 7);
  slots[4000] = slots[4001] = ~std::uint64_t{0};
  writer.put_array(slots);
  EXPECT_EQ(support::message([bytes = writer.take()] { NgramModel::deserialize(bytes); }),
            "language model: damaged: 8998 slots in a row are full in the table of 2-grams");
}

TEST(Ngram, DamagedModelsAreRefused) {
  const Golden golden;
  NgramEstimator estimates = golden.estimate(2);
  const std::string good = NgramModel::build(estimates).serialize();
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{20}, good.size() - 1})
    EXPECT_THROW(NgramModel::deserialize(good.substr(0, size)), Error) << size;
  EXPECT_THROW(NgramModel::deserialize(good + "x"), Error);
  EXPECT_THROW(NgramModel::deserialize("x" + good), Error);
}

}  // namespace
}  // namespace dragoman::smt

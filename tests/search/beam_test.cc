#include <gtest/gtest.h>

#include "search/decode/scores.h"
#include "tests/search/toy.h"

namespace dragoman::search::test {
namespace {

const char* const kPresets[] = {
    "transformer-small",  "lstm-luong",       "lstm-lexical", "seq2seq-additive-encoder+decoder",
    "transformer-modern", "transformer-fast", "seq2seq"};

// Every sequence of at most `longest` words with its score, best first.
std::vector<Found> exhaustive(const ToyModel& model, const Tokens& source, const Goal& goal) {
  std::vector<Found> all;
  const std::function<void(Tokens&, double)> visit = [&](Tokens& words, double sum) {
    const std::vector<double> next = model.distributions(source, words).back();
    const double ended = sum + next[kEnd];
    if (static_cast<int>(words.size()) >= goal.options.min_length)
      all.push_back({words, score(goal.options, ended, static_cast<int>(words.size()) + 1), ended, {}});
    if (static_cast<int>(words.size()) == goal.max_length) return;
    for (std::int32_t token = 0; token < model.vocabulary(); ++token) {
      if (token == kBegin || token == kEnd || token == kPad) continue;
      words.push_back(token);
      visit(words, sum + next[static_cast<std::size_t>(token)]);
      words.pop_back();
    }
  };
  Tokens words;
  visit(words, 0);
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
  return all;
}

TEST(BeamSearch, FindsTheExhaustiveOptimumOnAToyVocabularyWhenWideEnough) {
  Random random(1);
  for (const char* preset : kPresets)
    for (int seed = 0; seed < 3; ++seed) {
      const ToyModel model(preset, 2, static_cast<std::uint64_t>(seed));
      const Tokens source = random_source(random);
      for (const Ranking ranking : {Ranking::sum, Ranking::mean, Ranking::gnmt, Ranking::reward})
        for (const int longest : {1, 2, 4}) {
          SearchOptions options;
          options.beam = 200;  // more than there are hypotheses: 3 + 9 + 27 + 81
          options.n_best = 3;
          options.ranking = ranking;
          options.word_reward = 0.7;
          const Goal goal = toy_goal(options, longest);
          const std::vector<Found> expected = exhaustive(model, source, goal);
          const std::vector<Found> found = translate_one(model, {source, goal});
          ASSERT_EQ(found.size(), 3u);
          for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_EQ(found[i].words, expected[i].words) << preset << " place " << i;
            EXPECT_NEAR(found[i].score, expected[i].score, 1e-4);
            EXPECT_NEAR(found[i].log_probability, expected[i].log_probability, 1e-4);
          }
        }
    }
}

TEST(BeamSearch, OfWidthOneIsGreedy) {
  Random random(2);
  for (const char* preset : kPresets) {
    const ToyModel model(preset, 9, 5);
    for (int i = 0; i < 5; ++i) {
      const Tokens source = random_source(random);
      SearchOptions options;
      options.beam = 1;
      const std::vector<Found> found = translate_one(model, {source, toy_goal(options, 12)});
      Tokens greedy;
      while (greedy.size() < 12) {
        std::vector<double> next = model.distributions(source, greedy).back();
        next[kBegin] = next[kPad] = -INFINITY;
        const auto best = static_cast<std::int32_t>(std::max_element(next.begin(), next.end()) - next.begin());
        if (best == kEnd) break;
        greedy.push_back(best);
      }
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0].words, greedy) << preset;
    }
  }
}

TEST(BeamSearch, TokenScoresAreTheModelsLogProbabilities) {
  Random random(3);
  const ToyModel model("transformer-small", 7, 8);
  const Tokens source = random_source(random);
  SearchOptions options;
  options.n_best = 4;
  for (const Found& found : translate_one(model, {source, toy_goal(options, 9)})) {
    const std::vector<std::vector<double>> rows = model.distributions(source, found.words);
    Tokens tokens = found.words;
    tokens.push_back(kEnd);
    double sum = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(found.token_scores[i]), rows[i][static_cast<std::size_t>(tokens[i])], 1e-4);
      sum += static_cast<double>(found.token_scores[i]);
    }
    EXPECT_DOUBLE_EQ(sum, found.log_probability);
  }
}

// Early stopping must never lose a hypothesis that would have won.
TEST(BeamSearch, StoppingEarlyNeverChangesTheBest) {
  Random random(4);
  for (int seed = 0; seed < 40; ++seed) {
    const ToyModel model("lstm-luong", 6, static_cast<std::uint64_t>(seed));
    const Tokens source = random_source(random);
    for (const Ranking ranking : {Ranking::sum, Ranking::mean, Ranking::gnmt, Ranking::reward}) {
      SearchOptions options;
      options.ranking = ranking;
      options.word_reward = 0.3;
      options.finished = 1000;  // stops only at the maximum length or when no live hypothesis can win
      const Found early = translate_one(model, {source, toy_goal(options, 8)}).front();
      options.n_best = options.beam;  // the first must also beat everything a longer search finds
      const Found late = translate_one(model, {source, toy_goal(options, 8)}).front();
      EXPECT_EQ(early.words, late.words);
    }
  }
}

TEST(BeamSearch, LengthsStayWithinTheirLimits) {
  Random random(5);
  for (int seed = 0; seed < 30; ++seed) {
    const ToyModel model("transformer-small", 5, static_cast<std::uint64_t>(seed));
    SearchOptions options;
    options.n_best = 4;
    options.min_length = 1 + seed % 4;
    const int longest = options.min_length + seed % 3;
    for (const bool sample : {false, true}) {
      options.sample = sample;
      for (const Found& found : translate_one(model, {random_source(random), toy_goal(options, longest)})) {
        EXPECT_GE(static_cast<int>(found.words.size()), options.min_length);
        EXPECT_LE(static_cast<int>(found.words.size()), longest);
      }
    }
  }
}

TEST(BatchDecoder, ABatchOfManyEqualsBatchesOfOneToTheBit) {
  for (const char* preset : kPresets) {
    Random random(6);
    const ToyModel model(preset, 20, 3);
    std::vector<ToySentence> sentences;
    for (int i = 0; i < 23; ++i) {
      SearchOptions options;
      options.beam = 1 + i % 5;
      options.n_best = 1 + i % options.beam;
      options.sample = i % 7 == 6;
      options.seed = 4;
      Goal goal = toy_goal(options, 3 + i);
      goal.stream = static_cast<std::uint64_t>(i);
      if (i % 5 == 4) goal.constraints = Constraints({{5, 6}, {9}});
      sentences.push_back({random_source(random, 9), goal, i % 4 == 3 ? Tokens{7, 8} : Tokens{}});
    }
    std::vector<std::vector<Found>> alone;
    for (const ToySentence& sentence : sentences) alone.push_back(translate({&model.network()}, {sentence}).front());
    for (const std::size_t at_once : {std::size_t{3}, std::size_t{8}, std::size_t{1000}}) {
      const auto together = translate({&model.network()}, sentences, at_once);
      for (std::size_t i = 0; i < sentences.size(); ++i)
        EXPECT_EQ(together[i], alone[i]) << preset << " sentence " << i << ", " << at_once << " at once";
    }
  }
}

TEST(BatchDecoder, TheFirstStepOfANewSentenceIsAStepOfTheBatch) {
  Random random(6);
  SearchOptions options;
  options.min_length = 6;
  for (const char* preset : kPresets) {
    const ToyModel model(preset, 20, 3);
    BatchDecoder decoder({&model.network()});
    const auto add = [&](const Tokens& prefix) {
      DecodingTask task;
      task.sources = {random_source(random)};
      task.start = {kBegin};
      task.prefix = prefix;
      task.search = SentenceSearch::make(toy_goal(options, 12));
      task.finished = [](DecodingTask&) {};
      const SentenceSearch* search = task.search.get();
      std::vector<DecodingTask> tasks;
      tasks.push_back(std::move(task));
      decoder.add(std::move(tasks));
      return search;
    };
    const SentenceSearch* first = add({});
    EXPECT_EQ(first->tree().size(), 1) << preset;
    decoder.step();
    const std::int32_t before = first->tree().size();
    EXPECT_GT(before, 1) << preset;
    const SentenceSearch* second = add({});
    EXPECT_EQ(second->tree().size(), 1) << preset;
    EXPECT_EQ(first->tree().size(), before) << preset;
    decoder.step();
    EXPECT_GT(second->tree().size(), 1) << preset;
    EXPECT_GT(first->tree().size(), before) << preset;
    EXPECT_GT(add({7, 8})->tree().size(), 3) << preset << ": several tokens are read at once";
  }
}

TEST(BatchDecoder, AnEnsembleOfAModelWithItselfIsTheModel) {
  Random random(7);
  for (const char* preset : kPresets) {
    const ToyModel model(preset, 12, 9);
    for (int i = 0; i < 4; ++i) {
      SearchOptions options;
      options.n_best = 3;
      const ToySentence sentence{random_source(random), toy_goal(options, 10)};
      const std::vector<Found> one = translate({&model.network()}, {sentence}).front();
      EXPECT_EQ(translate({&model.network(), &model.network()}, {sentence}).front(), one) << preset;
      EXPECT_EQ(translate({&model.network(), &model.network(), &model.network()}, {sentence}).front(), one);
    }
  }
}

TEST(BatchDecoder, AnEnsembleAveragesProbabilities) {
  Random random(8);
  const ToyModel one("transformer-small", 6, 1), other("lstm-luong", 6, 2);
  const Tokens source = random_source(random);
  const Found found = translate({&one.network(), &other.network()}, {{source, toy_goal({}, 8)}}).front().front();
  const auto first = one.distributions(source, found.words), second = other.distributions(source, found.words);
  Tokens tokens = found.words;
  tokens.push_back(kEnd);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto token = static_cast<std::size_t>(tokens[i]);
    EXPECT_NEAR(static_cast<double>(found.token_scores[i]),
                std::log((std::exp(first[i][token]) + std::exp(second[i][token])) / 2), 1e-4);
  }
}

TEST(Sampler, DrawsFromTheModelsDistribution) {
  Random random(9);
  const ToyModel model("transformer-small", 3, 4);
  const Tokens source = random_source(random);
  SearchOptions options;
  options.sample = true;
  options.n_best = 20000;
  const std::vector<double> expected = model.distributions(source, {}).front();
  std::map<std::int32_t, double> counts;
  for (const Found& found : translate_one(model, {source, toy_goal(options, 1)}))
    ++counts[found.words.empty() ? kEnd : found.words[0]];
  const double forbidden = std::exp(expected[kBegin]) + std::exp(expected[kPad]);
  for (std::int32_t token = 0; token < model.vocabulary(); ++token) {
    if (token == kBegin || token == kPad) {
      EXPECT_EQ(counts[token], 0);
      continue;
    }
    const double share = std::exp(expected[static_cast<std::size_t>(token)]) / (1 - forbidden);
    EXPECT_NEAR(counts[token] / options.n_best, share, 4 * std::sqrt(share / options.n_best) + 1e-4) << token;
  }
}

TEST(Sampler, DrawsTheSameFromTheBestTokensAndFromAll) {
  Random random(11);
  const ToyModel model("transformer-small", 40, 4);
  SearchOptions best, all;
  best.sample = all.sample = true;
  best.n_best = all.n_best = 50;
  best.temperature = all.temperature = 2;
  best.top_p = all.top_p = 0.9;
  best.top_k = 200, all.top_k = 300;  // more than there are tokens; so many are read from the whole distribution
  const auto sentences = [&](const SearchOptions& options) {
    Random same(12);
    std::vector<ToySentence> list;
    for (int i = 0; i < 5; ++i) list.push_back({random_source(same), toy_goal(options, 4)});
    list[2].goal.options.min_length = 2;
    list[3].goal.banned = {{5}, {6, 7}};
    return list;
  };
  const auto expected = translate({&model.network()}, sentences(all)),
             found = translate({&model.network()}, sentences(best));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j) EXPECT_EQ(found[i][j].words, expected[i][j].words) << i;
  }
}

TEST(Sampler, TopKAndTopPCutTheTail) {
  Random random(10);
  const ToyModel model("transformer-small", 8, 4);
  const Tokens source = random_source(random);
  std::vector<double> expected = model.distributions(source, {}).front();
  expected[kBegin] = expected[kPad] = -INFINITY;
  std::vector<std::int32_t> order(expected.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return expected[static_cast<std::size_t>(a)] > expected[static_cast<std::size_t>(b)];
  });
  const auto drawn = [&](const SearchOptions& options) {
    std::vector<bool> seen(expected.size());
    for (const Found& found : translate_one(model, {source, toy_goal(options, 1)}))
      seen[static_cast<std::size_t>(found.words.empty() ? kEnd : found.words[0])] = true;
    return seen;
  };
  SearchOptions options;
  options.sample = true;
  options.n_best = 2000;
  options.temperature = 3;
  options.top_k = 3;
  const std::vector<bool> top_k = drawn(options);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(top_k[static_cast<std::size_t>(order[i])], i < 3);
  options.top_k = 0;
  options.top_p = 1e-6;
  const std::vector<bool> top_p = drawn(options);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(top_p[static_cast<std::size_t>(order[i])], i < 1);
}

}  // namespace
}  // namespace dragoman::search::test

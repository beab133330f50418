// Incremental decoding gives the same log probabilities as forced decoding of the whole translation, on every device.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "dragoman/translator.h"
#include "kernels/cuda/cuda.h"
#include "search/engine/scorer.h"
#include "tensor/placement.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

class PerObject : public ::testing::Test {
 protected:
  // Heads of size 64, as in common models.
  static void write_model(const std::string& path) {
    store::ModelInfo info = text_model_info("transformer-small");
    info.config.embedding = info.config.transformer.size = 256;
    info.config.transformer.feed_forward = 1024;
    info.config.attention.heads = 4;
    models::Seq2seq network(info.config);
    network.parameters().allocate(cpu_device(), DType::f32, 5, false);
    store::save_model(path, info, network.parameters());
  }

  static std::vector<Request> sentences(int count) {
    const std::vector<std::string> words = {"the", "red", "house", "stands", "here", "a", "blue", "dog", "sees", "you"};
    Random random(1);
    std::vector<Request> requests(static_cast<std::size_t>(count));
    for (Request& request : requests)
      for (std::uint64_t n = 1 + random.below(20); n > 0; --n)
        request.text += words[random.below(words.size())] + (n > 1 ? " " : "");
    return requests;
  }

  support::TempFolder folder_;
};

class OnDevice : public PerObject, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cuda" && !kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  }

  // Tolerance for the log probability of a token; a GPU computes in bf16.
  static double tolerance() { return GetParam() == "cuda" ? 0.05 : 1e-4; }
};

TEST_P(OnDevice, WhatSearchSaysOfATranslationIsWhatReadingItAtOnceSays) {
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  const Model model(path, find_placement({.device = GetParam()}));
  const std::vector<Request> requests = sentences(40);
  SearchOptions search;
  search.n_best = 2;
  search.max_length = 12;
  const std::vector<TranslationResult> results = Translator(path, {.device = GetParam()}).translate(requests, search);
  int compared = 0;
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (const Translation& t : results[i].translations) {
      const PairScore score = score_pairs(model, {{requests[i].text, t.text}})[0];
      // Compare only if the text is encoded as the same tokens again.
      if (score.target.size() != t.tokens.size() + 1 || t.text.find("<unk>") != std::string::npos) continue;
      const double tokens = static_cast<double>(score.target.size());
      EXPECT_NEAR(score.sum(), t.log_probability, tolerance() * tokens) << requests[i].text << " -> " << t.text;
      ++compared;
    }
  EXPECT_GT(compared, 10);
}

// The weights of all layers and heads: a GPU computes them in bf16.
TEST_P(OnDevice, ExplainsATranslationAsTheHostDoes) {
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  const Translator device(path, {.device = GetParam()}), host(path, on_cpu());
  SearchOptions search;
  search.max_length = 12;
  for (Request request : sentences(6)) {
    request.prefix = "ein blauer hund sieht dich";
    search.explain = true;
    const Explanation here = device.translate({request}, search)[0].explanations.at(0);
    const Explanation there = host.translate({request}, search)[0].explanations.at(0);
    ASSERT_EQ(here.attention.size(), there.attention.size());
    ASSERT_EQ(here.attention.size(), 6u) << "two layers each: encoder, source, past";
    for (std::size_t l = 0; l < here.attention.size(); ++l)
      for (std::size_t h = 0; h < there.attention[l].heads.size(); ++h)
        for (std::size_t i = 0; i < 5; ++i) {  // rows of the prefix and of the source, which are the same
          if (i >= there.attention[l].heads[h].size()) continue;
          const std::vector<float>&a = here.attention[l].heads[h][i], &b = there.attention[l].heads[h][i];
          ASSERT_EQ(a.size(), b.size()) << here.attention[l].name;
          for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 0.02) << here.attention[l].name;
        }
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(here.tokens[i].log_probability, there.tokens[i].log_probability, tolerance());
  }
}

// A sentence's translation does not depend on the others, in any number format.
TEST_F(PerObject, NarrowFormatsGiveTheSameTranslationAloneAndInABatch) {
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  SearchOptions search;
  search.max_length = 12;
  const std::vector<Request> requests = sentences(24);
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    SCOPED_TRACE(name_of(precision));
    const Translator translator(path, {.device = "cpu", .precision = precision});
    const auto together = translator.translate(requests, search);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Translation one = translator.translate({requests[i]}, search)[0].translations.front();
      EXPECT_EQ(one.text, together[i].translations.front().text);
      EXPECT_EQ(one.log_probability, together[i].translations.front().log_probability);
    }
  }
}

TEST_F(PerObject, NarrowFormatsGiveNearlyTheSameProbabilities) {
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  std::vector<SentencePair> pairs;
  for (const Request& request : sentences(24)) pairs.push_back({request.text, "a red dog sees the house"});
  const auto exact = score_pairs(Model(path, find_placement({.device = "cpu"})), pairs);
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    SCOPED_TRACE(name_of(precision));
    const auto narrow = score_pairs(Model(path, find_placement({.device = "cpu", .precision = precision})), pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_NE(narrow[i].sum(), exact[i].sum());
      EXPECT_NEAR(narrow[i].sum(), exact[i].sum(), 0.05 * static_cast<double>(exact[i].target.size()));
    }
  }
}

// A GPU in bf16 and in f32, and the host, side by side in one process.
TEST_F(PerObject, DeviceAndPrecisionBelongToTheTranslator) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  const Translator host(path, {.device = "cpu"}), half(path, {.device = "cuda"}),
      single(path, {.device = "cuda", .precision = Precision::f32}),
      tensor_cores(path, {.device = "cuda", .precision = Precision::tf32});
  SearchOptions search;
  search.max_length = 12;
  const std::vector<Request> requests = sentences(40);
  const auto total = [&](const Translator& translator) {
    double sum = 0;
    for (const TranslationResult& result : translator.translate(requests, search))
      sum += result.translations.front().log_probability;
    return sum;
  };
  const double exact = total(host);
  EXPECT_NEAR(total(single), exact, 1e-3 * std::abs(exact));
  EXPECT_NE(total(tensor_cores), total(single));
  EXPECT_NE(total(half), total(single));
  EXPECT_EQ(total(single), total(single));
  EXPECT_EQ(total(host), exact);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, ::testing::Values("cpu", "cuda"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace dragoman::search::test

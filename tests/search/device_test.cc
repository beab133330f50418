// Search step by step finds what reading whole translations finds, on every device.
#include <gtest/gtest.h>

#include "base/random.h"
#include "dragoman/translator.h"
#include "kernels/cuda/cuda.h"
#include "search/scorer.h"
#include "tensor/placement.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

class OnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cuda" && !kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
    set_placement({.device = GetParam()});
  }
  void TearDown() override { set_placement({.device = "cpu"}); }

  // Heads of 64, as the models that people use have them.
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

  // How far a log probability may be off, for each token: a GPU computes in bf16.
  static double tolerance() { return GetParam() == "cuda" ? 0.05 : 1e-4; }

  support::TempFolder folder_;
};

TEST_P(OnDevice, WhatSearchSaysOfATranslationIsWhatReadingItAtOnceSays) {
  const std::string path = folder_.file("model.safetensors");
  write_model(path);
  const Model model(path);
  const std::vector<Request> requests = sentences(40);
  SearchOptions search;
  search.n_best = 2;
  search.max_length = 12;
  const std::vector<TranslationResult> results = Translator(path).translate(requests, search);
  int compared = 0;
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (const Translation& t : results[i].translations) {
      const PairScore score = score_pairs(model, {{requests[i].text, t.text}})[0];
      // Only where the text comes back as the same tokens.
      if (score.target.size() != t.tokens.size() + 1 || t.text.find("<unk>") != std::string::npos) continue;
      const double tokens = static_cast<double>(score.target.size());
      EXPECT_NEAR(score.sum(), t.log_probability, tolerance() * tokens) << requests[i].text << " -> " << t.text;
      ++compared;
    }
  EXPECT_GT(compared, 10);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, ::testing::Values("cpu", "cuda"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace dragoman::search::test

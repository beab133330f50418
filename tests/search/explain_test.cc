// Explanations: the attention of every layer and head, likely tokens, and where they lead.
#include "search/engine/explain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/attention/attention_record.h"
#include "search/engine/scorer.h"
#include "tests/search/text_model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

const std::vector<std::string> kExplainedTexts = {"the red house stands here .", "where is the dog", "a", "you see it"};

SearchOptions asking_for_all() {
  SearchOptions search;
  search.explain = search.attention = search.token_scores = search.tree = true;
  search.max_length = 12;
  return search;
}

std::vector<Request> requests_for(const std::vector<std::string>& texts) {
  std::vector<Request> requests(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) requests[i].text = texts[i];
  return requests;
}

void expect_scores_of_search(const Explanation& explanation, const Translation& translation) {
  ASSERT_EQ(explanation.text, translation.text);
  ASSERT_EQ(explanation.tokens.size(), translation.tokens.size() + 1);
  for (std::size_t i = 0; i < explanation.tokens.size(); ++i) {
    EXPECT_EQ(explanation.tokens[i].place.token, i < translation.tokens.size() ? translation.tokens[i] : "</s>");
    EXPECT_NEAR(explanation.tokens[i].log_probability, translation.token_scores[i], 1e-5) << "token " << i;
  }
}

// The written token is among the alternatives exactly if it is likely enough.
void expect_a_distribution(const WrittenToken& token, std::size_t alternatives) {
  ASSERT_EQ(token.alternatives.size(), alternatives);
  double sum = 0, last = 1;
  bool found = false;
  for (const Alternative& one : token.alternatives) {
    EXPECT_LE(one.probability, last);
    last = one.probability;
    sum += one.probability;
    if (one.token != token.place.token) continue;
    found = true;
    EXPECT_NEAR(one.probability, std::exp(token.log_probability), 1e-9);
  }
  EXPECT_LE(sum, 1 + 1e-5);
  EXPECT_EQ(found, std::exp(token.log_probability) >= last) << token.place.token;
}

void expect_weights(const AttentionLayer& layer, const Explanation& explanation, std::size_t mixtures) {
  const std::size_t source = explanation.source_tokens.size(), target = explanation.tokens.size();
  ASSERT_FALSE(layer.heads.empty());
  for (const auto& head : layer.heads) {
    ASSERT_EQ(head.size(), layer.kind == AttentionKind::encoder ? source : target) << layer.name;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const std::size_t columns = layer.kind == AttentionKind::past ? i + 1 : source;
      ASSERT_EQ(head[i].size(), layer.mixtures ? mixtures : columns) << layer.name;
      float sum = 0;
      for (const float weight : head[i]) sum += weight;
      EXPECT_NEAR(sum, 1, 1e-4) << layer.name << ", row " << i;
    }
  }
}

// The attention that a translation has always had is the mean over the heads of one layer.
void expect_mean_of_heads(const Explanation& explanation, const Translation& translation) {
  const AttentionLayer* last = nullptr;
  for (const AttentionLayer& layer : explanation.attention)
    if (layer.kind == AttentionKind::source) last = &layer;
  ASSERT_NE(last, nullptr);
  for (std::size_t i = 0; i < translation.attention.size(); ++i)
    for (std::size_t j = 0; j < translation.attention[i].size(); ++j) {
      float mean = 0;
      for (const auto& head : last->heads) mean += head[i][j] / static_cast<float>(last->heads.size());
      EXPECT_NEAR(mean, translation.attention[i][j], 1e-5) << last->name << ", row " << i << ", column " << j;
    }
}

int count_layers(const Explanation& explanation, AttentionKind kind) {
  int count = 0;
  for (const AttentionLayer& layer : explanation.attention) {
    if (layer.kind != kind) continue;
    EXPECT_EQ(layer.layer, count++) << layer.name;
  }
  return count;
}

void expect_all_layers(const Explanation& explanation, const models::ModelConfig& config) {
  if (config.family == models::family_named("transformer")) {
    EXPECT_EQ(count_layers(explanation, AttentionKind::encoder), config.transformer.encoder_layers);
    EXPECT_EQ(count_layers(explanation, AttentionKind::source), config.transformer.decoder_layers);
    const bool attends_past = config.transformer.decoder_past == models::DecoderPast::attention;
    EXPECT_EQ(count_layers(explanation, AttentionKind::past), attends_past ? config.transformer.decoder_layers : 0);
    for (const AttentionLayer& layer : explanation.attention)
      EXPECT_EQ(static_cast<int>(layer.heads.size()), config.attention.heads) << layer.name;
    return;
  }
  const models::RecurrentConfig& recurrent = config.recurrent;
  const bool past = recurrent.attention_over == models::AttentionOver::source_and_past;
  const bool self = recurrent.self_attention_heads > 0;
  EXPECT_EQ(count_layers(explanation, AttentionKind::source),
            recurrent.attention_over != models::AttentionOver::nothing);
  EXPECT_EQ(count_layers(explanation, AttentionKind::past), past + (past && self));
  EXPECT_EQ(count_layers(explanation, AttentionKind::encoder), self);
}

class Explain : public ::testing::Test {
 protected:
  std::vector<TranslationResult> explained(const std::vector<std::string>& files, const TranslatorOptions& options) {
    return Translator(files, options).translate(requests_for(kExplainedTexts), asking_for_all());
  }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors"), other_ = folder_.file("other.safetensors");
};

TEST_F(Explain, EveryPresetSaysWhatSearchDid) {
  for (const std::string& preset : models::preset_names()) {
    SCOPED_TRACE(preset);
    write_text_model(model_, preset, 7);
    const models::ModelConfig config = text_model_info(preset).config;
    for (const TranslationResult& result : explained({model_}, on_cpu())) {
      ASSERT_EQ(result.explanations.size(), 1u);
      const Explanation& explanation = result.explanations.front();
      expect_scores_of_search(explanation, result.translations.front());
      for (const WrittenToken& token : explanation.tokens) expect_a_distribution(token, 5);
      for (const AttentionLayer& layer : explanation.attention) {
        expect_weights(layer, explanation, static_cast<std::size_t>(config.attention.linformer));
        EXPECT_EQ(layer.mixtures, config.attention.linformer > 0 && layer.kind != AttentionKind::past) << layer.name;
      }
      expect_all_layers(explanation, config);
      if (!result.translations.front().attention.empty())
        expect_mean_of_heads(explanation, result.translations.front());
      EXPECT_EQ(explanation.tree.size(), result.tree.size());
    }
  }
}

TEST_F(Explain, WordsAndAlignmentAreThoseOfTheTexts) {
  write_text_model(model_, "transformer-small", 7);
  SearchOptions search = asking_for_all();
  search.alignment = true;
  const TranslationResult result =
      Translator(model_, on_cpu()).translate(requests_for(kExplainedTexts), search).front();
  const Explanation& explanation = result.explanations.front();
  EXPECT_EQ(explanation.alignment, result.translations.front().alignment);
  EXPECT_FALSE(explanation.alignment.empty());
  const auto in = [](const std::string& text, const TextToken& place) {
    return text.substr(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.end - place.begin));
  };
  EXPECT_EQ(in(explanation.source, explanation.source_tokens[1]), "red");
  EXPECT_EQ(explanation.source_tokens[1].word, 1);
  EXPECT_EQ(explanation.source_tokens.back().word, -1) << "EOS";
  std::string text;
  for (const WrittenToken& token : explanation.tokens) text += in(explanation.text, token.place);
  EXPECT_EQ(text, explanation.text);
}

TEST_F(Explain, DoesNotDependOnTheBatch) {
  write_text_model(model_, "lstm-luong", 7);
  TranslatorOptions alone = on_cpu();
  alone.threads = alone.batch = 1;
  const std::vector<TranslationResult> expected = explained({model_}, alone), together = explained({model_}, on_cpu());
  for (std::size_t s = 0; s < expected.size(); ++s) {
    const Explanation &a = expected[s].explanations[0], &b = together[s].explanations[0];
    ASSERT_EQ(a.attention.size(), b.attention.size());
    for (std::size_t i = 0; i < a.attention.size(); ++i) EXPECT_EQ(a.attention[i].heads, b.attention[i].heads);
    ASSERT_EQ(a.tokens.size(), b.tokens.size());
    for (std::size_t i = 0; i < a.tokens.size(); ++i) {
      EXPECT_EQ(a.tokens[i].log_probability, b.tokens[i].log_probability);
      ASSERT_EQ(a.tokens[i].alternatives.size(), b.tokens[i].alternatives.size());
      for (std::size_t k = 0; k < a.tokens[i].alternatives.size(); ++k)
        EXPECT_EQ(a.tokens[i].alternatives[k].token, b.tokens[i].alternatives[k].token);
    }
  }
}

TEST_F(Explain, AnEnsembleHasTheMeanOfItsProbabilities) {
  write_text_model(model_, "transformer-small", 7);
  write_text_model(other_, "lstm-luong", 8);
  const Model models[] = {Model(model_, kHost), Model(other_, kHost)};
  int compared = 0;
  for (const TranslationResult& result : explained({model_, other_}, on_cpu())) {
    const Explanation& explanation = result.explanations.front();
    expect_scores_of_search(explanation, result.translations.front());
    EXPECT_EQ(count_layers(explanation, AttentionKind::source), 2) << "of the first model";
    const SentencePair pair{explanation.source, explanation.text};
    std::vector<PairScore> alone;
    for (const Model& model : models) alone.push_back(score_pairs(model, {pair}).front());
    if (alone[0].target.size() != explanation.tokens.size()) continue;  // text that is read as other tokens
    for (std::size_t i = 0; i < explanation.tokens.size(); ++i, ++compared)
      EXPECT_NEAR(std::exp(explanation.tokens[i].log_probability),
                  (std::exp(alone[0].log_probabilities[i]) + std::exp(alone[1].log_probabilities[i])) / 2, 1e-5);
  }
  EXPECT_GT(compared, 0);
}

TEST_F(Explain, AnAlternativeLeadsToATranslationThatBeginsWithIt) {
  write_text_model(model_, "transformer-small", 7);
  const Translator translator(model_, on_cpu());
  const Explanation first = explained({model_}, on_cpu()).front().explanations.front();
  int taken = 0;
  for (std::size_t at = 0; at < first.tokens.size(); ++at)
    for (const Alternative& one : first.tokens[at].alternatives) {
      if (one.token == "</s>" || one.token == "<unk>") {
        EXPECT_EQ(one.prefix, "");
        continue;
      }
      Request request;
      request.text = first.source;
      request.prefix = one.prefix;
      SearchOptions search = asking_for_all();
      search.max_length = 0;
      const Explanation next = translator.translate({request}, search).front().explanations.front();
      EXPECT_TRUE(next.text.starts_with(one.prefix)) << next.text << " / " << one.prefix;
      // Random weights write things like ". ein", which are read as other tokens.
      bool same = next.tokens.size() > at;
      for (std::size_t i = 0; same && i < at; ++i) same = next.tokens[i].place.token == first.tokens[i].place.token;
      if (!same || next.tokens[at].place.token != one.token) continue;
      EXPECT_NEAR(std::exp(next.tokens[at].log_probability), one.probability, 1e-5);
      ++taken;
    }
  EXPECT_GT(taken, 15);
}

TEST_F(Explain, EachPartOfASplitTextHasItsOwnAndABlankOneNone) {
  write_text_model(model_, "transformer-small", 7);
  TranslatorOptions options = on_cpu();
  options.max_input_tokens = 8;
  const std::vector<TranslationResult> results =
      Translator(model_, options)
          .translate(requests_for({"The red house stands here. Where is the dog now?", "  "}), asking_for_all());
  ASSERT_EQ(results[0].parts, 2);
  ASSERT_EQ(results[0].explanations.size(), 2u);
  EXPECT_EQ(results[0].explanations[1].source, "Where is the dog now?");
  EXPECT_TRUE(results[1].explanations.empty());
}

TEST_F(Explain, AsksForAsManyAlternativesAsThereAreTokens) {
  write_text_model(model_, "transformer-small", 7);
  const Translator translator(model_, on_cpu());
  SearchOptions search = asking_for_all();
  search.alternatives = 100;
  const Explanation all = translator.translate(requests_for({"the dog"}), search).front().explanations.front();
  for (const WrittenToken& token : all.tokens) {
    double sum = 0;
    for (const Alternative& one : token.alternatives) sum += one.probability;
    EXPECT_GT(sum, 0.5) << "all but the tokens that are never written";
    EXPECT_LE(sum, 1 + 1e-5);
  }
  search.alternatives = 101;
  const std::string refused = support::message([&] { translator.translate(requests_for({"the dog"}), search); });
  EXPECT_EQ(refused, "alternatives must be between 0 and 100, got 101");
  search.alternatives = 0;
  EXPECT_TRUE(
      translator.translate(requests_for({"the dog"}), search).front().explanations[0].tokens[0].alternatives.empty());
}

TEST(AttentionRecord, RefusesSeveralSentencesAndEndsWithItsScope) {
  const ToyModel model("transformer-small", 6, 11);
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const std::int32_t ids[] = {5, 6, 7, 5}, offsets[] = {0, 2, 4};
  {
    nn::AttentionRecord record(1000);
    const std::string refused =
        support::message([&] { model.network().encode(cx, Packed::from_host(cx, ids, offsets)); });
    EXPECT_NE(refused.find("expected one sentence"), std::string::npos) << refused;
  }
  EXPECT_EQ(nn::AttentionRecord::current(), nullptr);
  model.network().encode(cx, Packed::from_host(cx, ids, offsets));
}

TEST(AttentionRecord, IsDroppedBeyondItsLimit) {
  const ToyModel model("transformer-small", 6, 11);
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const std::int32_t ids[] = {5, 6, 7, 5}, offsets[] = {0, 4};
  const std::size_t weights = 2 * 2 * 4 * 4;  // layers, heads, queries, keys
  for (const std::size_t most : {weights - 1, weights}) {
    nn::AttentionRecord record(most);
    model.network().encode(cx, Packed::from_host(cx, ids, offsets));
    EXPECT_EQ(record.is_too_large(), most < weights);
    EXPECT_EQ(record.take().size(), most < weights ? 0u : 2u);
  }
}

}  // namespace
}  // namespace dragoman::search::test

#include "dragoman/translator.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/random.h"
#include "dragoman/dragoman.h"
#include "search/engine/neural_engine.h"
#include "search/engine/scorer.h"
#include "search/engine/text_translator.h"
#include "search/words.h"
#include "tests/search/text_model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

const std::vector<std::string> kWords = {"the", "red",  "house", "stands", "here", "a", "blue",
                                         "dog", "sees", "you",   "where",  "is",   "it"};

std::string random_text(Random& random, int longest = 9) {
  std::string text;
  for (std::uint64_t n = 1 + random.below(static_cast<std::uint64_t>(longest)); n > 0; --n)
    text += kWords[random.below(kWords.size())] + (n > 1 ? " " : "");
  return text;
}

class TranslatorTest : public ::testing::Test {
 protected:
  void SetUp() override { write_text_model(model_, "transformer-small", 3); }

  static Request request(const std::string& text) {
    Request asked;
    asked.text = text;
    return asked;
  }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

TEST_F(TranslatorTest, GivesTranslationsInOrderWhateverTheBatchAndTheThreads) {
  Random random(1);
  std::vector<std::string> texts = {"", "the dog", "   "};
  for (int i = 0; i < 60; ++i) texts.push_back(random_text(random));
  TranslatorOptions options = on_cpu();
  options.threads = 1;
  options.batch = 1;
  const std::vector<std::string> expected = Translator(model_, options).translate(texts);
  EXPECT_EQ(expected[0], "");
  EXPECT_NE(expected[1], "");
  EXPECT_EQ(expected[2], "");
  for (const int threads : {1, 3})
    for (const int batch : {4, 32}) {
      options.threads = threads;
      options.batch = batch;
      EXPECT_EQ(Translator(model_, options).translate(texts), expected) << threads << " threads, batch " << batch;
    }
}

TEST_F(TranslatorTest, MayBeUsedByManyThreads) {
  const Translator translator(model_, on_cpu());
  Random random(2);
  std::vector<std::string> texts, expected;
  for (int i = 0; i < 24; ++i) texts.push_back(random_text(random));
  for (const std::string& text : texts) expected.push_back(translator.translate(text));
  std::vector<std::string> answers(texts.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < texts.size(); i += 4) answers[i] = translator.translate(texts[i]);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers, expected);
}

TEST_F(TranslatorTest, TellsEverythingThatIsAskedFor) {
  const Translator translator(model_, on_cpu());
  SearchOptions search;
  search.n_best = 3;
  search.alignment = search.token_scores = search.attention = search.tree = true;
  const TranslationResult result = translator.translate({request("the red house stands here .")}, search).front();
  ASSERT_EQ(result.translations.size(), 3u);
  EXPECT_EQ(result.source_tokens.size(), 7u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Translation& t = result.translations[i];
    EXPECT_EQ(t.token_scores.size(), t.tokens.size() + 1);
    double sum = 0;
    for (const double score : t.token_scores) sum += score;
    EXPECT_NEAR(sum, t.log_probability, 1e-9);
    EXPECT_TRUE(i == 0 || t.score <= result.translations[i - 1].score);
    ASSERT_EQ(t.attention.size(), t.tokens.size());
    for (const std::vector<float>& row : t.attention) {
      ASSERT_EQ(row.size(), 7u);
      float total = 0;
      for (const float weight : row) total += weight;
      EXPECT_NEAR(total, 1, 1e-4);
    }
    const int words = count_display_words(t.text);
    EXPECT_EQ(static_cast<int>(t.alignment.size()), words);
    for (const AlignmentLink& link : t.alignment) {
      EXPECT_LT(link.source, 6);
      EXPECT_LT(link.target, words);
    }
    std::vector<SpanLink> links = t.span_links;
    EXPECT_TRUE(std::is_sorted(links.begin(), links.end(),
                               [](const SpanLink& a, const SpanLink& b) { return a.target_end <= b.target_begin; }));
    for (const SpanLink& link : links) {
      EXPECT_TRUE(stands_alone("the red house stands here .", link.source_begin, link.source_end));
      EXPECT_TRUE(stands_alone(t.text, link.target_begin, link.target_end));
    }
  }
  // The tree: parents come first, finished nodes are leaves, and one path is the best.
  int best = 0;
  for (std::size_t n = 1; n < result.tree.size(); ++n) {
    EXPECT_LT(result.tree[n].parent, static_cast<int>(n));
    EXPECT_FALSE(result.tree[static_cast<std::size_t>(result.tree[n].parent)].finished);
    best += result.tree[n].best;
  }
  EXPECT_EQ(best, static_cast<int>(result.translations[0].tokens.size()) + 1);
}

TEST_F(TranslatorTest, TermsAppearAndBannedWordsDoNot) {
  Random random(3);
  const std::vector<std::string> target = {"haus", "hund", "blauer hund", "dich", "wo ist"};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    write_text_model(model_, seed % 2 ? "lstm-luong" : "transformer-small", seed);
    const Translator translator(model_, on_cpu());
    std::vector<Request> requests;
    for (int i = 0; i < 30; ++i) {
      requests.push_back(request("the dog sees it " + random_text(random)));
      requests.back().terms = {{"dog", target[random.below(target.size())]}, {"absent", "jetzt"}};
      if (i % 2) requests.back().banned = {"steht", "."};
    }
    const std::vector<TranslationResult> results = translator.translate(requests, {});
    for (std::size_t i = 0; i < requests.size(); ++i) {
      ASSERT_FALSE(results[i].translations.empty());
      const std::string text = results[i].translations[0].text;
      EXPECT_TRUE(contains_word(text, requests[i].terms[0].second)) << text;
      for (const std::string& word : requests[i].banned) EXPECT_FALSE(contains_word(text, word)) << text;
    }
  }
}

TEST_F(TranslatorTest, BeginsWithThePrefix) {
  const Translator translator(model_, on_cpu());
  Request asked = request("the red house");
  asked.prefix = "ein blauer";
  EXPECT_TRUE(translator.translate({asked}, {}).front().translations.front().text.starts_with("ein blauer"));
}

TEST_F(TranslatorTest, CutsLongInputsAtSentenceEndsOrRefusesThem) {
  TranslatorOptions options = on_cpu();
  options.max_input_tokens = 8;
  const std::string first = "The red house stands here.", second = "Where is the dog now?";
  const Translator cutting(model_, options);
  const TranslationResult result = cutting.translate({request(first + " " + second)}, {}).front();
  EXPECT_EQ(result.parts, 2);
  EXPECT_EQ(result.translations[0].text, cutting.translate(first) + " " + cutting.translate(second));
  options.long_input = LongInput::refuse;
  const Translator refusing(model_, options);
  try {
    refusing.translate(first + " " + second);
    FAIL() << "a long input was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("longer than the 8 allowed"), std::string::npos) << error.what();
  }
}

TEST_F(TranslatorTest, CopiesUnknownWordsFromTheSource) {
  // A model that writes nothing but unknown words.
  const store::ModelInfo info = text_model_info("lstm-luong");
  models::Seq2seq network(info.config);
  network.parameters().allocate(cpu_device(), DType::f32, 1, false);
  network.parameters().find("output.bias")->tensor.data<float>()[0] = 50;
  network.parameters().find("output.bias")->tensor.data<float>()[2] = 49;
  store::save_model(model_, info, network.parameters());
  const Translator translator(model_, on_cpu());
  SearchOptions search;
  search.max_length = 3;
  const std::string plain = translator.translate("zanzibar quux", search);
  EXPECT_EQ(plain.find("zanzibar"), std::string::npos);
  EXPECT_NE(plain.find("<unk>"), std::string::npos) << plain;
  search.replace_unknown = true;
  const std::string copied = translator.translate("zanzibar quux", search);
  EXPECT_EQ(copied.find("<unk>"), std::string::npos) << copied;
  EXPECT_TRUE(copied.find("zanzibar") != std::string::npos || copied.find("quux") != std::string::npos) << copied;
}

TEST_F(TranslatorTest, EnsemblesNeedOneTargetVocabulary) {
  const std::string other = folder_.file("other.safetensors");
  write_text_model(other, "lstm-luong", 8);
  EXPECT_NE(Translator({model_, other}, on_cpu()).translate("the dog sees you"), "");
  store::ModelInfo info = text_model_info("lstm-luong");
  info.target_tokenizer = words_tokenizer({"other words"});
  info.config.target_vocabulary = 8;
  models::Seq2seq network(info.config);
  network.parameters().allocate(cpu_device(), DType::f32, 1, false);
  store::save_model(other, info, network.parameters());
  EXPECT_THROW(Translator({model_, other}, on_cpu()), std::runtime_error);
}

TEST_F(TranslatorTest, RefusesOptionsThatMakeNoSense) {
  const Translator translator(model_, on_cpu());
  const auto refused = [&](auto change) {
    SearchOptions search;
    change(search);
    EXPECT_THROW(translator.translate("the dog", search), std::runtime_error);
    EXPECT_THROW(translator.translate("", search), Error) << "blank texts are translated without a search";
  };
  refused([](SearchOptions& s) { s.beam = 0; });
  refused([](SearchOptions& s) { s.n_best = 9; });
  refused([](SearchOptions& s) { s.n_best = -1; });
  refused([](SearchOptions& s) { s.temperature = 0; });
  refused([](SearchOptions& s) { s.min_length = 9, s.max_length = 4; });
  EXPECT_NO_THROW(translator.translate("the dog"));
}

TEST_F(TranslatorTest, ScoresAreThoseOfTheSearch) {
  const Model model(model_, kHost);
  SearchOptions search;
  search.n_best = 4;
  const std::string source = "where is the blue dog ?";
  const Translator translator(model_, on_cpu());
  const TranslationResult result = translator.translate({request(source)}, search).front();
  for (const Translation& t : result.translations) {
    if (t.text.find("<unk>") != std::string::npos) continue;
    const std::vector<PairScore> scores = score_pairs(model, {{source, t.text}});
    // Compare only if the text is encoded as the same tokens again.
    if (scores[0].target.size() != t.tokens.size() + 1) continue;
    EXPECT_NEAR(scores[0].sum(), t.log_probability, 1e-3);
  }
}

TEST_F(TranslatorTest, AlignmentsOfGivenPairsAreThoseOfTheSearch) {
  const std::vector<SentencePair> pairs = {{"where is the blue dog ?", "wo ist ein blauer hund jetzt"},
                                           {"it stands here", "es steht hier"}};
  for (const char* preset : {"transformer-small", "lstm-luong", "lstm-lexical"}) {
    write_text_model(model_, preset, 7);
    const std::vector<PairScore> scores = score_pairs(Model(model_, kHost), pairs, {.alignment = true});
    SearchOptions search;
    search.alignment = true;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      // Forced decoding by a prefix: the search writes the given words and may extend the last one.
      Request forced = request(pairs[i].source);
      forced.prefix = pairs[i].target;
      const std::vector<TranslationResult> results = Translator(model_, on_cpu()).translate({forced}, search);
      const std::vector<AlignmentLink>& expected = results.front().translations.front().alignment;
      ASSERT_EQ(std::ssize(scores[i].alignment), count_display_words(pairs[i].target));
      for (std::size_t word = 0; word + 1 < scores[i].alignment.size(); ++word)
        EXPECT_EQ(scores[i].alignment[word], expected[word]) << preset << ", word " << word;
    }
    EXPECT_TRUE(score_pairs(Model(model_, kHost), pairs)[0].alignment.empty());
  }
}

TEST_F(TranslatorTest, ModelsThatAttendToNoSingleWordHaveNoAlignments) {
  write_text_model(model_, "linformer-k32", 7);
  const Model model(model_, kHost);
  EXPECT_NO_THROW(score_pairs(model, {{"the dog", "der hund"}}));
  EXPECT_NE(support::message([&] {
              score_pairs(model, {{"the dog", "der hund"}}, {.alignment = true});
            }).find("has no alignments"),
            std::string::npos);
}

// A text that is translated in parts, or whose spaces are dropped, has the links of its parts, moved.
TEST_F(TranslatorTest, LinksOfPartsAreLinksOfTheText) {
  TranslatorOptions options = on_cpu();
  options.sentences = true;
  const Translator translator(model_, options);
  SearchOptions search;
  search.alignment = true;
  const std::string first = "the dog is here .", second = "Where is the red house ?";
  const std::string both = "  " + first + "   " + second + " ";
  const auto links_of = [&](const std::string& text) {
    return translator.translate({request(text)}, search).front().translations.front();
  };
  const Translation a = links_of(first), b = links_of(second), whole = links_of(both), padded = links_of("  " + first);
  ASSERT_FALSE(a.span_links.empty() || b.span_links.empty());
  std::vector<SpanLink> expected;
  for (const SpanLink& link : a.span_links)
    expected.push_back({link.source_begin + 2, link.source_end + 2, link.target_begin, link.target_end});
  EXPECT_EQ(padded.span_links, expected);
  const auto from = static_cast<std::uint32_t>(both.find("Where")), to = static_cast<std::uint32_t>(a.text.size() + 1);
  for (const SpanLink& link : b.span_links)
    expected.push_back(
        {link.source_begin + from, link.source_end + from, link.target_begin + to, link.target_end + to});
  EXPECT_EQ(whole.span_links, expected);
}

TEST(Words, UnitsAreLinkedByTheAttentionOfAllTheirTokens) {
  // "\u6211" is I, "\u7231" is love; the token of both has the same weight for each.
  const std::string source = "I love, tea", target = "\u6211\u7231\u8336!";
  const text::Span from[] = {{0, 1}, {1, 4}, {4, 6}, {6, 7}, {7, 11}, {11, 11}}, to[] = {{0, 6}, {6, 9}, {9, 10}};
  const std::vector<std::vector<float>> attention = {
      {0.2f, 0.3f, 0.3f, 0.1f, 0.1f, 0}, {0, 0, 0, 0.6f, 0.4f, 0}, {0, 0, 0, 0.1f, 0.1f, 0.8f}};
  EXPECT_EQ(align_units(attention, source, from, target, to),
            (std::vector<SpanLink>{{2, 6, 0, 3}, {2, 6, 3, 6}, {7 + 1, 11, 6, 9}}));
}

TEST(Words, EveryByteOfACharacterHasItsPlace) {
  const auto tokenizer = text::deserialize_tokenizer(bytes_tokenizer({"die grenze ist hier", "eine grenze"}));
  for (const std::string text : {"die \u20ac grenze", "\u00e4\u20ac", "\u20ac\uFFFD \u20ac"}) {
    const text::Encoded encoded = tokenizer->encode_spans(text);
    ASSERT_EQ(tokenizer->decode(encoded.ids), text);
    const std::vector<text::Span> spans = target_spans(*tokenizer, encoded.ids, text);
    std::string covered;
    std::uint32_t end = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].end > end) covered += text.substr(spans[i].begin, spans[i].end - spans[i].begin);
      end = std::max(end, spans[i].end);
      if (tokenizer->piece(encoded.ids[i]).starts_with("<0x")) {
        EXPECT_EQ(spans[i].end, encoded.spans[i].end) << i << " in " << text;
      }
    }
    EXPECT_EQ(covered, text);
  }
}

TEST(Words, TokensBelongToWordsBetweenSpaces) {
  const std::string text = "ab  cd e";
  const text::Span spans[] = {{0, 1}, {1, 2}, {2, 4}, {3, 6}, {6, 8}, {8, 8}};
  EXPECT_EQ(words_of(text, spans), (std::vector<int>{0, 0, -1, 1, 2, -1}));
  EXPECT_EQ(count_display_words(text), 3);
  EXPECT_TRUE(contains_word("a dog, here", "dog"));
  EXPECT_FALSE(contains_word("a dogma here", "dog"));
  EXPECT_TRUE(contains_word("dogma dog", "dog"));
}

}  // namespace
}  // namespace dragoman::search::test

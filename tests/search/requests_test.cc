// What one request may ask for, and that nothing it asks for is lost.
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <limits>

#include "search/engine/options.h"
#include "search/engine/scorer.h"
#include "search/engine/text_translator.h"
#include "search/surface.h"
#include "tests/search/fake_engine.h"
#include "tests/search/text_model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

using support::message;

Request asked_for(const std::string& text) {
  Request request;
  request.text = text;
  return request;
}

class RequestTest : public ::testing::Test {
 protected:
  void SetUp() override { write_text_model(model_, "transformer-small", 3); }
  std::string refusal(const Request& request, const SearchOptions& search = {}) const {
    return message([&] { Translator(model_, on_cpu()).translate({request}, search); });
  }
  std::string translation(const Request& request, const SearchOptions& search = {}) const {
    return Translator(model_, on_cpu()).translate({request}, search).at(0).translations.at(0).text;
  }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

// ---- Limits ----

TEST_F(RequestTest, LongPrefixesAndTermsAreRefusedBeforeTheyAreTokenised) {
  std::string long_word;
  while (long_word.size() < 800'000) long_word += "𠀀";
  const auto begin = std::chrono::steady_clock::now();
  Request request = asked_for("the red house");
  request.prefix = long_word;
  EXPECT_EQ(refusal(request), "terms and prefix have 800000 bytes, more than the 65536 allowed");
  request.prefix = "";
  request.terms = {{"red", long_word}};
  EXPECT_EQ(refusal(request), "terms and prefix have 800000 bytes, more than the 65536 allowed");
  EXPECT_EQ(message([&] { TextTranslator({model_}, on_cpu()).check_request(request, {}); }),
            "a term of 800000 bytes is longer than the 65536 allowed");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(RequestTest, EveryOptionHasLimitsThatTheLibraryChecks) {
  constexpr int kHuge = std::numeric_limits<int>::max();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, void (*)(SearchOptions&)>> cases = {
      {"--beam", [](SearchOptions& s) { s.beam = kHuge; }},
      {"--n-best", [](SearchOptions& s) { s.n_best = kHuge; }},
      {"--n-best", [](SearchOptions& s) { s.sample = true, s.n_best = 2'000'000'000; }},
      {"--n-best", [](SearchOptions& s) { s.n_best = 0; }},
      {"--finished", [](SearchOptions& s) { s.finished = kHuge; }},
      {"--finished", [](SearchOptions& s) { s.finished = -1; }},
      {"--min-length", [](SearchOptions& s) { s.min_length = kHuge; }},
      {"--max-length", [](SearchOptions& s) { s.max_length = kHuge; }},
      {"--length-penalty", [](SearchOptions& s) { s.length_penalty = kNan; }},
      {"--length-penalty", [](SearchOptions& s) { s.length_penalty = -kInfinity; }},
      {"--word-reward", [](SearchOptions& s) { s.word_reward = kInfinity; }},
      {"--temperature", [](SearchOptions& s) { s.temperature = 0; }},
      {"--temperature", [](SearchOptions& s) { s.temperature = 1e300; }},
      {"--temperature", [](SearchOptions& s) { s.temperature = kNan; }},
      {"--top-p", [](SearchOptions& s) { s.top_p = 0; }},
      {"--top-p", [](SearchOptions& s) { s.top_p = kNan; }},
      {"--top-k", [](SearchOptions& s) { s.top_k = -1; }},
      {"--ranking", [](SearchOptions& s) { s.ranking = static_cast<Ranking>(9); }}};
  const Translator translator(model_, on_cpu());
  for (const auto& [name, change] : cases) {
    SearchOptions search;
    change(search);
    for (const char* text : {"the dog", ""})
      EXPECT_TRUE(message([&] { translator.translate(text, search); }).starts_with(name + ": expected")) << name;
  }
  SearchOptions sampled;
  sampled.sample = true;
  sampled.seed = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NO_THROW(translator.translate("the dog", sampled));
  sampled.temperature = 0.001;
  EXPECT_NO_THROW(translator.translate("the dog", sampled));
}

TEST_F(RequestTest, OptionsOfATranslatorAreCheckedBeforeTheModelIsRead) {
  const auto refused = [](auto change) {
    TranslatorOptions options = on_cpu();
    change(options);
    return message([&] { Translator("absent.safetensors", options); });
  };
  EXPECT_NE(refused([](TranslatorOptions& o) { o.threads = 200'000; }).find("between 0 and 1024"), std::string::npos);
  EXPECT_NE(refused([](TranslatorOptions& o) { o.workers = 200'000; }).find("between 0 and 1024"), std::string::npos);
  EXPECT_NE(refused([](TranslatorOptions& o) { o.batch = 1 << 30; }).find("--batch"), std::string::npos);
  EXPECT_NE(refused([](TranslatorOptions& o) { o.max_input_tokens = -5; }).find("--max-input-tokens"),
            std::string::npos);
  EXPECT_NE(message([] { Scorer("absent.safetensors", {.device = "cpu", .threads = 200'000}); }).find("1024"),
            std::string::npos);
}

TEST_F(RequestTest, TheWidestBeamAndTheLongestListAreTakenWithAFullBatch) {
  SearchOptions search;
  search.beam = search.n_best = kMostHypotheses;
  search.max_length = 2;
  const std::vector<Request> requests(40, asked_for("the dog sees it"));
  const std::vector<TranslationResult> results = Translator(model_, on_cpu()).translate(requests, search);
  ASSERT_EQ(results.size(), 40u);
  EXPECT_GT(results[0].translations.size(), 100u);
  EXPECT_EQ(results[39].translations.size(), results[0].translations.size());
}

TEST_F(RequestTest, LengthsThatNoTranslationCanHaveAreRefused) {
  SearchOptions search;
  search.min_length = 100;  // the model has 64 positions
  EXPECT_EQ(refusal(asked_for("the dog"), search),
            "min-length 100 is more than the 63 tokens that the model can write");
  Request long_prefix = asked_for("the dog");
  for (int i = 0; i < 70; ++i) long_prefix.prefix += "hund ";
  EXPECT_NE(refusal(long_prefix).find("have 70 tokens, more than the 63"), std::string::npos);
}

TEST_F(RequestTest, ARequestThatFailsDoesNotTouchItsNeighbours) {
  std::vector<Request> requests(20, asked_for("the dog sees it"));
  const std::string expected = translation(requests[0]);
  requests[7].prefix = std::string(400, 'x') + " ";
  for (int i = 0; i < 70; ++i) requests[7].prefix += "hund ";
  TextTranslator translator({model_}, on_cpu());
  std::vector<std::string> texts(requests.size());
  std::latch left(std::ssize(requests));
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < requests.size(); ++i)
    jobs.push_back({requests[i], std::make_shared<const SearchOptions>(), i,
                    Answer([&, i](const TranslationResult& result, const std::exception_ptr& error) {
                      texts[i] = error ? "error" : result.translations.at(0).text;
                      left.count_down();
                    })});
  translator.submit(std::move(jobs));
  left.wait();
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], i == 7 ? "error" : expected) << i;
}

// ---- Odd texts ----

TEST_F(RequestTest, AnyTextIsTranslatedOrRefused) {
  std::string marks;
  for (int i = 0; i < 2000; ++i) marks += ",";
  std::string abbreviations;
  for (int i = 0; i < 50'000; ++i) abbreviations += "a.";
  const std::vector<std::string> texts = {"\x01\x02\x7f",
                                          " \t ",
                                          std::string("the\0dog", 7),
                                          marks,
                                          abbreviations,
                                          std::string(20'000, 'x'),
                                          "\xff\xfe",
                                          "\u200b\u200d",
                                          "\u0301",
                                          "qqq www eee rrr",
                                          std::string(300, ' ') + "dog"};
  SearchOptions quick;
  quick.beam = 1;
  quick.max_length = 2;
  const Translator translator(model_, on_cpu());
  for (const std::string& text : texts) EXPECT_NO_THROW(translator.translate(text, quick)) << text.substr(0, 20);
}

// ---- Parts ----

TEST(TextParts, ALongTextIsNeitherCopiedNorSubmittedAtOnce) {
  auto engine = std::make_unique<EchoEngine>(5);
  EchoEngine& echo = *engine;
  TextTranslator translator(std::move(engine), {});
  std::string text = "w0";
  for (int i = 1; i < 100'000; ++i) text += " w" + std::to_string(i);
  const TranslationResult result = translator.translate({asked_for(text)}, {}).at(0);
  EXPECT_EQ(result.translations.at(0).text, text);
  EXPECT_EQ(result.parts, 20'000);
  EXPECT_LE(echo.bytes, text.size());
  EXPECT_LE(echo.largest_batch, 2048u);
  EXPECT_EQ(echo.longest, 5);
}

TEST(TextParts, ATermThatACutDividesBelongsToThePartWhereItBegins) {
  auto engine = std::make_unique<EchoEngine>(3);
  EchoEngine& echo = *engine;
  TextTranslator translator(std::move(engine), {});
  Request request = asked_for("we live in New York now");
  request.terms = {{"New York", "Neu York"}, {"in New", "in Neu"}, {"York now", "York jetzt"}, {"absent", "weg"}};
  translator.translate({request}, {});
  ASSERT_EQ(echo.terms.size(), 2u);
  EXPECT_EQ(echo.terms[0], (std::vector<std::pair<std::string, std::string>>{{"in New", "in Neu"}}));
  EXPECT_EQ(echo.terms[1],
            (std::vector<std::pair<std::string, std::string>>{{"New York", "Neu York"}, {"York now", "York jetzt"}}));
}

TEST(TextParts, AnEngineThatFailsIsAnErrorOfTheRequest) {
  using How = FailingEngine::How;
  for (const How how : {How::throws, How::drops, How::throws_no_exception})
    for (const char* text : {"one two", "one two three four five six seven eight nine ten eleven"}) {
      TextTranslator translator(std::make_unique<FailingEngine>(how), {});
      EXPECT_ANY_THROW(translator.translate({asked_for(text)}, {})) << text;
    }
}

// ---- Texts without words ----

TEST(TextsOfMarks, StayAsTheyAreIfTheyAreProtected) {
  TextTranslator translator(std::make_unique<FailingEngine>(FailingEngine::How::drops), {});
  SearchOptions protects;
  protects.protect = Protect::on;
  for (const char* const text : {"!!!", "---", "* * *", "…", "👍🏽", "❤️", " ?? "}) {
    const TranslationResult result = translator.translate({asked_for(text)}, protects).at(0);
    ASSERT_EQ(result.translations.size(), 1u);
    EXPECT_EQ(result.translations[0].text, text);
  }
  EXPECT_ANY_THROW(translator.translate({asked_for("!!!")}, {})) << "the engine is asked";
  EXPECT_ANY_THROW(translator.translate({asked_for("!1")}, protects));
}

// ---- Terms, prefixes and unknown words ----

TEST_F(RequestTest, TermsThatTheVocabularyLacksAreWrittenLiterally) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    write_text_model(model_, seed % 2 ? "lstm-luong" : "transformer-small", seed);
    Request request = asked_for("the dog sees the red house");
    request.terms = {{"dog", "Quetzalcoatlus"}, {"red house", "Zyx haus Qwv"}, {"sees", "hund"}};
    SearchOptions search;
    search.replace_unknown = seed < 2;
    const std::string text = translation(request, search);
    for (const auto& [source, term] : request.terms) EXPECT_TRUE(contains_word(text, term)) << term << ": " << text;
  }
}

TEST_F(RequestTest, APrefixThatTheVocabularyLacksIsWrittenLiterallyAndMeetsNoOtherTerm) {
  Request request = asked_for("the dog sees the red house");
  request.prefix = "Zyx ein Qwv";
  request.terms = {{"dog", "Quetzalcoatlus"}, {"house", "ein"}};
  const std::string text = translation(request);
  EXPECT_TRUE(text.starts_with("Zyx ein Qwv")) << text;
  EXPECT_TRUE(contains_word(text, "Quetzalcoatlus")) << text;
}

TEST_F(RequestTest, AVocabularyInLowerCaseWritesTheCapitalsOfATerm) {
  store::ModelInfo info = text_model_info("transformer-small");
  text::WordOptions lower;
  lower.prepare.lower = true;
  bool read = false;
  info.target_tokenizer = text::build_words(
                              [&](std::string& line) {
                                line = "ein blauer hund sieht dich !";
                                return !std::exchange(read, true);
                              },
                              lower, {})
                              ->serialize();
  info.config.target_vocabulary = text::deserialize_tokenizer(info.target_tokenizer)->size();
  models::Seq2seq network(info.config);
  network.parameters().allocate(cpu_device(), DType::f32, 1, false);
  store::save_model(model_, info, network.parameters());
  Request request = asked_for("the dog");
  request.terms = {{"dog", "Hund"}};
  EXPECT_TRUE(contains_word(translation(request), "Hund")) << translation(request);
}

TEST_F(RequestTest, ConstraintsThatNothingCanMeetAreRefused) {
  Request request = asked_for("the dog");
  request.terms = {{"dog", "blauer hund"}};
  request.banned = {"hund"};
  EXPECT_EQ(refusal(request), "the term 'blauer hund' contains a banned word");
  request.terms.clear();
  request.prefix = "ein hund";
  EXPECT_EQ(refusal(request), "the prefix 'ein hund' contains a banned word");
  request.prefix.clear();
  request.banned.assign(1001, "x");
  EXPECT_NE(refusal(request).find("at most 1000 banned words"), std::string::npos);
}

TEST_F(RequestTest, BanningAWordThatTheVocabularyLacksBansNoOther) {
  Request request = asked_for("zanzibar");
  const std::string plain = translation(request);
  request.banned = {"Quetzalcoatlus"};
  EXPECT_EQ(translation(request), plain);
}

TEST_F(RequestTest, WhatNeedsAttentionIsRefusedByModelsWithout) {
  for (const char* preset : {"seq2seq", "linformer-k32"}) {
    write_text_model(model_, preset, 3);
    for (const auto member : {&SearchOptions::alignment, &SearchOptions::replace_unknown}) {
      SearchOptions search;
      search.*member = true;
      EXPECT_NE(refusal(asked_for("the dog"), search).find("does not attend to single source words"), std::string::npos)
          << preset;
    }
    EXPECT_NE(translation(asked_for("the dog")), "absent") << preset;
  }
}

// ---- Spellings ----

TEST(Surface, LiteralsReplaceTheTextOfTheirTokensAndMoveTheSpansAfterThem) {
  const auto tokenizer = text::deserialize_tokenizer(words_tokenizer({"das haus ( ist ) hier , ."}));
  const Spelling term = spell_in_sentence(*tokenizer, "Zyx (Q)");
  const Spelling all = spell(*tokenizer, "das ? ( ? ) hier .");
  ASSERT_EQ(term.ids.size(), 4u);
  EXPECT_EQ(tokenizer->decode(all.ids), "das <unk> (<unk>) hier.");
  const Literal literal{1, &term};
  const Surface surface = decode(*tokenizer, all.ids, std::span(&literal, 1));
  EXPECT_EQ(surface.text, "das Zyx (Q) hier.");
  std::vector<std::string> pieces;
  for (const text::Span& span : surface.spans) pieces.push_back(surface.text.substr(span.begin, span.end - span.begin));
  EXPECT_EQ(pieces, (std::vector<std::string>{"das", "Zyx", "(", "Q", ")", " hier", "."}));
}

}  // namespace
}  // namespace dragoman::search::test

// One model for several directions: English to German, to German written backwards ("ed"), and both back to English.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dragoman/dragoman.h"
#include "dragoman/scorer.h"
#include "phrasebook/phrasebook.h"
#include "run/model_languages.h"
#include "run/training_plan.h"
#include "run/training_run.h"
#include "search/engine/text_translator.h"
#include "store/average.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"
#include "text/vocabulary.h"

namespace dragoman::run {
namespace {

using support::message;
using support::TempFolder;
using Lines = std::vector<std::string>;

constexpr int kSentences = 20;

// A corpus in three languages and a model of four directions, made once for all tests.
class Languages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const phrasebook::Phrasebook book(3);
    for (std::uint64_t i = 0; i < kSentences; ++i) {
      const phrasebook::BilingualPhrase pair = book.pair(phrasebook::Split::train, i);
      lines_["en"].push_back(pair.english);
      lines_["de"].push_back(pair.german);
      std::string backwards;  // without umlauts, which consist of two bytes
      for (const char c : pair.german)
        if (static_cast<unsigned char>(c) < 128) backwards += c;
      std::reverse(backwards.begin(), backwards.end());
      lines_["ed"].push_back(backwards);
    }
    for (const auto& [language, lines] : lines_) {
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      folder_->write(language, text);
    }
    TrainingRun run(options("trained"));
    run.on_validation([](const train::Validation& validation) { last_ = validation; });
    model_ = run.train([] { return false; }).model;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
    lines_.clear();
  }

  static TrainingOptions options(const std::string& output) {
    TrainingOptions options;
    options.preset = "transformer-tiny";
    Settings settings(options);
    read_initial_settings(settings, options);
    options.model.embedding = options.model.transformer.size = 64;
    options.model.transformer.feed_forward = 64;
    options.model.transformer.encoder_layers = options.model.transformer.decoder_layers = 1;
    for (const char* pair : {"en-de", "en-ed", "de-en", "ed-en"}) add_corpus(options, pair);
    options.valid_source = options.corpus.source;
    options.valid_target = options.corpus.target;
    options.valid_languages = options.corpus.languages;
    options.cache = folder_->path();
    options.batch.plan = {.by = data::BatchBy::sentences, .size = 20};
    options.train.output = folder_->file(output);
    options.train.until = {"200u"};
    options.train.validate = "100u";
    options.train.schedule = {.kind = train::ScheduleKind::cosine, .rate = 0.01, .last = 1e-4, .warmup = "20u"};
    options.validation.samples = 2;
    options.report = options.tensorboard = false;
    options.compute.device = "cpu";
    options.compute.threads = 1;
    return options;
  }
  static void add_corpus(TrainingOptions& options, const std::string& languages) {
    const text::LanguagePair pair = text::LanguagePair::parse(languages);
    options.corpus.source.push_back(folder_->file(pair.source));
    options.corpus.target.push_back(folder_->file(pair.target));
    options.corpus.languages.push_back(languages);
  }
  // The model after a few updates.
  static std::string train_briefly(TrainingOptions options) {
    options.train.until = {"3u"};
    options.train.validate = "3u";
    options.validation.sentences = 2;
    return TrainingRun(std::move(options)).train([] { return false; }).model;
  }

  static search::TextTranslator translator(const std::string& model) {
    TranslatorOptions on_cpu;
    on_cpu.device = "cpu";
    return {{model}, on_cpu};
  }
  static Request request(const std::string& text, const std::string& to = "") {
    return {.text = text, .prefix = {}, .terms = {}, .banned = {}, .to = to};
  }
  static std::vector<TranslationResult> translate(const std::string& model, const Lines& texts, const std::string& to) {
    std::vector<Request> requests;
    for (const std::string& text : texts) requests.push_back(request(text));
    SearchOptions search;
    search.to = to;
    return translator(model).translate(requests, search);
  }
  static Lines texts_of(const std::vector<TranslationResult>& results) {
    Lines texts;
    for (const TranslationResult& result : results) texts.push_back(result.translations.at(0).text);
    return texts;
  }
  // The share of sentences that the model translates as in the corpus.
  static double share_known(const std::string& from, const std::string& to) {
    const Lines translated = texts_of(translate(model_, lines_[from], to));
    int same = 0;
    for (std::size_t i = 0; i < translated.size(); ++i) same += translated[i] == lines_[to][i] ? 1 : 0;
    return static_cast<double>(same) / kSentences;
  }

  static inline TempFolder* folder_ = nullptr;
  static inline std::map<std::string, Lines> lines_;  // by language
  static inline std::string model_;
  static inline train::Validation last_;
};

TEST_F(Languages, OneModelLearnsFourDirectionsByHeart) {
  EXPECT_GE(share_known("en", "de"), 0.9);
  EXPECT_GE(share_known("en", "ed"), 0.9);
  EXPECT_GE(share_known("de", "en"), 0.9);
  EXPECT_GE(share_known("ed", "en"), 0.9);
}

TEST_F(Languages, ValidationScoresEveryDirection) {
  for (const char* languages : {"en-de", "en-ed", "de-en", "ed-en"})
    for (const char* metric : {"loss", "perplexity", "bleu", "chrf"})
      EXPECT_NE(last_.scores.find(train::score_of(metric, languages)), nullptr) << metric << " of " << languages;
  EXPECT_GT(*last_.scores.find("bleu"), 90);
  EXPECT_GT(*last_.scores.find("bleu.en-ed"), 90);
  ASSERT_EQ(last_.samples.size(), 2u);
  EXPECT_EQ(last_.samples[0].source, lines_["de"][0]) << "samples are of different directions";
  EXPECT_EQ(last_.samples[1].source, lines_["ed"][0]);
}

TEST_F(Languages, ATargetLanguageMustBeChosen) {
  const auto refusal = [&](const std::string& to) { return message([&] { translate(model_, lines_["en"], to); }); };
  EXPECT_EQ(refusal(""), "the model translates into de, ed, en; choose one of them (--to de)");
  EXPECT_EQ(refusal("fr"), "the model does not translate into 'fr' but into de, ed, en");
  EXPECT_EQ(message([&] { translate(model_, {" "}, ""); }), refusal("")) << "also for blank lines";
}

TEST_F(Languages, TextCannotChangeTheTargetLanguage) {
  const std::vector<TranslationResult> results = translate(model_, {"<2ed> " + lines_["en"][0], "<2ed>"}, "de");
  for (const TranslationResult& result : results) {
    EXPECT_EQ(result.source_tokens.at(0), "<2de>");
    EXPECT_EQ(std::count(result.source_tokens.begin(), result.source_tokens.end(), "<2ed>"), 0);
  }
}

TEST_F(Languages, TokensMayNameTheTargetLanguage) {
  const std::string& text = lines_["en"][0];
  const std::vector<TranslationResult> plain = translate(model_, {text}, "ed");
  Request named;
  named.tokens = plain[0].source_tokens;  // the tag is the first of them
  ASSERT_EQ(named.tokens.at(0), "<2ed>");
  EXPECT_EQ(translator(model_).translate({named}, {})[0].translations[0].text, plain[0].translations[0].text);
  SearchOptions german;
  german.to = "de";
  EXPECT_EQ(message([&] { translator(model_).translate({named}, german); }),
            "the tokens name another language than the request, de");
  named.tokens.erase(named.tokens.begin());
  EXPECT_NE(message([&] { translator(model_).translate({named}, {}); }).find("choose one of them"), std::string::npos);
}

TEST_F(Languages, RequestsOfOneBatchMayHaveDifferentLanguages) {
  SearchOptions search;
  search.to = "de";
  const std::string& text = lines_["en"][1];
  const Lines mixed = texts_of(translator(model_).translate({request(text), request(text, "ed")}, search));
  EXPECT_EQ(mixed[0], texts_of(translate(model_, {text}, "de"))[0]);
  EXPECT_EQ(mixed[1], texts_of(translate(model_, {text}, "ed"))[0]);
  EXPECT_NE(mixed[0], mixed[1]);
}

TEST_F(Languages, TagsAreNeverWritten) {
  SearchOptions search;
  search.to = "de";
  search.sample = true;
  search.temperature = 100;  // almost uniform over all ids
  search.n_best = search.max_length = 20;
  const std::vector<TranslationResult> results = translator(model_).translate({request(lines_["en"][0])}, search);
  for (const Translation& translation : results[0].translations)
    for (const std::string& token : translation.tokens) EXPECT_NE(token.substr(0, 2), "<2");
}

TEST_F(Languages, ScoresDependOnTheTargetLanguage) {
  const Scorer scorer(model_, {.device = "cpu"});
  const std::vector<SentencePair> german = {{lines_["en"][0], lines_["de"][0]}};
  EXPECT_GT(scorer.score(german, false, "de")[0].log_probability, scorer.score(german, false, "ed")[0].log_probability);
  EXPECT_NE(message([&] { scorer.score(german); }).find("choose one of them"), std::string::npos);
}

TEST_F(Languages, TheCInterfaceTakesTheLanguageAsAnOption) {
  dragoman_options* const options = dragoman_options_new();
  dragoman_options_set(options, "device", "cpu");
  const char* const files[] = {model_.c_str()};
  dragoman_translator* const translator = dragoman_open_with(files, 1, options);
  const std::string& text = lines_["en"][0];
  EXPECT_EQ(dragoman_translate_with(translator, text.c_str(), options), nullptr) << "no language";
  ASSERT_EQ(dragoman_translator_language_count(translator), 3);
  EXPECT_STREQ(dragoman_translator_language(translator, 1), "ed");
  EXPECT_EQ(dragoman_options_set(options, "to", "ed"), 0);
  dragoman_result* const result = dragoman_translate_with(translator, text.c_str(), options);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(dragoman_result_text(result, 0), texts_of(translate(model_, {text}, "ed"))[0]);
  dragoman_result_free(result);
  dragoman_close(translator);
  dragoman_options_free(options);
}

TEST_F(Languages, DirectionsAreCheckedAgainstTheTrainingData) {
  EXPECT_EQ(check_direction({model_}, "", "de"), "");
  EXPECT_EQ(check_direction({model_}, "en", "de"), "");
  EXPECT_NE(check_direction({model_}, "de", "ed").find("was not trained on de-ed: this is zero-shot"),
            std::string::npos);
  EXPECT_NE(message([&] { check_direction({model_}, "fr", "de"); }).find("but on en, de, ed"), std::string::npos);
}

TEST_F(Languages, AModelOfOneDirectionRefusesLanguages) {
  TrainingOptions plain = options("plain");
  plain.corpus.source.resize(1);
  plain.corpus.target.resize(1);
  plain.valid_source.resize(1);
  plain.valid_target.resize(1);
  plain.corpus.languages.clear();
  plain.valid_languages.clear();
  const std::string model = train_briefly(plain);
  EXPECT_EQ(translate(model, lines_["en"], "").size(), lines_["en"].size());
  EXPECT_NE(message([&] { translate(model, lines_["en"], "de"); }).find("'de' was asked for, but"), std::string::npos);
  EXPECT_NE(message([&] { check_direction({model}, "en", ""); }).find("trained on one direction only"),
            std::string::npos);
  TrainingOptions tuned = options("plain-tuned");
  tuned.from = model;
  EXPECT_NE(message([&] { TrainingRun run(tuned); }).find("has no tag for the target language 'de'; it has none"),
            std::string::npos);
}

TEST_F(Languages, AResumedRunEqualsAnUninterruptedOne) {
  TrainingOptions proof = options("proof");
  proof.batch.rows.drop_source = 0.1;
  EXPECT_GT(verify_resume(proof).bytes, 0u);
  TrainingOptions stopped = options("stopped");
  stopped.train.until = {"8u"};
  {
    TrainingRun run(stopped);
    int updates = 0;
    run.train([&] { return ++updates == 3; });
  }
  stopped.resume = true;
  EXPECT_EQ(TrainingRun(stopped).train([] { return false; }).position.updates, 8u);
}

TEST_F(Languages, FineTuningAndAveragingKeepTheLanguages) {
  TrainingOptions tuned = options("tuned");
  tuned.from = model_;
  for (auto* list : {&tuned.corpus.source, &tuned.corpus.target, &tuned.corpus.languages, &tuned.valid_source,
                     &tuned.valid_target, &tuned.valid_languages})
    list->clear();
  EXPECT_NE(message([&] {
              TrainingOptions silent = tuned;
              silent.corpus.source = {folder_->file("en")};
              silent.corpus.target = {folder_->file("de")};
              TrainingRun run(silent);
            }).find("say the languages of every corpus"),
            std::string::npos);
  add_corpus(tuned, "de-ed");
  tuned.overwrite = true;
  tuned.train.schedule.rate = 1e-5;
  const std::string model = train_briefly(tuned), mean = folder_->file("mean.safetensors");
  EXPECT_EQ(check_direction({model}, "de", "ed"), "");
  EXPECT_EQ(check_direction({model}, "en", "de"), "") << "directions of the first training";
  store::average_models({model_, model}, mean);
  EXPECT_EQ(texts_of(translate(mean, {lines_["en"][0]}, "ed")), texts_of(translate(model_, {lines_["en"][0]}, "ed")));
}

TEST_F(Languages, EveryFamilyAndVocabularyTakesTags) {
  for (const auto& [preset, kind] : {std::pair{"lstm-luong", VocabularyKind::byte_bpe},
                                     {"seq2seq", VocabularyKind::words},
                                     {"linformer-k32", VocabularyKind::bpe},
                                     {"transformer-small", VocabularyKind::unigram}}) {
    TrainingOptions other;
    other.preset = preset;
    Settings settings(other);
    read_initial_settings(settings, other);
    TrainingOptions small = options(preset);
    small.model = other.model;
    small.model.embedding = small.model.transformer.size = 16;
    small.model.attention.heads = std::min(small.model.attention.heads, 2);
    small.model.transformer.feed_forward = 16;
    small.vocabulary.made.type = kind;
    small.vocabulary.made.size = kind == VocabularyKind::words ? 0 : 350;
    const std::string file = train_briefly(small);
    EXPECT_EQ(translate(file, {lines_["en"][0]}, "ed")[0].source_tokens.at(0), "<2ed>") << preset;
    EXPECT_NE(message([&] { translate(file, {lines_["en"][0]}, ""); }).find("choose one of them"), std::string::npos);
  }
}

TEST_F(Languages, AFileOfSeveralCorporaCountsOnceForTheVocabulary) {
  TrainingOptions counted = options("counted");
  counted.vocabulary.made.min_count = 2;
  const Vocabularies vocabularies = make_vocabularies(counted);
  EXPECT_EQ(vocabularies.source, vocabularies.target) << "shared";
  const auto occurrences = [&](const std::string& word) {
    std::ptrdiff_t count = 0;
    for (const auto& [language, lines] : lines_)
      for (const std::string& line : lines)
        for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) ++count;
    return count;
  };
  for (std::int32_t id = text::Vocabulary::kSpecial; id < vocabularies.source->language_tags().ids[0]; ++id) {
    const std::string piece = vocabularies.source->piece(id);
    EXPECT_TRUE(piece.empty() || occurrences(piece) >= 2) << piece;
  }
}

TEST_F(Languages, ValidationSetsSayTheirLanguages) {
  TrainingOptions silent = options("silent");
  silent.valid_languages.clear();
  EXPECT_NE(message([&] { silent.validation_corpora(); }).find("valid-languages has 0 entries, expected 4"),
            std::string::npos);
  TrainingOptions classes = options("classes");
  classes.task = TrainTask::classify;
  EXPECT_EQ(message([&] { make_vocabularies(classes); }), "--languages is for --task translate");
}

TEST_F(Languages, EverySideHasItsOwnTokenisationRules) {
  folder_->write("english", "It isn't far, don't worry.\n");
  folder_->write("german", "Das ist's, z.B. usw. don't.\n");
  TrainingOptions sides = options("sides");
  sides.corpus = {.source = {folder_->file("english")}, .target = {folder_->file("german")}, .weight = {}};
  sides.vocabulary.made.words.prepare.expand_contractions = true;
  const auto decoded = [&](const std::shared_ptr<const text::Tokenizer>& vocabulary, const std::string& text) {
    std::string pieces;
    for (const std::int32_t id : vocabulary->encode_spans(text).ids) pieces += vocabulary->piece(id) + " ";
    return pieces;
  };
  const auto known = [&](const std::string& words, const std::shared_ptr<const text::Tokenizer>& vocabulary) {
    return decoded(vocabulary, words).find("<unk>") == std::string::npos;
  };
  sides.vocabulary.source_language = sides.vocabulary.target_language = SideLanguage{};
  EXPECT_TRUE(known("do not", make_vocabularies(sides).target)) << "as before: both sides are expanded";
  Settings settings(sides);
  settings.set("vocab.source-language", "en");
  settings.set("vocab.target-language", "de");
  const Vocabularies made = make_vocabularies(sides);
  EXPECT_EQ(decoded(made.source, "isn't"), "is not ");
  EXPECT_FALSE(known("not", made.target));
  EXPECT_EQ(decoded(made.target, "usw."), "usw. ") << "a German abbreviation";
  sides.vocabulary.shared = true;
  EXPECT_NE(message([&] { make_vocabularies(sides); })
                .find("vocab.source-language is en and vocab.target-language is "
                      "de"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::run

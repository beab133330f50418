// The models of a server: what their names say, and in which order they are shown.
#include <gtest/gtest.h>

#include "exchange/import.h"
#include "serve/downloads.h"
#include "tests/serve/test_server.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;

TEST(ModelName, IsAFileAndPerhapsADirection) {
  EXPECT_EQ(ModelName::parse("models/en-de.safetensors").file, "models/en-de.safetensors");
  EXPECT_TRUE(ModelName::parse("models/en-de.safetensors").pairs.empty());
  for (const char* const pair : {"en-de", "pt_BR-en", "zh_Hant_TW-yue", "es_419-deu"}) {
    const ModelName name = ModelName::parse(std::string(pair) + "=a=b.safetensors");
    EXPECT_EQ(name.file, "a=b.safetensors");
    ASSERT_EQ(name.pairs.size(), 1U) << pair;
    EXPECT_EQ(name.pairs[0].show(), pair);
  }
}

TEST(ModelName, NamesOfLanguagesAreNoCodes) {
  for (const char* const direction : {"english-german", "en-german", "en", "en-", "-de", "", "en_de", "e-d", "EN-DE",
                                      "en-de-fr", "en_-de", "en_longerthan8-de", "models/a"})
    EXPECT_NE(support::message([&] { ModelName::parse(std::string(direction) + "=file"); }).find("such as en-de"),
              std::string::npos)
        << direction;
}

TEST(ModelName, MayListSeveralDirections) {
  const ModelName name = ModelName::parse("en-de,de-en,eng_Latn-fr_XX=many.safetensors");
  EXPECT_EQ(name.file, "many.safetensors");
  ASSERT_EQ(name.pairs.size(), 3U);
  EXPECT_EQ(name.pairs[1].show(), "de-en");
  EXPECT_EQ(name.pairs[2].show(), "eng_Latn-fr_XX");
  for (const char* const directions : {"en-de,", ",en-de", "en-de,,de-en", "en-de de-en", "en-de;de-en"})
    EXPECT_NE(support::message([&] { ModelName::parse(std::string(directions) + "=file"); }).find("such as en-de"),
              std::string::npos)
        << directions;
}

TEST(ModelName, AFileMayHaveTheSignInItsName) {
  const support::TempFolder folder;
  folder.write("run=3", "");
  EXPECT_EQ(ModelName::parse(folder.file("run=3")).file, folder.file("run=3"));
}

// Models that are never asked to translate, as text: NAME DIRECTION...
Json described(const std::vector<std::pair<std::string, std::vector<std::string>>>& models) {
  ServeOptions options;
  options.port = 0;
  const Server server(options, [&] {
    auto set = std::make_unique<ModelSet>(0);
    for (const auto& [name, pairs] : models) {
      std::vector<text::LanguagePair> parsed;
      for (const std::string& pair : pairs) parsed.push_back(text::LanguagePair::parse(pair));
      auto engine = std::make_unique<StageEngine>(name, std::make_shared<Stage>());
      set->add(name, parsed, {}, std::make_unique<search::TextTranslator>(std::move(engine), TranslatorOptions()), {});
    }
    return set;
  });
  Json all = Json::array();
  for (const Json& model : Client(server.port()).get("/v1/models").json()) {
    std::string text = model["name"];
    for (const Json& pair : model["directions"])
      text += " " + pair["source"].get<std::string>() + "-" + pair["target"].get<std::string>();
    all.push_back(text);
  }
  return all;
}

TEST(Models, AreListedInTheirOrder) {
  EXPECT_EQ(described({{"small", {"en-de"}}, {"large", {"en-de"}}, {"back", {"de-en", "en-de"}}, {"small", {"en-fr"}}}),
            Json({"small en-de", "large en-de", "back de-en en-de", "small 2 en-fr"}));
}

TEST(Models, ErrorsNameTheDirectionsThatExist) {
  const TestServer server;
  const Reply reply =
      server.connect().post_json("/v1/explain", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"model", "x"}});
  EXPECT_NE(reply.body.find("/v1/models lists all"), std::string::npos) << reply.body;
  ModelSet models(0);
  models.add("a", {text::LanguagePair::parse("en-de"), text::LanguagePair::parse("fr-it")}, {},
             std::make_unique<search::TextTranslator>(std::make_unique<StageEngine>("a", std::make_shared<Stage>()),
                                                      TranslatorOptions()),
             {});
  EXPECT_EQ(support::message([&] { models.route("en", "it"); }),
            "Italian (it) is not available as a target language from English (en); there are: en-de, fr-it");
}

std::unique_ptr<search::TextTranslator> silent_translator() {
  return std::make_unique<search::TextTranslator>(std::make_unique<StageEngine>("a", std::make_shared<Stage>()),
                                                  TranslatorOptions());
}

TEST(Models, AreToldTheLanguagesByTheirOwnNames) {
  ModelSet models(0);
  const OwnLanguages own{{"eng_Latn", "deu_Latn", "zho_Hans", "zho_Hant"},
                         {"eng_Latn", "deu_Latn", "zho_Hans", "zho_Hant"}};
  models.add("many", text::LanguagePair::parse_all("en-de deu-en en-zh_Hant"), own, silent_translator(), {});
  EXPECT_EQ(models.route("en", "de").front()->from, "eng_Latn");
  EXPECT_EQ(models.route("en", "de").front()->to, "deu_Latn");
  EXPECT_EQ(models.route("deu", "en").front()->from, "deu_Latn");
  EXPECT_EQ(models.route("en", "zh_Hant").front()->to, "zho_Hant");
  const auto refusal = [&](const char* pairs) {
    return support::message(
        [&] { models.add("many", text::LanguagePair::parse_all(pairs), own, silent_translator(), {}); });
  };
  EXPECT_EQ(refusal("en-zh"), "many: 'zh' may be zho_Hans or zho_Hant of the model; say which");
  EXPECT_EQ(refusal("en-fr"),
            "many: the model does not know the language 'fr' but eng_Latn, deu_Latn, zho_Hans, zho_Hant");
}

TEST(Models, WithTagsOfTargetsTakeEverySource) {
  ModelSet models(0);
  models.add("into", text::LanguagePair::parse_all("en-fr cs-fr"), {{}, {"fra", "spa"}}, silent_translator(), {});
  EXPECT_EQ(models.route("cs", "fr").front()->to, "fra");
  EXPECT_EQ(models.route("cs", "fr").front()->from, "");
}

// One of the imported models of the tests, which must be told both languages.
std::string many_languages(const support::TempFolder& folder) {
  const std::string file = folder.file("nllb.safetensors");
  exchange::import_model({DRAGOMAN_GOLDEN "/import/nllb"}, file, store::StoredFormat::f32);
  return file;
}

TEST(Models, OneFileServesSeveralDirectionsAndIsLoadedOnce) {
  const support::TempFolder folder;
  const std::string file = many_languages(folder);
  ServeOptions options;
  options.port = 0;
  options.models = {"en-de,de-en=" + file, "fra_Latn-en=" + file};
  ComputeOptions compute;
  compute.device = "cpu";
  const Server server(options, compute);
  Client client(server.port());
  EXPECT_EQ(client.get("/v1/models").json().size(), 1U);
  EXPECT_EQ(client.get("/v1/models").json()[0]["directions"].size(), 3U);
  EXPECT_EQ(client.get("/languages").json()[2]["name"], "French (Latn)");
  const auto translate = [&](const char* source, const char* target) {
    const Json fields = {{"q", "in is"}, {"source", source}, {"target", target}};
    return client.post_json("/translate", fields).json()["translatedText"].get<std::string>();
  };
  TranslatorOptions on_cpu;
  on_cpu.device = "cpu";
  search::TextTranslator alone({file}, on_cpu);
  const auto expected = [&](const char* from, const char* to) {
    SearchOptions search;
    search.from = from;
    search.to = to;
    Request request;
    request.text = "in is";
    return alone.translate({request}, search).front().translations.front().text;
  };
  EXPECT_EQ(translate("en", "de"), expected("eng_Latn", "deu_Latn"));
  EXPECT_EQ(translate("de", "en"), expected("deu_Latn", "eng_Latn"));
  EXPECT_EQ(translate("fr", "en"), expected("fra_Latn", "eng_Latn"));
  EXPECT_NE(translate("en", "de"), translate("de", "en"));
}

TEST(Models, OfSeveralLanguagesAskForDirections) {
  const support::TempFolder folder;
  const std::string file = many_languages(folder);
  const std::string message = support::message([&] { load_models({ModelName::parse(file)}, {}, {}, 0); });
  EXPECT_NE(message.find("translates between eng_Latn, deu_Latn, fra_Latn; name the directions"), std::string::npos)
      << message;
}

TEST(Downloads, NamesSayTheLanguage) {
  EXPECT_EQ(name_of_translation("film.srt", "en", "de"), "film.de.srt");
  EXPECT_EQ(name_of_translation("film.en.srt", "en", "de"), "film.de.srt");
  EXPECT_EQ(name_of_translation("film_en.srt", "en", "de"), "film.de.srt");
  EXPECT_EQ(name_of_translation("garden.srt", "en", "de"), "garden.de.srt");
  EXPECT_EQ(name_of_translation("en.po", "en", "de"), "en.de.po");
}

TEST(Downloads, NamesOfClientsAreHarmless) {
  EXPECT_EQ(name_of_translation("/etc/passwd.txt", "en", "de"), "passwd.de.txt");
  EXPECT_EQ(name_of_translation("C:\\files\\a.txt", "en", "de"), "a.de.txt");
  EXPECT_EQ(name_of_translation("a\"b\r\nSet-Cookie: x.txt", "en", "de"), "abSet-Cookie x.de.txt");
  EXPECT_EQ(name_of_translation("..txt", "en", "de"), "translation.de.txt");
  EXPECT_EQ(name_of_translation(".txt", "en", "de"), "translation.de.txt");
  EXPECT_EQ(name_of_translation("\xff.txt", "en", "de"), "\ufffd.de.txt");
  EXPECT_LT(name_of_translation(std::string(5000, 'a') + ".txt", "en", "de").size(), 120U);
}

TEST(Downloads, NamesInOtherScriptsAreSpelledTwice) {
  EXPECT_EQ(as_download({"a.de.txt", "text"}).headers[0].second, "attachment; filename=\"a.de.txt\"");
  EXPECT_EQ(as_download({"\u00fc 1.de.txt", "text"}).headers[0].second,
            "attachment; filename=\"__ 1.de.txt\"; filename*=UTF-8''%C3%BC%201.de.txt");
}

}  // namespace
}  // namespace dragoman::serve::test

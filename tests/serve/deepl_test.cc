// DeepL's endpoints. The requests are those that its official Python client (deepl 1.32) sends.
#include <gtest/gtest.h>

#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kKey = "Authorization: DeepL-Auth-Key some-key\r\n";

TEST(DeepL, TranslatesTextsAndCountsCharacters) {
  const TestServer server;
  const Reply reply = server.connect().post_json(
      "/v2/translate",
      {{"target_lang", "DE"}, {"text", {"The old house is red.", "Ü"}}, {"show_billed_characters", true}}, kKey);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json first = reply.json()["translations"][0];
  EXPECT_EQ(
      first,
      Json({{"detected_source_language", "EN"}, {"text", "de(The old house is red.)"}, {"billed_characters", 21}}));
  EXPECT_EQ(reply.json()["translations"][1]["billed_characters"], 1);
  EXPECT_EQ(server.connect().get("/v2/usage", kKey).json()["character_count"], 22);
}

TEST(DeepL, ATextInTheTargetLanguageStaysAsItIs) {
  const TestServer server;
  const Reply reply = server.connect().post_json(
      "/v2/translate", {{"text", {"Guten Morgen!", "Good morning, everybody!"}}, {"target_lang", "DE"}});
  EXPECT_EQ(reply.json()["translations"][0]["text"], "Guten Morgen!");
  EXPECT_EQ(reply.json()["translations"][0]["detected_source_language"], "DE");
  EXPECT_EQ(reply.json()["translations"][1]["text"], "de(Good morning, everybody!)");
}

TEST(DeepL, AcceptsVariantsFormalityAndOtherFieldsOfStyle) {
  const TestServer server;
  const Reply reply = server.connect().post_json("/v2/translate",
                                                 {{"target_lang", "EN-GB"},
                                                  {"source_lang", "DE"},
                                                  {"formality", "more"},
                                                  {"context", "letters"},
                                                  {"model_type", "quality_optimized"},
                                                  {"preserve_formatting", true},
                                                  {"text", {"Haus. Hof."}}},
                                                 kKey);
  EXPECT_EQ(reply.json()["translations"][0]["text"], "en(Haus.) en(Hof.)");
  EXPECT_EQ(reply.json()["translations"][0]["detected_source_language"], "DE");
}

TEST(DeepL, SentencesCanBeLeftTogether) {
  const TestServer server;
  const auto text = [&](const char* split) {
    return server.connect()
        .post_json("/v2/translate",
                   {{"target_lang", "DE"}, {"source_lang", "EN"}, {"split_sentences", split}, {"text", {"One. Two."}}})
        .json()["translations"][0]["text"];
  };
  EXPECT_EQ(text("0"), "de(One. Two.)");
  EXPECT_EQ(text("1"), "de(One.) de(Two.)");
  EXPECT_EQ(text("nonewlines"), "de(One.) de(Two.)");
}

TEST(DeepL, ErrorsHaveAMessage) {
  const TestServer server;
  const Reply reply = server.connect().post_json("/v2/translate", {{"target_lang", "XX"}, {"text", {"a"}}}, kKey);
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.json(), Json({{"message", "XX is not supported; there are: de, en, fr"}}));
}

TEST(DeepL, WithoutAKeyTheServerForbids) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "secret-key\n");
  const TestServer server(options);
  EXPECT_EQ(server.connect().get("/v2/usage").status, 403);
  EXPECT_EQ(server.connect().get("/v2/usage", kKey).status, 403);
  EXPECT_EQ(server.connect().get("/v2/usage", "Authorization: DeepL-Auth-Key secret-key\r\n").status, 200);
}

TEST(DeepL, LanguagesOfBothSides) {
  const TestServer server;
  EXPECT_EQ(server.connect().get("/v2/languages", kKey).json(),
            Json::parse(R"([{"language": "EN", "name": "English"}, {"language": "DE", "name": "German"}])"));
  // The client sends the type in the body of a GET request.
  const Json targets =
      server.connect()
          .ask("GET", "/v2/languages", "Content-Type: application/x-www-form-urlencoded\r\n", "type=target")
          .json();
  ASSERT_EQ(targets.size(), 4U);
  EXPECT_EQ(targets[0]["language"], "DE");
  EXPECT_EQ(targets[1]["language"], "EN-GB");
  EXPECT_EQ(server.connect().get("/v2/languages?type=target").json(), targets);
}

Json glossary_request() {
  return {{"name", "cars"},
          {"source_lang", "EN"},
          {"target_lang", "DE"},
          {"entries_format", "tsv"},
          {"entries", "car\tWagen\nred\trot"}};
}

TEST(DeepL, GlossariesAreMadeUsedAndDeleted) {
  TestServer server;
  const Reply made = server.connect().post_json("/v2/glossaries", glossary_request(), kKey);
  EXPECT_EQ(made.status, 201);
  const Json glossary = made.json();
  EXPECT_EQ(glossary["entry_count"], 2);
  EXPECT_EQ(glossary["ready"], true);
  const std::string id = glossary["glossary_id"];
  EXPECT_EQ(server.connect().get("/v2/glossaries", kKey).json()["glossaries"], Json::array({glossary}));
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id, kKey).json(), glossary);
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id + "/entries", kKey).body, "car\tWagen\nred\trot\n");
  const Json request = {{"text", {"A car."}}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"glossary_id", id}};
  EXPECT_EQ(server.connect().post_json("/v2/translate", request, kKey).status, 200);
  EXPECT_EQ(server.stage().terms.back(), (std::vector<std::pair<std::string, std::string>>{{"car", "Wagen"}}));
  EXPECT_EQ(server.connect().ask("DELETE", "/v2/glossaries/" + id, kKey).status, 204);
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id, kKey).status, 404);
  EXPECT_EQ(server.connect().post_json("/v2/translate", request, kKey).status, 404);
}

TEST(DeepL, GlossariesOfOtherDirectionsAreRefused) {
  const TestServer server;
  const std::string id = server.connect().post_json("/v2/glossaries", glossary_request()).json()["glossary_id"];
  EXPECT_EQ(server.connect()
                .post_json("/v2/translate",
                           {{"text", {"Auto"}}, {"source_lang", "DE"}, {"target_lang", "EN-US"}, {"glossary_id", id}})
                .status,
            400);
}

TEST(DeepL, DamagedGlossariesAreRefused) {
  const TestServer server;
  for (const char* const entries : {"", "\n\n", "no tab", "a\t", "\tb"}) {
    Json request = glossary_request();
    request["entries"] = entries;
    EXPECT_EQ(server.connect().post_json("/v2/glossaries", request).status, 400) << entries;
  }
  Json csv = glossary_request();
  csv["entries_format"] = "csv";
  csv["entries"] = "\"car, red\",Wagen\n";
  EXPECT_EQ(server.connect().post_json("/v2/glossaries", csv).json()["entry_count"], 1);
}

TEST(DeepL, GlossariesOfSeveralDirections) {
  const TestServer server;
  const auto dictionary = [](const char* source, const char* target, const char* entries) {
    return Json{{"source_lang", source}, {"target_lang", target}, {"entries", entries}, {"entries_format", "tsv"}};
  };
  const Reply made = server.connect().post_json(
      "/v3/glossaries",
      {{"name", "n"}, {"dictionaries", {dictionary("EN", "DE", "a\tb"), dictionary("DE", "EN", "b\ta\nc\td")}}});
  EXPECT_EQ(made.status, 201);
  const std::string path = "/v3/glossaries/" + made.json()["glossary_id"].get<std::string>();
  EXPECT_EQ(made.json()["dictionaries"][1]["entry_count"], 2);
  EXPECT_EQ(server.connect().get("/v2/glossaries").json()["glossaries"], Json::array());
  const auto patched =
      server.connect().ask("PATCH", path, "Content-Type: application/json\r\n",
                           Json({{"name", "m"}, {"dictionaries", {dictionary("EN", "DE", "a\tx\ne\tf")}}}).dump());
  EXPECT_EQ(patched.json()["name"], "m");
  EXPECT_EQ(server.connect().get(path + "/entries?source_lang=EN&target_lang=DE").json()["dictionaries"][0]["entries"],
            "a\tx\ne\tf\n");
  const Reply put = server.connect().ask("PUT", path + "/dictionaries", "Content-Type: application/json\r\n",
                                         dictionary("EN", "DE", "g\th").dump());
  EXPECT_EQ(put.json(), Json({{"source_lang", "en"}, {"target_lang", "de"}, {"entry_count", 1}}));
  EXPECT_EQ(server.connect().ask("DELETE", path + "/dictionaries?source_lang=DE&target_lang=EN").status, 204);
  EXPECT_EQ(server.connect().get(path).json()["dictionaries"].size(), 1U);
  EXPECT_EQ(server.connect().ask("DELETE", path).status, 204);
  EXPECT_EQ(server.connect().get(path).status, 404);
}

TEST(DeepL, ClientsSeeOnlyTheirOwnGlossaries) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "secret-key-1\nsecret-key-2\n");
  const TestServer server(options);
  const std::string one = "Authorization: DeepL-Auth-Key secret-key-1\r\n";
  const std::string two = "Authorization: DeepL-Auth-Key secret-key-2\r\n";
  const std::string id = server.connect().post_json("/v2/glossaries", glossary_request(), one).json()["glossary_id"];
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id, one).status, 200);
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id, two).status, 404);
  EXPECT_EQ(server.connect().get("/v2/glossaries", two).json()["glossaries"], Json::array());
  EXPECT_EQ(server.connect().ask("DELETE", "/v2/glossaries/" + id, two).status, 404);
}

Json upload_document(const TestServer& server, const std::string& headers = "") {
  const std::string body =
      "--b\r\nContent-Disposition: form-data; name=\"target_lang\"\r\n\r\nDE\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"source_lang\"\r\n\r\nEN\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello\n\r\n--b--\r\n";
  const std::string type = "Content-Type: multipart/form-data; boundary=b\r\n";
  return server.connect().ask("POST", "/v2/document", type + headers, body).json();
}

TEST(DeepL, ADocumentIsForWhoeverHasItsKeyAndUploadedIt) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "secret-key-1\nsecret-key-2\n");
  options.access_log = folder.file("log");
  std::string id;
  {
    const TestServer server(options);
    const std::string one = "Authorization: DeepL-Auth-Key secret-key-1\r\n";
    const std::string two = "Authorization: DeepL-Auth-Key secret-key-2\r\n";
    const Json handle = upload_document(server, one);
    id = handle["document_id"];
    const std::string path = "/v2/document/" + id + "/result";
    const Json key = {{"document_key", handle["document_key"]}};
    EXPECT_NE(handle["document_key"], id);
    EXPECT_EQ(server.connect().post_json(path, {{"document_key", id}}, one).status, 404);
    EXPECT_EQ(server.connect().post_json(path, {{"document_key", ""}}, one).status, 404);
    EXPECT_EQ(server.connect().post_json(path, key, two).status, 404);
    EXPECT_EQ(server.connect().get("/download_file/" + id).status, 404);
    EXPECT_EQ(server.connect().post_json(path, key, one).body, "de(Hello)\n");
  }
  const std::string log = support::read_all(folder.file("log"));
  EXPECT_NE(log.find("\"/v2/document/{}/result\""), std::string::npos) << log;
  EXPECT_EQ(log.find(id), std::string::npos);
}

TEST(DeepL, DocumentsAreUploadedWatchedAndFetched) {
  const TestServer server;
  const Json handle = upload_document(server);
  const std::string path = "/v2/document/" + handle["document_id"].get<std::string>();
  const Json key = {{"document_key", handle["document_key"]}};
  EXPECT_EQ(server.connect().post_json(path, key).json()["status"], "done");
  EXPECT_EQ(server.connect().post_json(path + "/result", key).body, "de(Hello)\n");
  EXPECT_EQ(server.connect().post_json(path + "/result", {{"document_key", "guess"}}).status, 404);
}

}  // namespace
}  // namespace dragoman::serve::test

// The endpoints of LibreTranslate, called as its clients call them.
#include <gtest/gtest.h>

#include "serve/keys.h"
#include "tests/serve/test_server.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;

TEST(LibreTranslate, OneTextGivesOneTranslation) {
  const TestServer server;
  const Reply reply = server.translate("Hello");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.json(), Json({{"translatedText", "de(Hello)"}}));
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
}

TEST(LibreTranslate, FormsWorkAsItsPythonClientSendsThem) {
  const TestServer server;
  const Reply reply = server.connect().post_form("/translate", "q=Good+morning%2C+all&source=en&target=de");
  EXPECT_EQ(reply.json(), Json({{"translatedText", "de(Good morning, all)"}}));
}

TEST(LibreTranslate, AListGivesListsInOrder) {
  const TestServer server;
  const Reply reply = server.connect().post_json(
      "/translate", {{"q", {"one", "", "two"}}, {"source", "en"}, {"target", "de"}, {"alternatives", 1}});
  EXPECT_EQ(reply.json(), Json({{"translatedText", {"de(one)", "", "de(two)"}},
                                {"alternatives", {{"de2(one)"}, Json::array(), {"de2(two)"}}}}));
  EXPECT_EQ(server.connect().post_json("/translate", {{"q", Json::array()}, {"source", "en"}, {"target", "de"}}).json(),
            Json({{"translatedText", Json::array()}}));
}

TEST(LibreTranslate, TheSourceLanguageIsDetected) {
  const TestServer server;
  const Reply reply = server.connect().post_json(
      "/translate", {{"q", "Das ist ein sehr schönes altes Haus."}, {"source", "auto"}, {"target", "en"}});
  EXPECT_EQ(reply.json()["detectedLanguage"]["language"], "de");
  EXPECT_GT(reply.json()["detectedLanguage"]["confidence"], 50);
  const Reply list = server.connect().post_json(
      "/translate",
      {{"q", {"Where is the old house?", "Wo ist das alte Haus?"}}, {"source", "auto"}, {"target", "fr"}});
  EXPECT_EQ(list.json()["detectedLanguage"][0]["language"], "en");
  EXPECT_EQ(list.json()["detectedLanguage"][1]["language"], "de");
  EXPECT_EQ(list.json()["translatedText"], Json({"fr(de(Where is the old house?))", "fr(Wo ist das alte Haus?)"}));
}

TEST(LibreTranslate, ATextInTheTargetLanguageStaysAsItIs) {
  TestServer server;
  const Reply detected =
      server.connect().post_json("/translate", {{"q", {"Guten Morgen,  alle zusammen!", "Where is the old house?"}},
                                                {"source", "auto"},
                                                {"target", "de"},
                                                {"alternatives", 1}});
  EXPECT_EQ(detected.json()["translatedText"], Json({"Guten Morgen,  alle zusammen!", "de(Where is the old house?)"}));
  EXPECT_EQ(detected.json()["alternatives"], Json({Json::array(), {"de2(Where is the old house?)"}}));
  EXPECT_EQ(detected.json()["detectedLanguage"][0]["language"], "de");
  EXPECT_GT(detected.json()["detectedLanguage"][0]["confidence"], 50);
  EXPECT_EQ(detected.json()["detectedLanguage"][1]["language"], "en");
  const Reply named =
      server.connect().post_json("/translate", {{"q", "Guten Morgen"}, {"source", "de"}, {"target", "de"}});
  EXPECT_EQ(named.json(), Json({{"translatedText", "Guten Morgen"}}));
  EXPECT_EQ(server.stage().count_seen(), 1U);
}

TEST(LibreTranslate, ATextWithWordsOfBothLanguagesIsTranslated) {
  const TestServer server;
  const Reply reply = server.connect().post_json(
      "/translate", {{"q", "Where is the old house that we saw yesterday? Das weiß ich leider auch nicht."},
                     {"source", "auto"},
                     {"target", "de"}});
  EXPECT_EQ(reply.json()["detectedLanguage"]["language"], "en");
}

TEST(LibreTranslate, TheLanguageOfAPageIsThatOfItsText) {
  const TestServer server;
  const std::string page =
      "<div class=\"the most important of all words here\" title=\"where is the house\"><p>Guten Morgen</p></div>";
  const Reply reply =
      server.connect().post_json("/translate", {{"q", page}, {"source", "auto"}, {"target", "fr"}, {"format", "html"}});
  EXPECT_EQ(reply.json()["detectedLanguage"]["language"], "de");
}

TEST(LibreTranslate, WhiteSpaceAndListMarksSurvive) {
  const TestServer server;
  const Reply reply = server.translate("  Title\n\n- One.  Two!\n\t2) Three\r\n");
  EXPECT_EQ(reply.json()["translatedText"], "  de(Title)\n\n- de(One.)  de(Two!)\n\t2) de(Three)\r\n");
}

TEST(LibreTranslate, ImpossibleRequestsAreRefusedWithAReason) {
  ServeOptions options;
  options.max_characters = 100;
  options.max_texts = 3;
  const TestServer server(options);
  const auto error = [&](const Json& json) {
    const Reply reply = server.connect().post_json("/translate", json);
    EXPECT_EQ(reply.status, 400) << json;
    return reply.json()["error"].get<std::string>();
  };
  EXPECT_EQ(error({{"source", "en"}, {"target", "de"}}), "Invalid request: missing q parameter");
  EXPECT_EQ(error({{"q", "a"}, {"target", "de"}}), "Invalid request: missing source parameter");
  EXPECT_EQ(error({{"q", "a"}, {"source", "en"}}), "Invalid request: missing target parameter");
  EXPECT_EQ(error({{"q", "a"}, {"source", "en"}, {"target", "xx"}}), "xx is not supported; there are: de, en, fr");
  EXPECT_EQ(error({{"q", "a"}, {"source", "fr"}, {"target", "de"}}), "fr is not supported; there are: en, de");
  EXPECT_NE(error({{"q", std::string(101, 'a')}, {"source", "en"}, {"target", "de"}}).find("limit of 100"),
            std::string::npos);
  EXPECT_NE(error({{"q", {"a", "b", "c", "d"}}, {"source", "en"}, {"target", "de"}}).find("limit of 3"),
            std::string::npos);
  EXPECT_NE(error({{"q", "a"}, {"source", "en"}, {"target", "de"}, {"alternatives", 99}}).find("alternatives"),
            std::string::npos);
  EXPECT_NE(error({{"q", "a"}, {"source", "en"}, {"target", "de"}, {"format", "pdf"}}).find("pdf"), std::string::npos);
}

TEST(LibreTranslate, AFailureInsideIsNotShown) {
  const TestServer server;
  const Reply reply = server.translate("fail");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.json(), Json({{"error", "internal error"}}));
  EXPECT_EQ(server.translate("works").status, 200);
}

TEST(LibreTranslate, LanguagesListWhatCanBeReached) {
  const TestServer server;
  EXPECT_EQ(server.connect().get("/languages").json(),
            Json::parse(R"([{"code": "en", "name": "English", "targets": ["de", "fr"]},
                            {"code": "de", "name": "German", "targets": ["en", "fr"]},
                            {"code": "fr", "name": "French", "targets": []}])"));
}

TEST(LibreTranslate, DetectionAndSettings) {
  const TestServer server;
  const Json detected = server.connect().post_form("/detect", "q=Bonjour+tout+le+monde%2C+comment+allez-vous").json();
  EXPECT_EQ(detected[0]["language"], "fr");
  EXPECT_EQ(server.connect().post_form("/detect", "q=").json()[0]["confidence"], 0);
  const Json settings = server.connect().get("/frontend/settings").json();
  EXPECT_EQ(settings["keyRequired"], false);
  EXPECT_EQ(settings["charLimit"], 100'000);
  EXPECT_EQ(settings["language"]["source"]["code"], "auto");
}

TEST(LibreTranslate, FilesAreTranslatedAndFetched) {
  const TestServer server;
  const std::string body =
      "--b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nde\r\n"
      "--b\r\nContent-Disposition: form-data; name=\"file\"; "
      "filename=\"/etc/passwd.txt\"\r\n\r\nOne\n\nTwo\n\r\n--b--\r\n";
  const Reply reply =
      server.connect().ask("POST", "/translate_file", "Content-Type: multipart/form-data; boundary=b\r\n", body);
  const std::string url = reply.json()["translatedFileUrl"];
  ASSERT_TRUE(url.starts_with("http://localhost/download_file/")) << url;
  const Reply file = server.connect().get(url.substr(std::string("http://localhost").size()));
  EXPECT_EQ(file.body, "de(One)\n\nde(Two)\n");
  EXPECT_EQ(file.headers.at("content-disposition"), "attachment; filename=\"passwd.de.txt\"");
  EXPECT_EQ(server.connect().get("/download_file/other").status, 404);
  EXPECT_GT(server.connect().get("/v2/usage").json()["character_count"], 0);
}

TEST(LibreTranslate, LinksToFilesLeadThroughTheProxy) {
  const TestServer server;
  const auto link = [&](const std::string& headers) {
    const std::string url =
        server.connect()
            .ask("POST", "/translate_file", "Content-Type: multipart/form-data; boundary=b\r\n" + headers,
                 "--b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n"
                 "--b\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nde\r\n"
                 "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nOne\r\n--b--\r\n")
            .json()["translatedFileUrl"];
    return url.substr(0, url.find("/download_file/"));
  };
  EXPECT_EQ(link("X-Forwarded-Proto: https\r\nX-Forwarded-Prefix: /mt\r\n"), "https://localhost/mt");
  EXPECT_EQ(link("X-Forwarded-Prefix: /a/b.c/\r\n"), "http://localhost/a/b.c");
  for (const std::string bad : {"mt", "//other.example", "/a?b", "/a b", "/<a>"})
    EXPECT_EQ(link("X-Forwarded-Prefix: " + bad + "\r\n"), "http://localhost") << bad;
}

TEST(LibreTranslate, TermsOfTheRequestReachTheModel) {
  TestServer server;
  const Reply reply = server.connect().post_json(
      "/translate",
      {{"q", "A red car."}, {"source", "en"}, {"target", "de"}, {"terms", {{"red", "rot"}, {"blue", "blau"}}}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(server.stage().terms.back(), (std::vector<std::pair<std::string, std::string>>{{"red", "rot"}}));
  // The way through a third language knows no such term.
  EXPECT_EQ(
      server.connect()
          .post_json("/translate", {{"q", "red"}, {"source", "en"}, {"target", "fr"}, {"terms", {{"red", "rouge"}}}})
          .status,
      400);
}

TEST(Keys, AreNeededOnceThereAreAny) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "# key, requests per minute, name\nsecret-key-1 2 anna\nsecret-key-2\n");
  const TestServer server(options);
  const auto ask = [&](const char* key) {
    Json json = {{"q", "a"}, {"source", "en"}, {"target", "de"}};
    if (key != nullptr) json["api_key"] = key;
    return server.connect().post_json("/translate", json);
  };
  EXPECT_EQ(ask(nullptr).status, 400);
  EXPECT_EQ(ask("secret-key-3").status, 403);
  EXPECT_EQ(ask("secret-key-1").status, 200);
  EXPECT_EQ(ask("secret-key-1").status, 200);
  const Reply third = ask("secret-key-1");
  EXPECT_EQ(third.status, 429);
  EXPECT_GE(std::stoi(third.headers.at("retry-after")), 20);
  EXPECT_EQ(ask("secret-key-2").status, 200);
  EXPECT_EQ(server.connect().get("/languages").status, 200);
  EXPECT_EQ(server.connect().get("/frontend/settings").json()["keyRequired"], true);
}

TEST(Keys, ThatNoClientCouldSendAreRefused) {
  const auto problem = [](const std::string& text) { return support::message([&] { Keys::parse(text, "keys"); }); };
  EXPECT_EQ(problem("secret-key-1 2 anna\r\n\nsecret-key-2\r\n"), "nothing was thrown");
  EXPECT_EQ(problem(std::string(1024, 'k')), "nothing was thrown");
  const std::string unusual =
      "keys:1: a key must have at most 1024 characters, all visible ones of ASCII, so that clients can send it";
  EXPECT_EQ(problem(std::string(1025, 'k')), unusual);
  EXPECT_EQ(problem("secret\x1B[2J-key"), unusual);
  EXPECT_EQ(problem("geheimer-schl\u00FCssel"), unusual);
  EXPECT_EQ(problem(std::string("s\0e\0c\0r\0e\0t\0", 12)), unusual) << "UTF-16";
  EXPECT_EQ(problem("secret-key-1 2 anna\nsecret-key-1 5 ben"), "keys:2: the key of line 1 again; list each key once");
  EXPECT_EQ(problem("secret"), "keys:1: a key must have at least 8 characters");
}

TEST(Keys, AnAddressMayTryAFewWrongOnes) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "secret-key-1\n");
  options.trust_proxy = true;
  const TestServer server(options);
  Client client = server.connect();
  const auto ask = [&](const std::string& key, const std::string& address) {
    const std::string headers = "Authorization: Bearer " + key + "\r\nX-Forwarded-For: " + address + "\r\n";
    return client.post_form("/detect", "q=a", headers).status;
  };
  EXPECT_EQ(ask("secret-key-1", "1.1.1.1"), 200);
  int tried = 0;
  while (tried < 1000 && ask("wrong-key", "1.1.1.1") == 403) ++tried;
  EXPECT_GE(tried, 60);
  EXPECT_LT(tried, 1000);
  // Its next guess is not answered, even if it is right.
  EXPECT_EQ(ask("secret-key-1", "1.1.1.1"), 429);
  EXPECT_EQ(ask("secret-key-1", "2.2.2.2"), 200);
}

TEST(RateLimits, WithoutKeysCountAddressesAndBelieveOnlyATrustedProxy) {
  for (const bool trusts : {false, true}) {
    ServeOptions options;
    options.rate_limit = 1;
    options.trust_proxy = trusts;
    const TestServer server(options);
    const auto from = [&](const std::string& address) {
      return server.connect().post_form("/detect", "q=a", "X-Forwarded-For: 9.9.9.9, " + address + "\r\n").status;
    };
    EXPECT_EQ(from("1.1.1.1"), 200);
    EXPECT_EQ(from("1.1.1.1"), 429);
    EXPECT_EQ(from("2.2.2.2"), trusts ? 200 : 429);
    // Lines before the proxy's own are the client's word, too.
    EXPECT_EQ(from("3.3.3.3\r\nX-Forwarded-For: 2.2.2.2"), 429);
    EXPECT_EQ(from("\r\nX-Forwarded-For: 2.2.2.2"), 429);
    // A subscriber has all addresses of a network.
    EXPECT_EQ(from("2001:db8::1"), trusts ? 200 : 429);
    EXPECT_EQ(from("2001:db8::2:1"), 429);
    EXPECT_EQ(from("2001:db8:0:1::1"), trusts ? 200 : 429);
  }
}

}  // namespace
}  // namespace dragoman::serve::test

// What the page asks for: models by name, and translations that are explained.
#include <gtest/gtest.h>

#include "tests/search/text_model.h"
#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;

// Two models for the same direction, with random weights.
class Explain : public testing::Test {
 protected:
  Explain() {
    ServeOptions options;
    options.port = 0;
    for (const char* const preset : {"transformer-tiny", "seq2seq"}) {
      search::test::write_text_model(folder_.file(std::string(preset) + ".safetensors"), preset, 3);
      options.models.push_back("en-de=" + folder_.file(std::string(preset) + ".safetensors"));
    }
    ComputeOptions compute;
    compute.device = "cpu";
    server_ = std::make_unique<Server>(options, compute);
  }
  Reply explain(Json request) const {
    request["source"] = "en";
    request["target"] = "de";
    return Client(server_->port()).post_json("/v1/explain", request);
  }

  support::TempFolder folder_;
  std::unique_ptr<Server> server_;
};

TEST_F(Explain, EverySentenceHasAnExplanation) {
  const Reply reply = explain({{"q", "the red house . A blue dog !"}, {"alternatives", 2}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = reply.json();
  EXPECT_EQ(json["model"], "transformer-tiny");
  ASSERT_EQ(json["explanations"].size(), 2U);
  EXPECT_EQ(json["explanations"][0]["source"], "the red house .");
  EXPECT_EQ(json["explanations"][0]["tokens"][0]["alternatives"].size(), 2U);
  EXPECT_FALSE(json["explanations"][0]["attention"].empty());
}

TEST_F(Explain, TheTextIsWhatTranslateReturns) {
  for (const char* const text :
       {"- the red house .\n\n***\n  1. a blue dog ! Where is it ?\n", "***", " the dog", "a\r\n\r\n> b\n"}) {
    const Json request = {{"q", text}, {"source", "en"}, {"target", "de"}};
    const Json told = explain(request).json();
    EXPECT_EQ(told["text"], Client(server_->port()).post_json("/translate", request).json()["translatedText"]);
    std::string whole;
    for (const Json& one : told["explanations"])
      whole += one["before"].get<std::string>() + one["text"].get<std::string>();
    EXPECT_EQ(told["text"], whole + told["after"].get<std::string>());
  }
}

TEST_F(Explain, ATextInTheTargetLanguageStaysAsItIs) {
  const std::string text = "- Das rote Haus steht hier, und wo ist jetzt der blaue Hund?\n";
  Client client(server_->port());
  const Json request = {{"q", text}, {"source", "auto"}, {"target", "de"}};
  const Json told = client.post_json("/v1/explain", request).json();
  EXPECT_EQ(told["source_language"], "de");
  EXPECT_EQ(told["text"], text);
  EXPECT_EQ(told["after"], text);
  EXPECT_TRUE(told["explanations"].empty());
  EXPECT_EQ(client.post_json("/translate", request).json()["translatedText"], text);
}

TEST_F(Explain, ATextCanBeOneSentence) {
  const Json json = explain({{"q", "- the red house . A blue dog !"}, {"split_sentences", false}}).json();
  ASSERT_EQ(json["explanations"].size(), 1U);
  EXPECT_EQ(json["explanations"][0]["source"], "- the red house . A blue dog !");
  EXPECT_EQ(json["text"], json["explanations"][0]["text"]);
}

TEST_F(Explain, TheBeamIsTheServersUnlessTheClientNamesOne) {
  EXPECT_EQ(explain({{"q", "a"}}).json()["beam"], SearchOptions().beam);
  EXPECT_EQ(explain({{"q", "a"}, {"beam", 2}}).json()["beam"], 2);
}

TEST_F(Explain, ModelsAreListedAndNamed) {
  const Json models = Client(server_->port()).get("/v1/models").json();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1]["name"], "seq2seq");
  EXPECT_EQ(models[1]["directions"], Json::parse(R"([{"source": "en", "target": "de"}])"));
  EXPECT_EQ(explain({{"q", "a"}, {"model", "seq2seq"}}).json()["model"], "seq2seq");
  EXPECT_EQ(explain({{"q", "a"}, {"model", "none"}}).status, 400);
}

TEST_F(Explain, AddressesStandBetweenSentences) {
  const Json json = explain({{"q", "the red house https://example.org/a is here"}}).json();
  ASSERT_EQ(json["explanations"].size(), 2U);
  EXPECT_EQ(json["explanations"][0]["source"], "the red house");
  EXPECT_EQ(json["explanations"][1]["before"], " https://example.org/a ");
}

TEST_F(Explain, APrefixIsContinued) {
  const Json json = explain({{"q", "the red house"}, {"prefix", "ein blauer"}}).json();
  const std::string text = json["explanations"][0]["text"];
  EXPECT_TRUE(text.starts_with("ein blauer")) << text;
}

TEST_F(Explain, CostlyRequestsAreRefused) {
  EXPECT_EQ(explain({{"q", std::string(3000, 'a')}}).status, 400);
  EXPECT_EQ(explain({{"q", "a"}, {"beam", 1000}}).status, 400);
  EXPECT_EQ(explain({{"q", "a"}, {"alternatives", 1000}}).status, 400);
  std::string lines;
  for (int i = 0; i < 51; ++i) lines += "a\n";
  EXPECT_EQ(explain({{"q", lines}, {"beam", 1}}).status, 400);
  EXPECT_EQ(explain({{"q", lines.substr(2)}, {"beam", 1}, {"alternatives", 0}}).status, 200);
  std::string words;
  for (int i = 0; i < 190; ++i) words += "red ";
  EXPECT_EQ(explain({{"q", words}, {"beam", 1}}).status, 200);
  const auto error_of = [&](const Json& request) { return explain(request).json().value("error", ""); };
  EXPECT_NE(error_of({{"q", words + words}}).find("a sentence of 380 tokens exceeds the limit of 200"),
            std::string::npos);
  EXPECT_NE(error_of({{"q", "a"}, {"prefix", words + words}}).find("a prefix of"), std::string::npos);
  std::string sentences;
  for (int i = 0; i < 4; ++i) sentences += words.substr(0, 4 * 110) + "\n";
  EXPECT_EQ(explain({{"q", sentences}, {"beam", 1}}).status, 200);
  EXPECT_NE(error_of({{"q", sentences}, {"prefix", words}}).find("tokens exceed the limit of 600"), std::string::npos);
  EXPECT_EQ(explain({{"q", "a"}, {"prefix", std::string(2001, 'b')}}).json()["error"],
            "Invalid request: prefix exceeds the limit of 2000 characters");
}

TEST(Load, AWiderBeamCountsAsMoreTokens) {
  ServeOptions options;
  options.max_queue_tokens = 10;
  TestServer server(options);
  server.stage().hold(true);
  const auto send = [&](Client& client, const std::string& text, int alternatives) {
    const Json request = {{"q", text}, {"source", "en"}, {"target", "de"}, {"alternatives", alternatives}};
    client.send_request("POST", "/translate", "Content-Type: application/json\r\n", request.dump());
  };
  Client first = server.connect(), wide = server.connect(), usual = server.connect();
  send(first, "a", 0);
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  // About five tokens, which count twice if the beam is wider than usual.
  send(wide, "sixteen letters.", 5);
  EXPECT_EQ(wide.read().status, 503);
  send(usual, "sixteen letters.", 0);
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 2; }));
  server.stage().hold(false);
  EXPECT_EQ(usual.read().status, 200);
}

}  // namespace
}  // namespace dragoman::serve::test

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

TEST_F(Explain, ModelsAreListedAndNamed) {
  const Json models = Client(server_->port()).get("/v1/models").json();
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1]["name"], "seq2seq");
  EXPECT_EQ(models[1]["directions"], Json::parse(R"([{"source": "en", "target": "de"}])"));
  EXPECT_EQ(explain({{"q", "a"}, {"model", "seq2seq"}}).json()["model"], "seq2seq");
  EXPECT_EQ(explain({{"q", "a"}, {"model", "none"}}).status, 400);
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
}

}  // namespace
}  // namespace dragoman::serve::test

// `recipe run` with data from a server, through the program.
#include <gtest/gtest.h>

#include <map>

#include "base/sha256.h"
#include "recipe/transfer.h"
#include "tests/cli/program.h"
#include "tests/support/http_server.h"

namespace dragoman::recipe {
namespace {

using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

class RecipeData : public ::testing::Test {
 protected:
  RecipeData() {
    setenv("no_proxy", "127.0.0.1", 1);
    std::filesystem::create_directories(folder_.file("recipes/mine"));
    std::string data = "data:\n  corpus:\n    about: Six words\n    files:\n";
    for (const auto& [name, text] : files_) data += "      " + name + ": " + sha256_of(text) + "\n";
    folder_.write("recipes/data.yaml", data);
    folder_.write("recipes/mine/recipe.yaml", R"(title: A dictionary
data: corpus/*
tests:
  test: {source: "{data}/corpus/en", reference: "{data}/corpus/de"}
systems:
  words:
    steps: ["align {data}/corpus/en {data}/corpus/de --lexicon {system}/lexicon > {system}/links"]
    translate: direct {system}/lexicon {input}
    score: ""
)");
  }
  cli::Outcome run(const std::string& flags) const {
    return cli::run_program(folder_, "recipe run mine --data data --output out " + flags);
  }

  const std::map<std::string, std::string> files_ = {{"de", "das Haus\ndas Buch\n"}, {"en", "the house\nthe book\n"}};
  support::TempFolder folder_;
};

TEST_F(RecipeData, MissingFilesAreListedBeforeAnythingRuns) {
  const cli::Outcome outcome = run("");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("Six words\n  corpus/de: missing\n  corpus/en: missing\n"), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out/systems")));
}

TEST_F(RecipeData, MissingFilesComeFromTheMirror) {
  if (const std::string obstacle = transfer_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const HttpServer server([&](const HttpRequest& request) {
    return support::file_reply(request, files_.at(request.path.substr(request.path.rfind('/') + 1)));
  });
  const cli::Outcome outcome = run("--mirror " + server.url("/corpora"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].path, "/corpora/corpus/de");
  EXPECT_EQ(support::read_all(folder_.file("data/corpus/en")), files_.at("en"));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("out/systems/words/result.json")));
  EXPECT_EQ(run("--mirror " + server.url("/corpora")).status, 0);
  EXPECT_EQ(server.requests().size(), 2u);
}

}  // namespace
}  // namespace dragoman::recipe

// What `dragoman translate` and `score` refuse, and how their output is laid out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

class RequestCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    search::test::write_text_model(folder_.file("m.safetensors"), "transformer-small", 3);
    folder_.write("in", "the dog\n\nwhere is it ?\n");
  }
  Outcome translate(const std::string& arguments) const {
    return run_program(folder_, "translate --device cpu --quiet --model m.safetensors " + arguments);
  }
  // Nothing is translated, and the message says why.
  void expect_refusal(const std::string& arguments, const std::string& reason) const {
    const Outcome outcome = translate(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << arguments << "\n" << outcome.err;
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }

  support::TempFolder folder_;
};

TEST_F(RequestCommand, AnNBestListHasOneFormatWhateverItsLength) {
  for (const int count : {1, 2}) {
    const std::vector<std::string> list = lines_of(translate("--input in --n-best " + std::to_string(count)).out);
    ASSERT_EQ(list.size(), 3u * static_cast<std::size_t>(count));
    EXPECT_TRUE(list.front().starts_with("0 ||| ")) << list.front();
    EXPECT_TRUE(list.back().starts_with("2 ||| ")) << list.back();
  }
  const std::string plain = translate("--input in").out;
  EXPECT_EQ(plain.find("|||"), std::string::npos);
  EXPECT_EQ(translate("--input in --n-best 0").out, plain);
}

TEST_F(RequestCommand, OptionsBeyondTheirLimitsAreRefused) {
  for (const char* option : {"--beam 100000", "--n-best 2000000000", "--n-best 9", "--max-length 2000000000",
                             "--min-length 2000000000", "--temperature 0", "--length-penalty nan", "--batch 2000000000",
                             "--threads 200000", "--top-p 0", "--min-length 9 --max-length 4", "--max-line-bytes 5",
                             "--max-input-tokens 1000000000", "--word-reward inf", "--finished -1"})
    for (const char* input : {"in", "/dev/null"}) {
      const std::string name = std::string(option).substr(2, std::string(option).find(' ') - 2);
      expect_refusal(std::string(option) + " --input " + input, name);
    }
}

TEST_F(RequestCommand, FilesThatBelongToTheInputHaveAsManyLines) {
  folder_.write("two", "x\ny\n");
  folder_.write("four", "x\ny\nz\nz\n");
  expect_refusal("--input in --prefixes two", "in has 3 lines, but two has 2");
  expect_refusal("--input in --prefixes four", "in has 3 lines, but four has 4");
  expect_refusal("--input in --reference four --side-by-side out", "in has 3 lines, but four has 4");
  const Outcome few = translate("--prefixes two < in");
  EXPECT_EQ(few.status, 1);
  EXPECT_NE(few.err.find("line 3 has no prefix: two has 2 lines"), std::string::npos) << few.err;
  EXPECT_EQ(lines_of(few.out).size(), 2u);
  const Outcome many = translate("--prefixes four < in");
  EXPECT_EQ(many.status, 1);
  EXPECT_NE(many.err.find("four has more lines than the 3 of the input"), std::string::npos) << many.err;
  EXPECT_EQ(lines_of(many.out).size(), 3u);
}

TEST_F(RequestCommand, TermsAndPrefixesAreLiteral) {
  folder_.write("terms", "dog\tQuetzalcoatlus\nit\tZyx\n");
  folder_.write("prefixes", "Qwv\n\nein Xzy\n");
  const Outcome outcome = translate("--input in --terms terms --prefixes prefixes");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  EXPECT_TRUE(lines[0].starts_with("Qwv")) << lines[0];
  EXPECT_NE(lines[0].find("Quetzalcoatlus"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1], "");
  EXPECT_TRUE(lines[2].starts_with("ein Xzy")) << lines[2];
  EXPECT_NE(lines[2].find("Zyx"), std::string::npos) << lines[2];
  folder_.write("banned", "Quetzalcoatlus\n");
  expect_refusal("--input in --terms terms --banned banned", "the term 'Quetzalcoatlus' contains a banned word");
}

TEST_F(RequestCommand, AModelWithoutAttentionNeitherAlignsNorCopies) {
  search::test::write_text_model(folder_.file("m.safetensors"), "seq2seq", 3);
  expect_refusal("--input in --alignments links", "does not attend to single source words");
  expect_refusal("--input in --replace-unknown", "does not attend to single source words");
  const Outcome json = translate("--input in --json");
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_FALSE(nlohmann::json::parse(lines_of(json.out)[0])["translations"][0].contains("alignment"));
}

TEST_F(RequestCommand, AFileWithoutItsFlagIsExplained) {
  expect_refusal("in", "to translate a file: dragoman translate --model FILE --input FILE");
  const Outcome text = run_program(folder_, "translate in < in");
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.err.find("--input FILE"), std::string::npos) << text.err;
  EXPECT_EQ(run_program(folder_, "translate --device cpu --quiet m.safetensors < in").out, translate("< in").out);
}

TEST_F(RequestCommand, ALineBeyondTheLimitIsAnErrorWithItsNumber) {
  folder_.write("long", "the dog\n" + std::string(1000, 'x') + "\nthe dog\n");
  const Outcome outcome = translate("--max-line-bytes 999 --input long");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("line 2: is longer than --max-line-bytes allows"), std::string::npos) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

TEST_F(RequestCommand, BytesThatAreNotUtf8NeverBreakJson) {
  folder_.write("bytes", "the \xff dog\n\xc3\n");
  for (const std::string& command :
       {std::string("translate --device cpu --quiet --json --tree tree --model m.safetensors --input bytes"),
        std::string("evaluate bytes bytes --json --sentence"), std::string("stats bytes bytes --json"),
        std::string("score --device cpu --json --attention --model m.safetensors bytes bytes")}) {
    const Outcome outcome = run_program(folder_, command);
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 1) << command;
    EXPECT_EQ(outcome.err.find("json.exception"), std::string::npos) << command << "\n" << outcome.err;
    const bool said = outcome.status == 0 || outcome.err.find("UTF-8") != std::string::npos;
    EXPECT_TRUE(said) << command << "\n" << outcome.err;
  }
}

}  // namespace
}  // namespace dragoman::cli

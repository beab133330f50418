#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

class ShortlistCommand : public ::testing::Test {
 protected:
  ShortlistCommand() {
    search::test::write_text_model(folder_.file("m"), "transformer-fast", 3);
    std::string english, german;
    for (int i = 0; i < 20; ++i) {
      english += "the red house\nthe dog\nthe house stands here .\nred dog\n";
      german += "das rote haus\ndas hund\ndas haus steht hier .\nrote hund\n";
    }
    folder_.write("en", english);
    folder_.write("de", german);
  }
  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }

  support::TempFolder folder_;
};

TEST_F(ShortlistCommand, WritesAModelThatTranslatesWithTheWordsOfTheText) {
  const Outcome made = run("shortlist m --source en --target de --best 1 --frequent 1 --output short");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find(" of 22 for a sentence"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("coverage  100.00 %"), std::string::npos) << made.out;
  const Outcome inspected = run("inspect short --verify");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  EXPECT_NE(inspected.out.find("1 best of each source token, 1 frequent"), std::string::npos) << inspected.out;
  folder_.write("in", "the red dog\n");
  const Outcome with = run("translate --device cpu --model short --beam 2 --input in");
  ASSERT_EQ(with.status, 0) << with.err;
  std::istringstream words(with.out);
  for (std::string word; words >> word;)
    EXPECT_TRUE(word == "das" || word == "rote" || word == "hund" || word == "<unk>") << with.out;
  const Outcome without = run("translate --device cpu --model short --beam 2 --input in --shortlist=false");
  EXPECT_EQ(without.out, run("translate --device cpu --model m --beam 2 --input in").out);
  EXPECT_NE(without.out, with.out) << "the shortlist changes nothing";
}

TEST_F(ShortlistCommand, WarnsOfAListThatLacksManyWords) {
  std::string source, target;
  for (const char* word : {"das", "hund", "haus", "rote", "steht"})
    for (int i = 0; i < 16; ++i) source += "dog\n", target += std::string(word) + "\n";
  folder_.write("one", source);
  folder_.write("many", target);
  const char* const warning = "may cost quality";
  const Outcome made = run("shortlist m --source one --target many --best 1 --frequent 1 --output short");
  EXPECT_NE(made.err.find(warning), std::string::npos) << made.out << made.err;
  std::string unknown;
  for (const char c : target)
    unknown += c == '\n' ? std::string(" x x x x x x x x x x x x x x x x x x x x\n") : std::string(1, c);
  folder_.write("unknown", unknown);
  const Outcome vague = run("shortlist m --source one --target unknown --best 1 --frequent 1 --output short");
  EXPECT_NE(vague.err.find(warning), std::string::npos) << "unknown tokens count as covered: " << vague.out;
  folder_.write("line", "the dog\n");
  folder_.write("zeile", "das hund\n");
  const Outcome single = run("shortlist m --source line --target zeile --output single");
  EXPECT_NE(single.err.find("was not measured"), std::string::npos) << single.out << single.err;
  const Outcome fits = run("shortlist m --source en --target de --output fits");
  EXPECT_EQ(fits.err.find(warning), std::string::npos) << fits.err;
}

TEST_F(ShortlistCommand, WarnsOfTextThatTheModelDoesNotKnow) {
  const char* const warning = "are --source and --target exchanged";
  const Outcome exchanged = run("shortlist m --source de --target en --output exchanged");
  EXPECT_NE(exchanged.err.find(warning), std::string::npos) << exchanged.err;
  EXPECT_EQ(run("shortlist m --source en --target de --output right").err.find(warning), std::string::npos);
}

TEST_F(ShortlistCommand, WarnsIfTheModelFindsTheOtherDirectionLikelier) {
  ASSERT_EQ(run("translate --from en --to de --device cpu --threads 1 --input en --output seen").status, 0);
  const std::string shortlist = "shortlist " DRAGOMAN_SOURCE "/models/en-de.safetensors --output s ";
  const char* const warning = "likelier with its sides exchanged";
  EXPECT_NE(run(shortlist + "--source seen --target en").err.find(warning), std::string::npos);
  EXPECT_EQ(run(shortlist + "--source en --target seen").err.find(warning), std::string::npos);
}

TEST_F(ShortlistCommand, SaysThatItReplacesTheListOfTheModel) {
  const std::string text = " --source en --target de --output ", message = "has a shortlist: it is replaced";
  EXPECT_EQ(run("shortlist m" + text + "first").err.find(message), std::string::npos);
  EXPECT_NE(run("shortlist first" + text + "second").err.find(message), std::string::npos);
}

TEST_F(ShortlistCommand, MakesAModelThatBenchMeasuresWithItAndWithoutIt) {
  ASSERT_EQ(run("shortlist m --source en --target de --output short").status, 0);
  const std::string bench = "bench short --input en --seconds 0.01 --precision int8 --device cpu";
  EXPECT_NE(run(bench).out.find("with its shortlist"), std::string::npos);
  EXPECT_NE(run(bench + " --shortlist=false").out.find("without a shortlist"), std::string::npos);
}

TEST_F(ShortlistCommand, ExplainsMistakes) {
  folder_.write("empty", "\n\n");
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--source en --target de --output x", "expected one model file, but got none"},
           {"m --source en --target de", "expected --output FILE"},
           {"m --output x", "expected --source FILE and --target FILE"},
           {"m --source en --target de --output ./m", "is also the file of MODEL, which would be lost"},
           {"m --source empty --target empty --output x", "no pair of the text has tokens on both sides"},
           {"nosuch --source en --target de --output x", "nosuch: cannot be opened"}}) {
    const Outcome outcome = run("shortlist " + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("x"))) << arguments;
  }
}

}  // namespace
}  // namespace dragoman::cli

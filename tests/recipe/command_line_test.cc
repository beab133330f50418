#include "recipe/command_line.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

using support::message;
using Words = std::vector<std::string>;

Words words(const std::string& text) { return split_command(text).words; }

TEST(CommandLine, SplitsWordsAsAShellDoes) {
  EXPECT_EQ(words(" train  --a 'x y' --b=\"it's\" '' "), (Words{"train", "--a", "x y", "--b=it's", ""}));
  const CommandLine command = split_command("stats a>'{work}/x y'");
  EXPECT_EQ(command.output, "{work}/x y");
  EXPECT_EQ(show(command), "dragoman stats a > '{work}/x y'");
}

TEST(CommandLine, RefusesWhatOnlyAShellUnderstands) {
  for (const char* text : {"a | b", "a $HOME", "a; b", "a 'b", "a > b c", "a > b > c", "a >"})
    EXPECT_THROW(split_command(text), Error) << text;
}

TEST(CommandLine, WritesAWordOnceForEachAlternativeInBraces) {
  EXPECT_EQ(words("--source={data}/{a,b}/train{1,2}.en x"),
            (Words{"--source={data}/a/train1.en", "--source={data}/a/train2.en", "--source={data}/b/train1.en",
                   "--source={data}/b/train2.en", "x"}));
  EXPECT_EQ(words("{systems/en-de{,-2}}/m"), (Words{"{systems/en-de}/m", "{systems/en-de-2}/m"}));
  EXPECT_EQ(words("'{a,b}' {data} {} {x"), (Words{"{a,b}", "{data}", "{}", "{x"})) << "quoted, or no alternatives";
}

TEST(CommandLine, BracesDoNotFillTheMemory) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{a,b}";
  EXPECT_NE(message([&] { split_command(text); }).find("more than 10000 words"), std::string::npos);
}

TEST(CommandLine, FillsPlaceholdersOnceAndNamesUnknownOnes) {
  const Places places = {{"data", "/d{work}"}, {"systems/a+b", "s"}};
  EXPECT_EQ(fill("{data}/x {systems/a+b} {} {1 2}", places), "/d{work}/x s {} {1 2}");
  EXPECT_NE(message([&] { fill("{daat}", places); }).find("did you mean {data}?"), std::string::npos);
  EXPECT_EQ(placeholders("{data}{a,b}{x}"), (Words{"data", "x"}));
}

}  // namespace
}  // namespace dragoman::recipe

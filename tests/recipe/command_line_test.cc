#include "recipe/command_line.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

using support::message;

TEST(SplitCommand, SeparatesWordsAsAShellDoes) {
  EXPECT_EQ(split_command("train  --title 'two words' --empty \"\" a\\ b \"it's \\\"so\\\"\"\n").words,
            (std::vector<std::string>{"train", "--title", "two words", "--empty", "", "a b", "it's \"so\""}));
}

TEST(SplitCommand, TakesAFileForStandardOutput) {
  const CommandLine command = split_command("align a b>{work}/links");
  EXPECT_EQ(command.words, (std::vector<std::string>{"align", "a", "b"}));
  EXPECT_EQ(command.output, "{work}/links");
  EXPECT_NE(message([] { split_command("align a >"); }).find("expected one file name after >"), std::string::npos);
  EXPECT_NE(message([] { split_command("align > a b"); }).find("expected nothing after > FILE"), std::string::npos);
}

TEST(SplitCommand, RefusesWhatOnlyAShellUnderstands) {
  EXPECT_NE(message([] { split_command("stats a | head"); }).find("'|' has no meaning here"), std::string::npos);
  EXPECT_NE(message([] { split_command("stats 'a"); }).find("expected a closing '"), std::string::npos);
  EXPECT_EQ(split_command("stats 'a|b'").words[1], "a|b");
}

TEST(ShowCommand, CanBePastedIntoAShell) {
  const CommandLine command{{"train", "--title", "it's", "", "a/b-c.d"}, "x y"};
  EXPECT_EQ(show(command), "dragoman train --title 'it'\\''s' '' a/b-c.d > 'x y'");
  EXPECT_EQ(split_command(show(command)).words.size(), 6U);
}

TEST(CommandChanges, NameTheFlagsThatDiffer) {
  const std::string before = "dragoman train --source a --source b --until 20u --shared --output run";
  EXPECT_EQ(changes(before, before), "");
  EXPECT_EQ(changes(before, "dragoman train --source a --source b --until 30u --shared --output run"),
            "--until 30u instead of --until 20u");
  EXPECT_EQ(changes(before, before + " --seed 7 --device cpu"), "with --device cpu --seed 7");
  EXPECT_EQ(changes(before, "dragoman train --source a --until 20u --shared --output run"), "without --source b");
  EXPECT_EQ(changes("dragoman direct --tokenized a > x", "dragoman direct --tokenized a > y"), "> y instead of > x");
}

TEST(FillPlaceholders, ReplacesNamesInBracesOnce) {
  EXPECT_EQ(fill("{data}/x-{value}", {{"data", "{value}"}, {"value", "4"}}), "{value}/x-4");
  EXPECT_EQ(fill("{ \"a\": {} }", {}), "{ \"a\": {} }");
}

TEST(FillPlaceholders, RefusesUnknownNamesAndSuggestsTheNearest) {
  EXPECT_NE(message([] {
              fill("{modle}", {{"model", "m"}, {"data", "d"}});
            }).find("did you mean {model}?"),
            std::string::npos);
  EXPECT_NE(message([] { fill("{zzzzzzz}", {{"data", "d"}}); }).find("known here are {data}"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::recipe

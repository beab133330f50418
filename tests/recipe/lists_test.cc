#include "recipe/lists.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

using support::message;

Recipe with_lists(const std::string& text) { return parse_recipe(text, "recipe.yaml", "mine", {}); }

std::string first_step(const std::string& lists, const std::string& train) {
  return with_lists("lists: " + lists + "\nsystems:\n  a: {train: " + train + "}\n").systems[0].steps.at(0);
}

std::string refused_lists(const std::string& lists) {
  return message([&] { first_step(lists, "x"); });
}

TEST(RecipeLists, StandInTextsForAllTheirEntries) {
  EXPECT_EQ(first_step("{files: [a, b]}", "\"--source {files} --until 1u\""), "train --source a b --until 1u");
  EXPECT_EQ(first_step("{seed: --seed 1}", "\"{seed} {data}\""), "train --seed 1 {data}") << "a text is a list of one";
}

TEST(RecipeLists, WriteATextForEachEntry) {
  EXPECT_EQ(first_step("{corpora: [a, b]}", "{each: corpora, text: \"--source {item}.{from} --target {item}.de\"}"),
            "train --source a.{from} --target a.de --source b.{from} --target b.de");
  EXPECT_EQ(first_step("{corpora: {one: x/1, two: x/2}}", "{each: corpora, text: \"{data}/{item} {system}/{name}\"}"),
            "train {data}/x/1 {system}/one {data}/x/2 {system}/two");
  EXPECT_EQ(first_step("{}", "[a, {each: [1, 2], text: \"--model {systems/{item}}/m\"}, b]"),
            "train a --model {systems/1}/m --model {systems/2}/m b");
}

TEST(RecipeLists, UseListsThatComeBeforeThem) {
  EXPECT_EQ(first_step("{names: [x, y], files: {each: names, text: \"{data}/{item}\"}}", "\"{files}\""),
            "train {data}/x {data}/y");
  for (const char* lists : {"{a: \"{a}\"}", "{a: \"x {b}\", b: y}", "{a: \"{b}\", b: \"{a}\"}",
                            "{a: {each: a, text: \"{item}\"}}", "{a: {each: b, text: x}, b: [1]}"})
    EXPECT_NE(refused_lists(lists).find("must come before it; no list can contain itself"), std::string::npos)
        << lists << ": " << refused_lists(lists);
}

TEST(RecipeLists, GiveSeveralStepsAndSystems) {
  const Recipe recipe = with_lists(R"(
lists:
  commands: {each: [a, b], text: "translate {data}/{item}"}
  all: [one, two]
systems:
  one: {train: x}
  two: {steps: ["{commands}", [train --until 1u, --seed 2]]}
tables:
- {title: t, systems: "{all}"}
)");
  EXPECT_EQ(recipe.systems[1].steps,
            (std::vector<std::string>{"translate {data}/a", "translate {data}/b", "train --until 1u --seed 2"}));
  EXPECT_EQ(recipe.tables[0].systems, (std::vector<std::string>{"one", "two"}));
}

TEST(RecipeLists, KnowTheLanguagesOfAGroup) {
  const Recipe recipe = with_lists(R"(
lists:
  pairs: {each: [a, b], text: "--source {item}.{from} --target {item}.{to}"}
groups:
  en-de: {from: en, to: de, flags: {train: "{pairs}"}}
  de-en: {from: de, to: en, flags: {train: "{pairs}"}}
systems:
  back: {group: en-de, train: "--from {systems/{to}-{from}}/m"}
  all: {train: "--from {from}"}
)");
  EXPECT_EQ(recipe.groups[0].flags[0].second, "--source a.en --target a.de --source b.en --target b.de");
  EXPECT_EQ(recipe.groups[1].flags[0].second, "--source a.de --target a.en --source b.de --target b.en");
  EXPECT_EQ(recipe.systems[0].steps[0], "train --from {systems/de-en}/m");
  EXPECT_EQ(recipe.systems[1].steps[0], "train --from {from}") << "left to the test set";
}

TEST(RecipeLists, RefuseWhatCannotBeMeant) {
  EXPECT_NE(refused_lists("{data: [a]}").find("placeholder {data} has a meaning of its own"), std::string::npos);
  EXPECT_NE(refused_lists("{a/b: [a]}").find("'a/b' cannot be a name"), std::string::npos);
  EXPECT_NE(refused_lists("{a: {each: nothing, text: x}}").find("there is no list 'nothing'"), std::string::npos);
  EXPECT_NE(refused_lists("{a: {each: [1]}}").find("expected 'text'"), std::string::npos);
  EXPECT_NE(refused_lists("{a: {each: [1], txt: x}}").find("unknown key 'txt'; did you mean 'text'?"),
            std::string::npos);
  EXPECT_NE(refused_lists("{a: {b: [c]}}").find("expected a text after 'b'"), std::string::npos);
}

TEST(RecipeLists, DoNotFillTheMemory) {
  std::string lists = "{l0: " + std::string(100, 'x');
  for (int i = 1; i < 30; ++i)
    lists += ", l" + std::to_string(i) + ": \"{l" + std::to_string(i - 1) + "} {l" + std::to_string(i - 1) + "}\"";
  EXPECT_NE(refused_lists(lists + "}").find("write out to more than 4 MB"), std::string::npos);
  std::string large = "{a: [" + std::string(100000, 'x') + "], b: {each: [";
  for (int i = 0; i < 1000; ++i) large += "1,";
  EXPECT_NE(refused_lists(large + "1], text: \"{a}{a}{a}{a}\"}}").find("write out to more than 4 MB"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::recipe

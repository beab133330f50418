#include "base/options.h"

#include <gtest/gtest.h>

namespace dragoman {

enum class Colour { red, green };
template <>
struct EnumNames<Colour> {
  static constexpr std::pair<Colour, const char*> list[] = {{Colour::red, "red"}, {Colour::green, "green"}};
};

namespace {

struct Inner {
  int layers = 6;
  template <class V>
  void visit(V& v) {
    v("layers", layers, "how many layers", at_least(1));
  }
};

struct Options {
  std::string name = "plain";
  double dropout = 0.1;
  bool tied = true;
  Colour colour = Colour::red;
  std::vector<std::string> files;
  Inner encoder;
  template <class V>
  void visit(V& v) {
    v("name", name, "a name");
    v("dropout", dropout, "share of units dropped", between(0, 0.9));
    v("tied", tied, "share the embeddings");
    v("colour", colour, "a colour");
    v("files", files, "files to read");
    v.group("encoder", encoder);
  }
};

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Options, FlagsOverrideYamlWhichOverridesDefaults) {
  Options options;
  Settings settings(options);
  settings.read_yaml("dropout: 0.3\nencoder:\n  layers: 12\ncolour: green\nfiles: [a, b]\n", "test.yaml");
  const Parsed parsed = settings.parse({"in.txt", "--dropout", "0.5", "--no-tied", "--files", "c", "--files", "d"});
  EXPECT_EQ(parsed.positional, std::vector<std::string>{"in.txt"});
  EXPECT_EQ(options.dropout, 0.5);
  EXPECT_FALSE(options.tied);
  EXPECT_EQ(options.encoder.layers, 12);
  EXPECT_EQ(options.colour, Colour::green);
  EXPECT_EQ(options.files, (std::vector<std::string>{"c", "d"}));
}

TEST(Options, ASwitchMayBeFollowedByItsValue) {
  Options options;
  Settings settings(options);
  EXPECT_EQ(settings.parse({"--tied", "false", "true"}).positional, std::vector<std::string>{"true"});
  EXPECT_FALSE(options.tied);
  settings.parse({"--tied", "true"});
  EXPECT_TRUE(options.tied);
  EXPECT_EQ(failure_of([&] { settings.parse({"--tied=maybe"}); }), "--tied: expected true or false but got 'maybe'");
  EXPECT_EQ(settings.parse({"--no-tied", "in.txt"}).positional, std::vector<std::string>{"in.txt"});
  EXPECT_FALSE(options.tied);
}

struct Conditional {
  Colour colour = Colour::red;
  double depth = 1;
  std::string note = "";
  Inner encoder;
  template <class V>
  void visit(V& v) {
    v("colour", colour, "a colour");
    v("depth", depth, "of the green");
    v("note", note, "a note");
    v.group("encoder", encoder);
    v.only_if(
        "depth encoder.", [this] { return colour == Colour::green; }, "only green has it");
  }
};

TEST(Options, WhatFollowsTwoHyphensAreNoFlags) {
  Options options;
  Settings settings(options);
  const Parsed parsed = settings.parse({"a", "--name", "x", "--", "-b", "--name", "--"});
  EXPECT_EQ(parsed.positional, (std::vector<std::string>{"a", "-b", "--name", "--"}));
  EXPECT_EQ(options.name, "x");
  EXPECT_EQ(failure_of([&] { settings.parse({"---"}); }), "command line: unknown setting ''; --help lists all");
}

TEST(Options, AFlagWithoutAnEffectIsAnErrorAndTheSameSettingOfAFileIsNone) {
  Conditional options;
  Settings settings(options);
  const auto given = [&](const std::vector<std::string>& words) {
    return failure_of([&] { settings.check_effects(settings.parse(words)); });
  };
  EXPECT_EQ(given({"--depth", "3"}), "--depth has no effect: only green has it");
  EXPECT_EQ(given({"--encoder.layers", "3"}), "--encoder.layers has no effect: only green has it");
  settings.read_yaml("depth: 4\nencoder: {layers: 2}\n", "test.yaml");
  EXPECT_EQ(given({"--colour", "red"}), "nothing was thrown");
  EXPECT_EQ(given({"--depth", "5", "--colour", "green"}), "nothing was thrown") << "in any order";
  EXPECT_EQ(given({"--depth", "5", "--colour", "red", "--allow-unused"}), "nothing was thrown");
}

TEST(Options, AnEmptyValueThatChangesNothingHasNoEffect) {
  Conditional options;
  Settings settings(options);
  const std::string words = failure_of([&] { settings.check_effects(settings.parse({"--note", ""})); });
  EXPECT_NE(words.find("--note has no effect: its value is the empty text"), std::string::npos) << words;
  settings.read_yaml("note: old", "test.yaml");
  settings.check_effects(settings.parse({"--note", ""}));
  EXPECT_EQ(options.note, "");
  Options lists;
  EXPECT_EQ(failure_of([&] {
              Settings(lists).parse({"--files", ""});
            }),
            "--files: expected a value but got the empty text");
}

TEST(Options, AConditionOfAnUnknownSettingIsAMistake) {
  Settings settings;
  EXPECT_EQ(failure_of([&] {
              settings.only_if(
                  "nothing", [] { return true; }, "");
            }),
            "only_if: there is no setting 'nothing'");
}

TEST(Options, DumpReadsBackToTheSameValues) {
  Options written;
  written.name = "with: colon # and \"quotes\"";
  written.dropout = 0.123456789012345;
  written.files = {"a b", "yes", "3"};
  written.encoder.layers = 3;
  Options read;
  Settings(read).read_yaml(Settings(written).dump(), "dump");
  EXPECT_EQ(Settings(read).dump(), Settings(written).dump());
  EXPECT_EQ(read.name, written.name);
  EXPECT_EQ(read.files, written.files);
}

TEST(Options, AnUnknownKeyNamesTheNearestAndItsLine) {
  Options options;
  Settings settings(options);
  EXPECT_EQ(failure_of([&] { settings.read_yaml("name: x\ndropuot: 0.1\n", "c.yaml"); }),
            "c.yaml:2: unknown setting 'dropuot'; did you mean 'dropout'?");
  EXPECT_EQ(failure_of([&] {
              settings.parse({"--encoder.layer", "3"});
            }),
            "command line: unknown setting 'encoder.layer'; did you mean 'encoder.layers'?");
}

TEST(Options, ValuesOutsideTheirRangeOrTypeAreRefusedAndChangeNothing) {
  Options options;
  Settings settings(options);
  EXPECT_EQ(failure_of([&] {
              settings.parse({"--encoder.layers", "0"});
            }),
            "--encoder.layers: expected a value at least 1 but got 0");
  EXPECT_EQ(options.encoder.layers, 6);
  EXPECT_EQ(failure_of([&] { settings.read_yaml("dropout: much", "c.yaml"); }),
            "c.yaml:1: dropout: expected a number but got 'much'");
  EXPECT_EQ(failure_of([&] {
              settings.parse({"--colour", "gren"});
            }),
            "--colour: expected one of red|green but got 'gren'; did you mean green?");
  EXPECT_EQ(failure_of([&] { settings.read_yaml("encoder.layers: 99999999999", "c.yaml"); }),
            "c.yaml:1: encoder.layers: expected an integer from -2147483648 to 2147483647 but got 99999999999");
}

TEST(Options, YamlFromAStrangerIsBounded) {
  const auto problem = [](const std::string& text) {
    Options options;
    return failure_of([&] { Settings(options).read_yaml(text, "f"); });
  };
  EXPECT_EQ(problem("a: &x [*x]\n"), "f:1: anchors (&name) and aliases (*name) are not allowed; write the value out");
  EXPECT_NE(problem("a: &x 1\nb: *x\n").find("not allowed"), std::string::npos);
  std::string doubled = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) doubled += fmt::format("a{}: &a{} [*a{}, *a{}]\n", i, i, i - 1, i - 1);
  EXPECT_NE(problem(doubled).find("not allowed"), std::string::npos);
  for (const char* opening : {"[", "{a: ", "- ", "? "})
    for (const int depth : {33, 100'000}) {
      std::string deep = "key: ";
      if (opening[0] == '-' || opening[0] == '?') deep += "\n  ";
      for (int i = 0; i < depth; ++i) deep += opening;
      EXPECT_NE(problem(deep), "nothing was thrown") << opening << depth;
    }
  EXPECT_EQ(problem(std::string((1 << 20) + 1, ' ')), "f: expected YAML of at most 1048576 bytes");
}

TEST(Options, ASettingIsGivenOncePerFile) {
  const auto problem = [](const std::string& text) {
    Options options;
    return failure_of([&] { Settings(options).read_yaml(text, "c.yaml"); });
  };
  EXPECT_EQ(problem("dropout: 0.1\nname: x\ndropout: 0.3\n"),
            "c.yaml:3: 'dropout' is given twice, first in line 1; remove one of them");
  EXPECT_EQ(problem("encoder:\n  layers: 1\n  layers: 2\n"),
            "c.yaml:3: 'layers' is given twice, first in line 2; remove one of them");
  EXPECT_EQ(problem("encoder:\n  layers: 1\nencoder.layers: 2\n"),
            "c.yaml:3: 'encoder.layers' is given twice, first in line 2; remove one of them");
  EXPECT_EQ(problem("encoder: {layers: 1}\nencoder: {layers: 1}\n"),
            "c.yaml:2: 'encoder' is given twice, first in line 1; remove one of them");
  EXPECT_EQ(problem("files: [a, a]\nname: name\n"), "nothing was thrown") << "values may be equal";
  Options options;
  Settings settings(options);
  settings.read_yaml("dropout: 0.1\n", "a.yaml");
  settings.read_yaml("dropout: 0.3\n", "b.yaml");
  EXPECT_EQ(options.dropout, 0.3) << "a later file overrides an earlier one";
}

TEST(Options, MessagesQuoteAtMostAScreensWidth) {
  Options options;
  const std::string long_text(1'000'000, 'x');
  for (const std::string& text :
       {long_text + ": 1", "dropout: " + long_text, "colour: " + long_text, "tied: " + long_text, long_text})
    EXPECT_LT(failure_of([&] { Settings(options).read_yaml(text, "f"); }).size(), 300u);
}

TEST(Options, APartOfAFileLeavesTheRestToOthers) {
  Options options;
  Settings settings(options);
  settings.read_yaml_part("encoder:\n  layers: 3\nforeign:\n  key: 1\ndropout: 0.5\n", "c.yaml", "encoder");
  EXPECT_EQ(options.encoder.layers, 3);
  EXPECT_EQ(options.dropout, 0.1);
  EXPECT_EQ(failure_of([&] { settings.read_yaml_part("encoder:\n  layer: 3\n", "c.yaml", "encoder"); }),
            "c.yaml:2: unknown setting 'encoder.layer'; did you mean 'encoder.layers'?");
}

TEST(Options, HelpListsEveryKeyWithItsDefault) {
  Options options;
  const std::string help = Settings(options).help({.usage = "x", .summary = "does x"});
  for (const char* key : {"--name", "--dropout", "--tied", "--colour", "--files", "--encoder.layers"})
    EXPECT_NE(help.find(key), std::string::npos) << key;
  EXPECT_NE(help.find("red|green; default red"), std::string::npos);
}

struct Sectioned {
  int first = 1, second = 2, third = 3;
  template <class V>
  void visit(V& v) {
    v.section("Data");
    v("first", first, "number one");
    v.section("Model");
    v("second", second, "number two");
    v.section("Data");
    v("third", third, "number three");
  }
};

TEST(Options, HelpGathersTheSettingsOfASectionUnderOneHeading) {
  Sectioned options;
  const std::string help = Settings(options).help({.usage = "x", .summary = "does x"});
  const std::size_t data = help.find("Data:"), third = help.find("--third"), model = help.find("Model:");
  ASSERT_NE(model, std::string::npos);
  EXPECT_LT(data, third);
  EXPECT_LT(third, model);
  EXPECT_LT(model, help.find("--second"));
  EXPECT_EQ(help.find("Data:", data + 1), std::string::npos);
}

TEST(Options, HelpShowsExamplesAndKeepsToItsWidth) {
  Options options;
  const std::string help =
      Settings(options).help({.usage = "x", .summary = "does x", .examples = "# so\ndragoman x", .width = 64});
  EXPECT_NE(help.find("examples:\n  # so\n  dragoman x\n"), std::string::npos);
  const std::size_t settings = help.find("settings:");
  ASSERT_NE(settings, std::string::npos);
  for (std::size_t begin = settings; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 64U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace dragoman

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"

// `dragoman align` and `dragoman direct` as users run them.
namespace dragoman::cli {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class Align : public testing::Test {
 protected:
  Align() {
    const char* const pairs[][2] = {{"das Haus", "the house"},
                                    {"das Buch", "the book"},
                                    {"ein Buch", "a book"},
                                    {"ein Haus", "a house"},
                                    {"das kleine Haus", "the small house"},
                                    {"ein kleine Buch", "a small book"}};
    std::string source, target;
    for (int round = 0; round < 5; ++round)
      for (const auto& pair : pairs) {
        source += std::string(pair[0]) + "\n";
        target += std::string(pair[1]) + "\n";
      }
    folder_.write("de", source);
    folder_.write("en", target);
  }
  Outcome run(const std::string& arguments) const { return run_program(folder_, arguments); }
  std::string error(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.status, 0);
    return outcome.err;
  }
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  support::TempFolder folder_;
};

TEST_F(Align, PrintsALineOfLinksForEachPair) {
  const Outcome outcome = run("align de en");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(first_line(outcome.out), "0-0 1-1");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 30);
  EXPECT_HAS(outcome.err, "hmm 5: log p per word");
}

TEST_F(Align, PrintsTheSameForAnyNumberOfThreads) {
  const std::string one = run("align de en --posteriors --threads 1").out;
  EXPECT_EQ(one, run("align de en --posteriors --threads 3").out);
  EXPECT_EQ(first_line(one).rfind("0-0:", 0), 0u);
}

TEST_F(Align, SavesAModelThatAlignsNewText) {
  ASSERT_EQ(run("align de en --save model").status, 0);
  folder_.write("new.de", "ein kleine Haus\n\n");
  folder_.write("new.en", "a small house\n\n");
  EXPECT_EQ(run("align new.de new.en --model model").out, "0-0 1-1 2-2\n\n");
  EXPECT_EQ(run("align - new.en --model model < new.de").out, "0-0 1-1 2-2\n\n");
}

TEST_F(Align, LearnsFromMoreTextThanItAligns) {
  folder_.write("new.de", "Ein kleine Haus.\n");
  folder_.write("new.en", "A small house.\n");
  EXPECT_EQ(run("align new.de new.en --train-source de --train-target en --tokenize").out, "0-0 1-1 2-2 3-3\n");
}

TEST_F(Align, DrawsPictures) {
  EXPECT_HAS(run("align de en --show").out, "█ · das\n");
  ASSERT_EQ(run("align de en --svg out.svg --line 5").status, 0);
  EXPECT_HAS(support::read_all(folder_.file("out.svg")), "kleine</text>");
  EXPECT_HAS(error("align de en --svg out.svg --line 99"), "--line 99: the text has 30 pairs");
}

TEST_F(Align, WritesALexiconThatTranslatesWordForWord) {
  ASSERT_EQ(run("align de en --lexicon lex --lexicon-text lex.txt").status, 0);
  EXPECT_HAS(support::read_all(folder_.file("lex.txt")), "Haus\thouse\t1\n");
  folder_.write("in", "das kleine Buch!\n\n");
  EXPECT_EQ(run("direct lex in --source de --target en").out, "the small book!\n\n");
  EXPECT_EQ(run("direct lex.txt --tokenized < in").out, "the small Buch!\n\n");
}

TEST_F(Align, EmptyAndLongLinesGetNoLinksAndKeepTheirPlace) {
  std::string many;
  for (int i = 0; i < 10000; ++i) many += "wort ";
  folder_.write("odd.de", "das Haus\n\ndas\n" + many + "\ndas Buch\n");
  folder_.write("odd.en", "the house\n\n\n" + many + "\nthe book\n");
  const Outcome outcome = run("align odd.de odd.en --train-source de --train-target en");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "0-0 1-1\n\n\n\n0-0 1-1\n");
  EXPECT_HAS(outcome.err, "one side is empty in 1 pair");
  EXPECT_HAS(outcome.err, "left out: 1 pair with more than 400 words on a side");
}

TEST_F(Align, SaysWhatIsWrongWithItsFiles) {
  folder_.write("short", "a\nb\n");
  folder_.write("nothing", "\n\n");
  folder_.write("broken", "this is no model");
  EXPECT_HAS(error("align de short"), "short");
  EXPECT_HAS(error("align nothing nothing"), "nothing can be learned");
  EXPECT_HAS(error("align de missing"), "missing");
  EXPECT_HAS(error("align de en --model broken"), "broken: expected a file that starts with");
  EXPECT_HAS(error("align - en < de"), "learning reads SOURCE and TARGET twice");
  EXPECT_HAS(error("align de en --train-source de"), "--train-source names 1 file but --train-target 0");
  EXPECT_HAS(error("align de"), "align needs SOURCE and TARGET");
  EXPECT_HAS(error("direct broken de"), "broken:1: expected source word");
}

}  // namespace
}  // namespace dragoman::cli

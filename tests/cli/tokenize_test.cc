#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace dragoman::cli {
namespace {

TEST(Tokenize, SplitsLowersExpandsAndDropsPunctuation) {
  const support::TempFolder folder;
  folder.write("text", "Don't go, Mr. Smith-Jones!\n\n3.5 % of it\n");
  const Outcome words = run_program(
      folder, "tokenize text --language en --lower --expand-contractions --drop-punctuation --output words");
  EXPECT_EQ(words.status, 0) << words.said();
  EXPECT_EQ(support::read_all(folder.file("words")), "do not go mr. smith-jones\n\n3.5 of it\n");
}

TEST(Tokenize, JoinsWordsToTheTextTheyCameFrom) {
  const support::TempFolder folder;
  folder.write("text", "\"Don't go,\" said Mr. Smith (the elder).\n");
  EXPECT_EQ(run_program(folder, "tokenize text --language en --output words").status, 0);
  const Outcome text = run_program(folder, "tokenize words --language en --detokenize");
  EXPECT_EQ(text.out, support::read_all(folder.file("text")));
}

TEST(Tokenize, ReadsPipesByName) {
  const support::TempFolder folder;
  folder.write("text", "a b\n");
  EXPECT_EQ(run_program(folder, "--version > v; cat text | '" DRAGOMAN_PROGRAM "' tokenize /dev/stdin").out, "a b\n");
  const Outcome twice =
      run_program(folder, "--version > v; cat text | '" DRAGOMAN_PROGRAM "' vocab /dev/stdin --output v");
  EXPECT_NE(twice.err.find("/dev/stdin: corpora are read twice"), std::string::npos) << twice.err;
}

TEST(Tokenize, FailsIfItsOutputCannotBeWritten) {
  const support::TempFolder folder;
  folder.write("text", "a b\n");
  EXPECT_EQ(run_program(folder, "tokenize text > /dev/full").status, 1);
}

}  // namespace
}  // namespace dragoman::cli

#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/support/gzip.h"
#include "text/tokenizer_file.h"

namespace dragoman::cli {
namespace {

class VocabCommand : public testing::Test {
 protected:
  VocabCommand() {
    folder_.write("a.txt", "The cat sat.\nThe cat didn't run.\n");
    support::write_gzip(path("b.txt.gz"), "A dog ran.\r\nThe end");
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  Outcome run(const std::string& arguments) const { return run_program(folder_, "vocab " + arguments); }

  support::TempFolder folder_;
};

TEST_F(VocabCommand, MakesAWordVocabularyFromPlainAndGzipFiles) {
  const Outcome made =
      run(path("a.txt") + " " + path("b.txt.gz") + " --type words --language en --min-count 2 --output " + path("w"));
  ASSERT_EQ(made.status, 0) << made.said();
  EXPECT_NE(made.said().find("corpus      4 lines, 12 words"), std::string::npos) << made.said();
  EXPECT_NE(made.said().find("unknown     8 (50.000 %)"), std::string::npos) << made.said();
  const auto tokenizer = text::load_tokenizer(path("w"));
  EXPECT_EQ(tokenizer->size(), 8);
  EXPECT_EQ(tokenizer->piece(4), ".");
  const Outcome shown = run("--use " + path("w") + " " + path("b.txt.gz"));
  EXPECT_EQ(shown.said(), "<unk> <unk> <unk> .\nThe <unk>\n");
}

TEST_F(VocabCommand, AFileThatIsCutShortOrChangedIsRefused) {
  for (const char* const kind : {"words", "byte-bpe --size 270"}) {
    ASSERT_EQ(run(path("a.txt") + " --output " + path("w") + " --type " + kind).status, 0);
    const std::string bytes = support::read_all(path("w"));
    std::string changed = bytes;
    changed[changed.size() - 2] = 'x';
    for (const std::string& damaged : {bytes.substr(0, bytes.size() - 2), bytes + "\n", changed}) {
      folder_.write("damaged", damaged);
      const Outcome used = run("--use " + path("damaged") + " " + path("a.txt"));
      EXPECT_EQ(used.status, 1) << kind;
      EXPECT_NE(used.err.find("damaged or cut short"), std::string::npos) << used.err;
    }
  }
}

TEST_F(VocabCommand, TheSameCorpusGivesTheSameFile) {
  for (const char* const name : {"x", "y"})
    ASSERT_EQ(run(path("a.txt") + " --type byte-bpe --size 270 --output " + path(name)).status, 0);
  EXPECT_EQ(support::read_all(path("x")), support::read_all(path("y")));
  EXPECT_EQ(run("--use " + path("x") + " --show text " + path("a.txt")).said(), "The cat sat.\nThe cat didn't run.\n");
}

TEST_F(VocabCommand, SaysWhatIsMissing) {
  EXPECT_NE(run(path("a.txt")).said().find("expected --output FILE"), std::string::npos);
  EXPECT_NE(run("--output x").said().find("expected one or more corpora"), std::string::npos);
  EXPECT_NE(run(path("none.txt") + " --output " + path("x")).said().find("none.txt"), std::string::npos);
  EXPECT_NE(run("--use " + path("a.txt")).said().find("a.txt: tokenizer: expected 'dragoman-tokenizer 1'"),
            std::string::npos);
  EXPECT_EQ(run(path("a.txt") + " --type wrods --output x").status, 1);
  EXPECT_NE(run(path("a.txt") + " --size 9 --output " + path("s")).said().find("cannot train 9 pieces on 2 lines"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::cli

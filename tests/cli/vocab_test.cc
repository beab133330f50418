#include <gtest/gtest.h>
#include <sys/wait.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "text/tokenizer_file.h"

namespace dragoman {
namespace {

struct Outcome {
  int code;
  std::string output;  // stdout and stderr
};

Outcome run(const std::string& arguments) {
  const std::string line = std::string(DRAGOMAN_PROGRAM) + " vocab " + arguments + " 2>&1";
  FILE* const pipe = popen(line.c_str(), "r");
  Outcome outcome{-1, ""};
  std::array<char, 4096> buffer{};
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), got);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

class VocabCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("vocab" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(path("a.txt")) << "The cat sat.\nThe cat didn't run.\n";
    const gzFile file = gzopen(path("b.txt.gz").c_str(), "wb");
    gzputs(file, "A dog ran.\r\nThe end");
    gzclose(file);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(VocabCommand, MakesAWordVocabularyFromPlainAndGzipFiles) {
  const Outcome made =
      run(path("a.txt") + " " + path("b.txt.gz") + " --type words --language en --min-count 2 --output " + path("w"));
  ASSERT_EQ(made.code, 0) << made.output;
  EXPECT_NE(made.output.find("corpus      4 lines, 12 words"), std::string::npos) << made.output;
  EXPECT_NE(made.output.find("unknown     8 (50.000 %)"), std::string::npos) << made.output;
  const auto tokenizer = text::load_tokenizer(path("w"));
  EXPECT_EQ(tokenizer->size(), 8);
  EXPECT_EQ(tokenizer->piece(4), ".");
  const Outcome shown = run("--use " + path("w") + " " + path("b.txt.gz"));
  EXPECT_EQ(shown.output, "<unk> <unk> <unk> .\nThe <unk>\n");
}

TEST_F(VocabCommand, TheSameCorpusGivesTheSameFile) {
  const auto bytes = [&](const std::string& name) {
    std::ifstream in(path(name), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  for (const char* const name : {"x", "y"})
    ASSERT_EQ(run(path("a.txt") + " --type byte-bpe --size 270 --output " + path(name)).code, 0);
  EXPECT_EQ(bytes("x"), bytes("y"));
  EXPECT_EQ(run("--use " + path("x") + " --show text " + path("a.txt")).output, "The cat sat.\nThe cat didn't run.\n");
}

TEST_F(VocabCommand, SaysWhatIsMissing) {
  EXPECT_NE(run(path("a.txt")).output.find("expected --output FILE"), std::string::npos);
  EXPECT_NE(run("--output x").output.find("expected one or more corpora"), std::string::npos);
  EXPECT_NE(run(path("none.txt") + " --output " + path("x")).output.find("none.txt"), std::string::npos);
  EXPECT_NE(run("--use " + path("a.txt")).output.find("a.txt: tokenizer: expected 'dragoman-tokenizer 1'"),
            std::string::npos);
  EXPECT_EQ(run(path("a.txt") + " --type wrods --output x").code, 1);
  EXPECT_NE(run(path("a.txt") + " --size 9 --output " + path("s")).output.find("cannot learn 9 pieces from 2 lines"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman

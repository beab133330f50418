#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"
#include "tests/support/gzip.h"

// `dragoman evaluate` as users run it.
namespace dragoman::cli {
namespace {

class Evaluate : public testing::Test {
 protected:
  Evaluate() {
    folder_.write("hyp", "the cat sat on a mat\nhello , world\n\n");
    folder_.write("ref", "the cat sat on the mat\nhello world\nlast line\n");
  }

  Outcome run(const std::string& arguments) const { return run_program(folder_, "evaluate " + arguments); }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(run(arguments + " --json").out);
  }
  std::string error(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  support::TempFolder folder_;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Evaluate, ALineThatIsNoSentenceIsRefusedBeforeItFillsTheMemory) {
  support::write_gzip(folder_.file("long.gz"), "one\n" + std::string(8 << 20, 'x'));
  EXPECT_HAS(error("long.gz ref"), "long.gz:2: expected a sentence but the line is longer than 1048576 bytes");
  EXPECT_HAS(error("hyp long.gz"), "long.gz:2: ");
  EXPECT_HAS(error("long.gz --aer ref"), "long.gz:2: ");
}

TEST_F(Evaluate, JsonHasTheDocumentedKeys) {
  const nlohmann::json result = json("hyp ref --metrics bleu,chrf,ter");
  EXPECT_GT(result["bleu"]["score"], 0);
  EXPECT_EQ(result["bleu"]["precisions"].size(), 4u);
  EXPECT_LT(result["bleu"]["bp"], 1);
  EXPECT_EQ(result["bleu"]["signature"].get<std::string>().find("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"), 0u);
  EXPECT_GT(result["chrf"]["score"], 0);
  EXPECT_GT(result["chrfpp"]["score"], 0);
  EXPECT_GT(result["ter"]["score"], 0);
}

TEST_F(Evaluate, ReadsGzipAndPlainFilesAlike) {
  support::write_gzip(folder_.file("ref.gz"), "the cat sat on the mat\nhello world\nlast line\n");
  EXPECT_EQ(json("hyp ref.gz"), json("hyp ref"));
}

TEST_F(Evaluate, TextShowsScoresAndSignatures) {
  const Outcome outcome = run("hyp ref");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_HAS(outcome.out, "3 sentences, 1 reference\n");
  EXPECT_HAS(outcome.out, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dragoman-");
  EXPECT_HAS(outcome.out, "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:dragoman-");
}

TEST_F(Evaluate, SentencesAreTabSeparatedLines) {
  EXPECT_EQ(run("ref ref --sentence --metrics bleu,ter --digits 1").out,
            "line\tBLEU\tTER\n1\t100.0\t0.0\n2\t100.0\t0.0\n3\t100.0\t0.0\n");
}

TEST_F(Evaluate, SeveralSystemsAreTestedAgainstTheFirst) {
  const nlohmann::json result = json("hyp ref --systems ref --systems hyp --metrics bleu");
  ASSERT_EQ(result["systems"].size(), 2u);
  EXPECT_EQ(result["systems"][0]["system"], "ref");
  EXPECT_DOUBLE_EQ(result["systems"][0]["bleu"]["score"], 100);
  EXPECT_GT(result["systems"][0]["bleu"]["p_bootstrap"], 0);
  EXPECT_GT(result["systems"][0]["bleu"]["p_randomization"], 0);
  EXPECT_TRUE(result["bleu"].contains("ci95"));
  EXPECT_HAS(run("hyp ref --systems ref").out, "p randomization");
}

TEST_F(Evaluate, SlicesAreShownByLengthAndByRareWords) {
  folder_.write("train", "the the cat mat world\n");
  const nlohmann::json slices = json("hyp ref --slices length,rare --train train")["slices"];
  EXPECT_EQ(slices["length"][0]["sentences"], 3);
  EXPECT_EQ(slices["rare"][0]["slice"], "never seen");
  EXPECT_EQ(slices["words"].size(), 2u);
  EXPECT_HAS(error("hyp ref --slices rare"), "--slices rare needs --train FILE");
}

TEST_F(Evaluate, UnequalFilesNameBothCountsAndTheFirstLineWithoutAPartner) {
  folder_.write("short", "one\ntwo\n");
  EXPECT_HAS(error("hyp short"), "hyp has 3 lines but short has 2: hyp:3 is the first line without a partner");
  EXPECT_HAS(error("short ref"), "short has 2 lines but ref has 3: ref:3 is the first line without a partner");
}

TEST_F(Evaluate, FilesThatCannotBeReadAreNamed) {
  folder_.write("empty", "");
  folder_.write("broken", "fine\nnot \xff fine\n");
  EXPECT_HAS(error("hyp empty"), "empty: expected one sentence per line but the file is empty");
  EXPECT_HAS(error("hyp missing"), "missing: cannot be opened: No such file");
  EXPECT_HAS(error("hyp broken"), "broken:2: not valid UTF-8: byte 5 of the line is 0xFF");
  folder_.write("nul", std::string("a\0b\n", 4));
  EXPECT_HAS(error("hyp nul"), "nul:1: NUL byte");
  EXPECT_HAS(error("hyp"), "expected HYP and at least one REF but got 1 file");
}

TEST_F(Evaluate, AMisspeltMetricIsNamedWithTheNearest) {
  EXPECT_HAS(error("hyp ref --metrics belu"), "--metrics: 'belu' is not one of");
  EXPECT_HAS(error("hyp ref --metrics belu"), "did you mean bleu?");
}

TEST_F(Evaluate, AlignmentsAreScoredAgainstGoldLinks) {
  folder_.write("links", "0-0 1-1\n0-1\n");
  folder_.write("gold", "1-1 2-2\n1-2 2p1\n");
  const nlohmann::json result = json("links --aer gold")["aer"];
  EXPECT_EQ(result["score"], 0.0);
  EXPECT_EQ(result["recall"], 1.0);
  EXPECT_HAS(run("links --aer gold --swap-links").out, "alignment error rate");
  EXPECT_HAS(error("links --aer gold --links-from 1"), "links:1: the link '0-0' has a word number below 1");
}

}  // namespace
}  // namespace dragoman::cli

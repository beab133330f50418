#include "report/run_history.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "report/comparison.h"
#include "report/run_report.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::report {
namespace {

constexpr const char* kStart =
    R"({"kind":"start","time":"2026-11-16T08:00:00Z","update":0,"parameters":1234567,"trainable":1000000,"seed":7,
"command":"dragoman train --output 'a b'","preset":"tiny","version":"9.9","device":"cuda","hardware":"H200","machine":"CPU",
"until":["50u"],"settings":{"batch.size":"8","model.target-vocabulary":"100","output":"x"}})";

std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text + "\n";
}

// A log with a training entry, a validation, and `more`.
std::string log_with(const std::string& more) {
  return one_line(kStart) +
         R"({"kind":"train","time":"2026-11-16T08:01:00Z","update":10,"epoch":1,"tokens":100,"nll":2.5,"elapsed":60}
{"kind":"validation","time":"2026-11-16T08:02:00Z","update":10,"epoch":1,"tokens":100,"elapsed":70,"best":true,"scores":{"loss":2,"bleu":31.5}}
)" + more;
}

std::string state_of(const std::string& more, bool is_live = false) {
  const support::TempFolder folder;
  return RunHistory(folder.write("log.jsonl", log_with(more)), is_live).describe_state();
}

TEST(RunHistory, SaysHowAndWhenARunEnded) {
  EXPECT_EQ(state_of(R"({"kind":"end","time":"2026-11-16T08:03:09Z","update":50,"reason":"reached 50u"})"),
            "finished on 2026-11-16 08:03 UTC: reached 50u");
  EXPECT_EQ(state_of(R"({"kind":"end","time":"2026-11-16T08:03:09Z","update":20,"reason":"asked to stop"})"),
            "stopped on 2026-11-16 08:03 UTC");
  EXPECT_EQ(state_of(R"({"kind":"failure","time":"2026-11-16T08:03:09Z","update":20,"words":"the disk is full"})"),
            "failed on 2026-11-16 08:03 UTC: the disk is full");
  EXPECT_EQ(state_of(""), "interrupted; last news 2026-11-16 08:02 UTC; no process is training now");
  EXPECT_EQ(state_of("", true), "running; last news 2026-11-16 08:02 UTC");
  EXPECT_EQ(state_of("{\"kind\":\"end\",\"reason\":\"asked to stop\"}\n" + one_line(kStart), true),
            "running; last news 2026-11-16 08:00 UTC")
      << "a resumed run has not ended";
}

TEST(RunHistory, KnowsWhetherAProcessIsTraining) {
  const support::TempFolder folder;
  const std::string log = folder.write("log.jsonl", log_with(""));
  EXPECT_FALSE(is_training(log));
  const int lock = open(folder.write("lock", "").c_str(), O_RDWR);
  EXPECT_FALSE(is_training(log)) << "a lock file that nobody holds";
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_TRUE(is_training(log));
  close(lock);
}

TEST(RunHistory, ComputesTheTimeOfLogsThatDoNotHaveIt) {
  const auto log = [](const char* text) { return Json::parse(text); };
  EXPECT_EQ(elapsed_seconds({log(R"({"kind":"start","tokens":0})"),
                             log(R"({"kind":"train","tokens":500,"tokens_per_second":100})"),
                             log(R"({"kind":"validation","tokens":500,"seconds":2})"),
                             log(R"({"kind":"train","tokens":700,"tokens_per_second":50})")}),
            (std::vector<double>{0, 5, 7, 11}));
  EXPECT_EQ(elapsed_seconds({log(R"({"kind":"train","tokens":500,"tokens_per_second":100,"elapsed":9})")}),
            std::vector<double>{9});
}

TEST(RunHistory, ReadsTheSettingsOfRunsWhoseLogHasNone) {
  const support::TempFolder folder;
  folder.write("config.yaml", "# a comment: none\nbatch:\n  seed: 1\nseed: 7       # random seed\nfrom: \"\"\n");
  const RunHistory run(folder.write("log.jsonl", "{\"kind\":\"start\"}\n"), false);
  EXPECT_EQ(run.settings, (std::vector<std::pair<std::string, std::string>>{{"seed", "7"}, {"from", ""}}));
}

TEST(RunHistory, ToleratesDamagedLines) {
  const support::TempFolder folder;
  const std::string text = R"({"kind":5,"update":"x"}
{"kind":"start","parameters":"many","seed":[],"until":[1,2],"settings":7,"facts":{"a":1}}
{"kind":"train","update":"x","nll":null,"usage":3}
{"kind":"validation","scores":[1],"samples":{"a":1},"best":1}
{"kind":"validation","best":true,"scores":{"loss":"low"},"samples":[{"output":3,"attention":[null],"past_attention":[3,[null],[0.5,0.5]],"output_pieces":[1],"source_pieces":[2]}]}
{"kind":"data","train":{"pairs_read":"x","dropped":{"long":null}}}
{"kind":"remark","words":3}
{"kind":"tra)";
  const RunHistory run(folder.write("log.jsonl", text), false);
  EXPECT_NE(run_page(run, "damaged").find("interrupted"), std::string::npos);
  EXPECT_NE(comparison_page({folder.path(), folder.path()}).find("Comparison"), std::string::npos);
}

TEST(RunReport, DrawsTheAttentionOverTheSourceAndOverTheDecodersPast) {
  const support::TempFolder folder;
  const auto page_with = [&](const std::string& past) {
    const std::string line =
        R"({"kind":"validation","update":20,"samples":[{"output":"a b","source_pieces":["x"],"output_pieces":["a","b"],"attention":[1,1])" +
        past + "}]}\n";
    return run_page(RunHistory(folder.write("log.jsonl", log_with(line)), false), "name");
  };
  const std::string over_source = "aria-label='Attention over the source'",
                    over_past = "aria-label='Attention of each output token over the decoder&#39;s own past'";
  EXPECT_NE(page_with("").find(over_source), std::string::npos);
  EXPECT_EQ(page_with("").find(over_past), std::string::npos) << "a model that does not attend to its past";
  const std::string page = page_with(R"(,"past_attention":[[1],[0.25,0.75]])");
  EXPECT_NE(page.find(over_source), std::string::npos);
  EXPECT_NE(page.find(over_past), std::string::npos);
  EXPECT_EQ(page_with(R"(,"past_attention":[[1]])").find(over_past), std::string::npos) << "a row is missing";
}

TEST(RunReport, SaysHowTheRunWasStartedAndWhatBecameOfThePairs) {
  const support::TempFolder folder;
  const RunHistory run(
      folder.write(
          "log.jsonl",
          log_with(
              R"({"kind":"data","train":{"pairs_read":2000,"held_out":0,"kept":634,"dropped":{"too long":1300,"empty":66,"ratio":0},"cut":{"source":5}},"validation":{"pairs_read":10,"kept":10,"dropped":{}}}
)")),
      false);
  const std::string page = run_page(run, "name");
  for (const char* part :
       {"dragoman train --output &#39;a b&#39;", "<td>tiny</td>", "1,234,567 (1,000,000 trained)", "cuda: H200",
        "dragoman 9.9", "<td>7</td>", "2026-11-16 08:00 UTC",
        "<td class='number'>2,000</td><td class='number'>634</td>",
        "<td class='number'>1,300</td><td class='number'>66</td><td class='number'>5</td>", "batch.size: 8"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_NE(page.find("data-state='interrupted'"), std::string::npos);
  EXPECT_EQ(page.find(">ratio<"), std::string::npos) << "nothing was dropped for this reason";
}

TEST(Comparison, HasAColumnForEveryRunTheBestScoresAndTheDifferingSettings) {
  const support::TempFolder folder;
  for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder.file(name));
  folder.write("a/log.jsonl", log_with(""));
  std::string other = log_with("");
  for (const auto& [from, to] :
       {std::pair("\"8\"", "\"16\""), std::pair("31.5", "32.5"), std::pair("\"100\"", "\"200\"")})
    other.replace(other.find(from), std::string(from).size(), to);
  folder.write("b/log.jsonl", other);
  const std::string page = comparison_page({folder.file("a"), folder.file("b/")});
  for (const char* part :
       {"<th scope='row'>batch.size</th><td class='words'>8</td><td class='words'>16</td>",
        "<th scope='row'>bleu</th><td class='words'>31.5</td><td class='words'><strong>32.5</strong></td>",
        "Validation BLEU</figcaption>", "a <b>31.5</b>", "b <b>32.5</b>", "vocabularies differ"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("<th scope='row'>seed</th>"), std::string::npos) << "only settings that differ";
  EXPECT_EQ(page.find("<th scope='row'>output</th>"), std::string::npos) << "it always differs";
}

TEST(Comparison, NamesRunsByTheEndOfTheirPathsThatDiffers) {
  EXPECT_EQ(short_names({"/x/a", "/x/b/"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(short_names({"/x/a/run", "/x/b/run"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(short_names({"/a/1/run", "/a/2/run", "/b/1/run"}), (std::vector<std::string>{"a/1", "a/2", "b/1"}));
  EXPECT_EQ(short_names({"/x/a", "/x/a"}), (std::vector<std::string>{"a", "a"})) << "the same run twice";
}

TEST(Comparison, SaysWhatIsMissing) {
  const support::TempFolder folder;
  EXPECT_NE(support::message([&] { comparison_page({folder.file("none")}); }).find("no such folder"),
            std::string::npos);
  EXPECT_NE(support::message([&] { comparison_page({folder.path()}); }).find("there is no log.jsonl"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::report

// Several processes train one model: started by --devices, by mpirun, and by hand as torchrun would.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <thread>

#include "kernels/cuda/cuda.h"
#include "tests/cli/train_command.h"

namespace dragoman::cli {
namespace {

class TrainTeam : public TrainCommand {
 protected:
  // Ten batches per epoch.
  std::string settings() const {
    return validated() + "--batch.by sentences --batch.size 4 --validation.sentences 4 --no-report --no-tensorboard ";
  }
  // A model whose gradients are two buckets, one of which is sent while backward computes the other.
  std::string two_buckets() const {
    return data() +
           "--model.transformer.size 128 --model.embedding 128 --model.transformer.feed-forward 8192 --batch.by "
           "sentences --batch.size 2 --log 1u --no-report --no-tensorboard ";
  }
  static bool has_mpi() { return std::system("mpirun --version >/dev/null 2>&1") == 0; }
  // Files `out` and `err` have what the processes print.
  bool mpirun(const std::string& ranks, const std::string& arguments) const {
    const std::string command = "cd '" + folder_.path() +
                                "' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun "
                                "--oversubscribe -n " +
                                ranks + " '" DRAGOMAN_PROGRAM "' train " + arguments + " >out 2>err </dev/null";
    return std::system(command.c_str()) == 0;
  }
  // The seconds per update that sums of gradients took during backward.
  double overlapped(const std::string& run) const {
    double sum = 0;
    for (const nlohmann::json& line : log(run))
      if (line.at("kind") == "train") sum += line.at("overlapped_seconds").get<double>();
    return sum;
  }
  // Every logged loss.
  std::vector<double> losses(const std::string& run) const {
    std::vector<double> all;
    for (const nlohmann::json& line : log(run))
      if (line.at("kind") == "train") all.push_back(line.at("loss"));
    return all;
  }
  // The processes that `parent` has started.
  static std::vector<pid_t> children_of(pid_t parent) {
    const std::string id = std::to_string(parent);
    std::ifstream list("/proc/" + id + "/task/" + id + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; list >> child;) children.push_back(child);
    return children;
  }
  // Waits until the run has saved a newer checkpoint than `before`, or than its first one.
  void wait_for_checkpoint(const std::string& run, const std::string& before = "") const {
    const std::string old = std::max(before, path(run + "/checkpoints/000000001"));
    for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
      if (std::filesystem::exists(path(run + "/checkpoints")) && newest(run) > old) return;
    FAIL() << run << " has no checkpoint";
  }
};

TEST_F(TrainTeam, HasTheSameBitsOnOneTwoAndFourProcesses) {
  const std::string common = settings() + "--until 20u --validate 10u --virtual 4 ";
  ASSERT_EQ(run(common + "--output one").status, 0);
  for (const std::string devices : {"2", "4"}) {
    const Outcome outcome = run(common + "--output " + devices + " --devices " + devices);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, devices + "/model.safetensors\n") << "one process prints the result";
    EXPECT_EQ(contents(newest(devices)), contents(newest("one"))) << devices << " processes";
  }
}

// The ranks divide the f32 weights; all of them share one GPU.
TEST_F(TrainTeam, HasTheSameBitsInMixedPrecisionToo) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  const std::string common = settings() + "--until 20u --validate 10u --virtual 4 --device cuda --optimiser.ema 0.9 ";
  ASSERT_EQ(run(common + "--output one").status, 0);
  for (const std::string devices : {"2", "4"}) {
    const Outcome outcome = run(common + "--transport memory --output " + devices + " --devices " + devices);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(contents(newest(devices)), contents(newest("one"))) << devices << " processes";
    EXPECT_EQ(support::read_all(path(devices + "/model.safetensors")),
              support::read_all(path("one/model.safetensors")));
  }
}

TEST_F(TrainTeam, MpirunStartsItAsWell) {
  if (!has_mpi()) GTEST_SKIP() << "Open MPI is not installed";
  const std::string common = settings() + "--until 10u --validate 10u --virtual 4 ";
  ASSERT_EQ(run(common + "--output one").status, 0);
  for (const std::string ranks : {"2", "4"}) {
    ASSERT_TRUE(mpirun(ranks, common + "--output " + ranks)) << support::read_all(path("err"));
    EXPECT_EQ(support::read_all(path("out")), ranks + "/model.safetensors\n");
    EXPECT_NE(support::read_all(path("err")).find("connected by mpi"), std::string::npos);
    EXPECT_EQ(contents(newest(ranks)), contents(newest("one"))) << ranks << " processes";
  }
}

// One process computes the parts one after the other and sends nothing.
TEST_F(TrainTeam, GradientsThatAreSentDuringBackwardHaveTheSameBits) {
  for (const std::string ranks : {"2", "4"}) {
    const std::string common = two_buckets() + "--until 2u --virtual " + ranks + " ";
    ASSERT_EQ(run(common + "--output one" + ranks).status, 0);
    const auto expected = contents(newest("one" + ranks));
    ASSERT_EQ(run(common + "--output memory" + ranks + " --devices " + ranks).status, 0);
    EXPECT_EQ(contents(newest("memory" + ranks)), expected) << ranks << " processes";
    EXPECT_GT(overlapped("memory" + ranks), 0);
    if (!has_mpi()) continue;
    ASSERT_TRUE(mpirun(ranks, common + "--output mpi" + ranks)) << support::read_all(path("err"));
    EXPECT_EQ(contents(newest("mpi" + ranks)), expected) << ranks << " processes of mpirun";
    EXPECT_GT(overlapped("mpi" + ranks), 0);
  }
}

TEST_F(TrainTeam, AProcessThatIsKilledWhileItSendsEndsTheOthers) {
  for (int round = 0; round < 2; ++round) {
    const std::string output = "run" + std::to_string(round);
    const pid_t first = start(two_buckets() + "--until 1Mu --devices 3 --output " + output);
    for (int i = 0; i < 3000 && log(output).size() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(30 * round));
    const std::vector<pid_t> others = children_of(first);
    ASSERT_EQ(others.size(), 2u);
    const auto begin = std::chrono::steady_clock::now();
    kill(others[0], SIGKILL);
    EXPECT_EQ(WEXITSTATUS(wait_for(first)), 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    for (const pid_t other : others) EXPECT_NE(kill(other, 0), 0) << "no process is left";
  }
  const std::string words = support::read_all(path("stderr"));
  EXPECT_NE(words.find("rank 1 on "), std::string::npos) << words;
  EXPECT_NE(words.find("ended unexpectedly. The newest checkpoint is that of update"), std::string::npos) << words;
}

TEST_F(TrainTeam, LearnsLikeOneProcessWithTheSameTotalBatch) {
  const std::string common = settings() + "--until 20u --log 2u --schedule.warmup 0 --schedule.rate 0.003 ";
  ASSERT_EQ(run(common + "--output one --optimiser.accumulate 2").status, 0);
  ASSERT_EQ(run(common + "--output two --devices 2").status, 0);
  const std::vector<double> one = losses("one"), two = losses("two");
  ASSERT_EQ(one.size(), two.size());
  ASSERT_GE(one.size(), 10u);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(two[i], one[i], 1e-3 * one[i]);
  EXPECT_LT(one.back(), one.front());
  const std::vector<nlohmann::json> lines = log("two");
  const auto bytes = 4 * lines.front().at("parameters").get<double>();
  for (const nlohmann::json& line : lines) {
    if (line.at("kind") != "train") continue;
    EXPECT_NEAR(line.at("bytes_sent").get<double>() / bytes, 1, 0.05) << "half of the gradients, half of the weights";
    EXPECT_GT(line.at("reduce_seconds").get<double>(), 0);
    EXPECT_GT(line.at("gather_seconds").get<double>(), 0);
  }
}

TEST_F(TrainTeam, AKilledProcessEndsTheOthersAndTheRunGoesOnOnFewer) {
  const std::string common = settings() + "--virtual 4 --checkpoint 5u --validate 50u ";
  ASSERT_EQ(run(common + "--until 100u --output straight").status, 0);
  const pid_t first = start(common + "--until 1Mu --output killed --devices 4");
  wait_for_checkpoint("killed");
  const std::vector<pid_t> others = children_of(first);
  ASSERT_EQ(others.size(), 3u);
  const auto begin = std::chrono::steady_clock::now();
  kill(others[1], SIGKILL);
  EXPECT_EQ(WEXITSTATUS(wait_for(first)), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  for (const pid_t other : others) EXPECT_NE(kill(other, 0), 0) << "no process is left";
  const std::string words = support::read_all(path("stderr"));
  EXPECT_NE(words.find("rank 2 on "), std::string::npos) << words;
  EXPECT_NE(words.find("ended unexpectedly. The newest checkpoint is that of update"), std::string::npos) << words;
  // From any checkpoint before update 100.
  for (const auto& entry : std::filesystem::directory_iterator(path("killed/checkpoints")))
    if (entry.path().filename().string() > "000000095") std::filesystem::remove(entry.path());
  if (newest("killed").empty()) GTEST_SKIP() << "the machine was so slow that the run went too far";
  const Outcome resumed = run("--output killed --resume --until 100u --devices 2");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(contents(newest("killed")), contents(newest("straight")));
}

TEST_F(TrainTeam, TheSecondProcessReportsTheLossOfTheFirst) {
  const pid_t first = start(settings() + "--checkpoint 5u --until 1Mu --output killed --devices 2");
  wait_for_checkpoint("killed");
  kill(first, SIGKILL);
  wait_for(first);
  std::string words;
  for (int i = 0; i < 500 && words.find("rank 0 on ") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    words = support::read_all(path("stderr"));
  }
  EXPECT_NE(words.find("ended unexpectedly. The newest checkpoint is that of update"), std::string::npos) << words;
}

TEST_F(TrainTeam, AKillWhileCheckpointsAreWrittenLeavesNoDamagedOne) {
  const std::string common = settings() + "--virtual 4 --validate 50u --until 100u ";
  ASSERT_EQ(run(common + "--output straight").status, 0);
  for (int round = 0; round < 4; ++round) {
    const std::string before = round == 0 ? "" : newest("killed");
    const pid_t first = start(round == 0 ? common + "--checkpoint 1u --output killed --devices 2"
                                         : "--output killed --resume --devices 2");
    wait_for_checkpoint("killed", before);
    std::this_thread::sleep_for(std::chrono::milliseconds(round * 7));
    const std::vector<pid_t> others = children_of(first);
    kill(round % 2 == 0 && !others.empty() ? others[0] : first, SIGKILL);
    wait_for(first);
    for (const auto& entry : std::filesystem::directory_iterator(path("killed/checkpoints")))
      EXPECT_TRUE(entry.path().extension() != ".safetensors" || store::SafetensorsFile(entry.path().string()).verify())
          << entry.path() << " after kill " << round;
  }
  const Outcome resumed = run("--output killed --resume --devices 4");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(contents(newest("killed")), contents(newest("straight")));
  for (const auto& entry : std::filesystem::directory_iterator(path("killed/checkpoints")))
    EXPECT_EQ(entry.path().extension(), ".safetensors") << entry.path() << " is left";
}

TEST_F(TrainTeam, ASignalToAnyProcessSavesACheckpoint) {
  const pid_t first = start(settings() + "--until 1Mu --output run --devices 2 --checkpoint 5u --validate 0");
  wait_for_checkpoint("run");
  kill(children_of(first).at(0), SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(first)), 128 + SIGTERM) << "as if it had got the signal itself";
  EXPECT_NE(support::read_all(path("stderr")).find("asked to stop"), std::string::npos);
}

TEST_F(TrainTeam, RefusesARankWithOtherSettingsByName) {
  const auto rank = [&](int number, const std::string& more) {
    return fmt::format(
        "env RANK={0} LOCAL_RANK={0} WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT={1} '{2}' train {3} "
        "--output run --until 5u {4} >/dev/null 2>err{0}",
        number, 20000 + getpid() % 10000, DRAGOMAN_PROGRAM, settings(), more);
  };
  const std::string both =
      "cd '" + folder_.path() + "' && { " + rank(1, "--seed 7") + " & " + rank(0, "") + "; wait; }";
  (void)!std::system(both.c_str());
  EXPECT_NE(support::read_all(path("err0")).find("has another setting than rank 0"), std::string::npos)
      << support::read_all(path("err0"));
  EXPECT_NE(support::read_all(path("err0")).find("'--seed: 7' instead of '--seed: 1'"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("run"))) << "a run that cannot begin leaves nothing behind";
}

TEST_F(TrainTeam, MissingRanksAndIncompleteSettingsAreAnErrorAndNoHang) {
  const auto failing = [&](const std::string& variables, const std::string& more) {
    const std::string command = "cd '" + folder_.path() + "' && env " + variables + " '" DRAGOMAN_PROGRAM "' train " +
                                settings() + "--output run --until 5u " + more + " >/dev/null 2>err";
    EXPECT_NE(std::system(command.c_str()), 0);
    return support::read_all(path("err"));
  };
  EXPECT_NE(failing("RANK=0 WORLD_SIZE=2", "").find("but LOCAL_RANK, MASTER_ADDR, MASTER_PORT are not"),
            std::string::npos);
  const std::string alone =
      fmt::format("RANK=0 LOCAL_RANK=0 WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT={}", 20000 + getpid() % 10000);
  EXPECT_NE(failing(alone, "--join-timeout 1").find("ranks 1, 2 did not join within 1 s"), std::string::npos);
  const std::string parts = run(settings() + "--output run --devices 3 --virtual 4").err;
  EXPECT_NE(parts.find("3 processes cannot divide the parts"), std::string::npos) << parts;
  EXPECT_EQ(parts.find("subwords"), std::string::npos) << "before any data are processed: " << parts;
  EXPECT_NE(run(settings() + "--output run --devices 2 --transport mpi").err.find("start the processes with mpirun"),
            std::string::npos);
  EXPECT_NE(run(settings() + "--output run --device cpu --devices 2 --transport nccl").err.find("expected a GPU"),
            std::string::npos);
  EXPECT_NE(run(settings() + "--output run --virtual 4 --wire bf16").err.find("Give --virtual 4 --wire f32, or only"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::cli

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "base/file_lock.h"
#include "base/random.h"
#include "kernels/cuda/cuda.h"
#include "tests/cli/old_driver.h"
#include "tests/cli/train_command.h"

namespace dragoman::cli {
namespace {

using nlohmann::json;
using support::read_all;

TEST_F(TrainCommand, LearnsThePhrasebookAndEndsWithAModelThatTranslatesIt) {
  const Outcome outcome = run(validated() + "--output run --until 80e --validate 40e --batch.size 100 --log 20u");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "run/model.safetensors\n");
  json last;
  for (const json& line : log("run"))
    if (line.at("kind") == "validation") last = line;
  EXPECT_LT(last.at("scores").at("loss"), 0.1);
  EXPECT_GT(last.at("scores").at("bleu"), 90);
  EXPECT_TRUE(std::filesystem::exists(path("run/report/index.html")));
  const Outcome translated = run_program(folder_, "translate --model run/model.safetensors --input en --threads 1");
  ASSERT_EQ(translated.status, 0) << translated.err;
  folder_.write("out", translated.out);
  const Outcome scored = run_program(folder_, "evaluate out de --metrics bleu --json");
  EXPECT_GT(json::parse(scored.out).at("bleu").at("score"), 90) << scored.said();
}

TEST_F(TrainCommand, TwentyKillsLoseNothing) {
  const std::string settings = data() + "--until 150u --checkpoint 3u --log 10u --no-report --no-tensorboard ";
  ASSERT_EQ(run(settings + "--output straight").status, 0);
  Random random(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::string furthest;
  int in_training = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t process = start(settings + "--output killed --resume");
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random.below(180)));
    kill(process, SIGKILL);
    wait_for(process);
    if (!std::filesystem::exists(path("killed/checkpoints"))) continue;
    const std::string now = newest("killed");
    if (now.empty()) continue;
    EXPECT_GE(now, furthest) << "a checkpoint was lost";
    EXPECT_NO_THROW(contents(now)) << "a file under its final name is complete";
    in_training += now > furthest;
    furthest = now;
  }
  const Outcome finished = run(settings + "--output killed --resume");
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(contents(newest("killed")), contents(newest("straight"))) << in_training << " kills while training";
  const auto logged = [this](const std::string& name) {
    std::vector<int> updates;
    for (const json& line : log(name))
      if (line.at("kind") == "train") updates.push_back(line.at("update"));
    return updates;
  };
  EXPECT_EQ(logged("killed"), logged("straight"));
}

TEST_F(TrainCommand, SavesAndLeavesOnSigterm) {
  const pid_t process = start(data() + "--output run --until 1Mu --checkpoint 1Mu");
  for (int i = 0; i < 600 && !std::filesystem::exists(path("run/checkpoints/000000000.safetensors")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(process, SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(process, SIGTERM);  // Slurm sends it twice at a time limit
  const int status = wait_for(process);
  ASSERT_TRUE(WIFEXITED(status)) << read_all(path("stderr"));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
  EXPECT_GT(newest("run"), path("run/checkpoints/000000000.safetensors"));
  EXPECT_NE(read_all(path("stderr")).find("asked to stop"), std::string::npos);
}

TEST_F(TrainCommand, ASecondTrainerInTheFolderIsRefused) {
  std::filesystem::create_directory(path("run"));
  const auto lock = FileLock::try_lock(path("run/lock"));
  ASSERT_TRUE(lock.has_value());
  const Outcome outcome = run(data() + "--output run --until 1u");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("another process is training"), std::string::npos) << outcome.err;
}

TEST_F(TrainCommand, AFinishedRunIsNotOverwrittenByAccident) {
  const std::string settings = data() + "--output run --until 4u --no-report ";
  ASSERT_EQ(run(settings).status, 0);
  const Outcome again = run(settings);
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("--resume continues it, --overwrite starts again"), std::string::npos) << again.err;
  EXPECT_EQ(run(settings + "--overwrite").status, 0);
  const Outcome longer = run("--output run --resume --until 8u");
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_NE(longer.err.find("resuming from update 4"), std::string::npos) << longer.err;
  EXPECT_EQ(newest("run"), path("run/checkpoints/000000008.safetensors"));
}

TEST_F(TrainCommand, ADamagedCheckpointIsNamedAndTheOlderOneGoesOn) {
  ASSERT_EQ(run(data() + "--output run --until 6u --checkpoint 3u --no-report").status, 0);
  std::filesystem::resize_file(path("run/checkpoints/000000006.safetensors"), 1000);
  const Outcome outcome = run("--output run --resume");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("000000006.safetensors: is not a readable model file"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("resuming from update 3"), std::string::npos) << outcome.err;
}

TEST_F(TrainCommand, AnUnwritableFolderIsNamed) {
  const Outcome outcome = run(data() + "--output en/run --until 1u");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("en/run"), std::string::npos) << outcome.err;
}

TEST_F(TrainCommand, ADryRunPrintsThePlanAndTrainsNothing) {
  const Outcome outcome = run(data() + "--output run --until 3e --batch.by sentences --batch.size 10 --dry-run");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"parameters", "batches per epoch", "4,", "update 12, epoch 3.00", "MiB", "free memory",
                           "free disk", "at once              the largest batch", "time"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  const Outcome nowhere = run(data() + "--until 3e --dry-run");
  EXPECT_EQ(nowhere.status, 0) << nowhere.err;
  EXPECT_EQ(nowhere.out.find("free disk"), std::string::npos) << "without a folder there is no disk to look at";
}

TEST_F(TrainCommand, TheMemoryPlanIsSaidAtTheStartAndBoundedByAFraction) {
  const Outcome outcome = run(validated() + "--output run --until 1u --validation.beam 4");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("memory: "), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("search 0.0 MiB"), std::string::npos) << outcome.err;
  const Outcome cramped = run(validated() + "--output cramped --until 1u --memory-fraction 1e-9");
  EXPECT_NE(cramped.status, 0);
  EXPECT_NE(cramped.err.find("too little for a sentence pair of"), std::string::npos) << cramped.err;
}

TEST_F(TrainCommand, PartsAreKeptWhenARunGoesOn) {
  ASSERT_EQ(run(data() + "--output run --until 4u --at-once 100").status, 0);
  ASSERT_EQ(run(data() + "--output straight --until 8u --at-once 100").status, 0);
  ASSERT_EQ(run("--resume --output run --until 8u").status, 0);
  EXPECT_NE(read_all(path("run/config.yaml")).find("at-once: 100"), std::string::npos);
  EXPECT_EQ(contents(newest("run")), contents(newest("straight")));
}

TEST_F(TrainCommand, WhereTheDriverIsTooOldAGpuIsRefusedAndTheHostTrains) {
  const WithOldDriver old;
  const Outcome asked = run(data() + "--output asked --until 1u --device cuda");
  EXPECT_EQ(asked.status, 1);
  EXPECT_NE(asked.err.find("no GPU can be used: " + WithOldDriver::sentence()), std::string::npos) << asked.said();
  const Outcome automatic = run(data() + "--output run --until 1u --device auto");
  EXPECT_EQ(automatic.status, 0) << automatic.said();
}

TEST_F(TrainCommand, AGpuLearnsThePhrasebookAsTheHostDoes) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  const auto bleu = [&](const std::string& name, const std::string& where) {
    const Outcome outcome =
        run(validated() + "--output " + name + " --until 80e --validate 80e --batch.size 100 " + where);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    double last = 0;
    for (const json& line : log(name))
      if (line.at("kind") == "validation") last = line.at("scores").at("bleu");
    return last;
  };
  const double host = bleu("host", "--device cpu");
  EXPECT_GT(host, 90);
  for (const std::string precision : {"bf16", "tf32", "f32"})
    EXPECT_NEAR(bleu(precision, "--device cuda --precision " + precision), host, 3) << precision;
}

TEST_F(TrainCommand, ARunMovesBetweenHostAndGpu) {
  if (!kernels::cuda::problem().empty()) GTEST_SKIP() << kernels::cuda::problem();
  ASSERT_EQ(run(validated() + "--output run --until 30e --validate 30e --batch.size 100 --schedule.kind constant "
                              "--device cpu")
                .status,
            0);
  ASSERT_EQ(run("--resume --output run --until 60e --device cuda").status, 0);
  const Outcome outcome = run("--resume --output run --until 90e --device cpu");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  double last = 0;
  for (const json& line : log("run"))
    if (line.at("kind") == "validation") last = line.at("scores").at("bleu");
  EXPECT_GT(last, 90);
}

TEST_F(TrainCommand, VerifyResumeProvesItself) {
  const Outcome outcome = run(data() + "--output run --verify-resume --optimiser.ema 0.9");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("resumed = uninterrupted after 20 updates"), std::string::npos) << outcome.said();
}

TEST_F(TrainCommand, FineTuningKeepsTheVocabulary) {
  ASSERT_EQ(run(data() + "--output run --until 4u --no-report").status, 0);
  folder_.write("new.en", "An entirely unheard-of sentence.\n");
  folder_.write("new.de", "Ein völlig unerhörter Satz.\n");
  const Outcome outcome =
      run("--from run/model.safetensors --source new.en --target new.de --cache . --output tuned --until 2u "
          "--freeze 'encoder.*' --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const store::ModelFile before(path("run/model.safetensors")), after(path("tuned/model.safetensors"));
  EXPECT_EQ(after.info().target_tokenizer, before.info().target_tokenizer);
  EXPECT_EQ(after.info().config.embedding, 32);
  for (const store::TensorRecord& tensor : before.file().tensors()) {
    if (!tensor.name.starts_with("encoder.")) continue;
    EXPECT_EQ(after.file().read(*after.file().find(tensor.name)), before.file().read(tensor)) << tensor.name;
  }
}

TEST_F(TrainCommand, ClassifiesSentences) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += i % 2 ? "this is very good\tpraise\n" : "this is quite bad\tblame\n";
  folder_.write("reviews.tsv", lines);
  const Outcome outcome =
      run("--preset transformer-tiny --model.embedding 32 --model.transformer.size 32 --threads 1 "
          "--model.transformer.feed-forward 64 --model.transformer.encoder-layers 1 "
          "--model.transformer.dropout 0 "
          "--task classify --source reviews.tsv --valid-source reviews.tsv --cache . --output run "
          "--batch.by sentences --batch.size 5 --until 10e --validate 5e --metric accuracy");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(log("run").end()[-2].at("scores").at("accuracy"), 100);
  EXPECT_EQ(store::ModelFile(path("run/model.safetensors")).info().config.classes, 2);
}

TEST_F(TrainCommand, AveragesCheckpoints) {
  ASSERT_EQ(run(data() + "--output run --until 6u --checkpoint 3u --no-report").status, 0);
  const Outcome outcome = run_program(
      folder_, "average run/checkpoints/000000003.safetensors run/checkpoints/000000006.safetensors --output mean");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const store::ModelFile first(path("run/checkpoints/000000003.safetensors")),
      second(path("run/checkpoints/000000006.safetensors")), mean(path("mean"));
  const auto value = [](const store::ModelFile& model) {
    float number;
    model.file().read(*model.file().find("decoder.embed_tokens.weight"), 0, reinterpret_cast<char*>(&number),
                      sizeof number);
    return number;
  };
  EXPECT_NE(value(first), value(second));
  EXPECT_NEAR(value(mean), (value(first) + value(second)) / 2, 1e-6);
  EXPECT_EQ(mean.file().find("train.state"), nullptr);
  EXPECT_EQ(mean.info().source_tokenizer, first.info().source_tokenizer);
}

}  // namespace
}  // namespace dragoman::cli

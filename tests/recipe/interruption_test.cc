// Recipes that are killed, interrupted or out of time, and go on later.
#include <memory>

#include "tests/recipe/recipe_folder.h"

namespace dragoman::recipe {
namespace {

bool in_the_middle_of_training(const RecipeFolder& folder) {
  const std::string checkpoints = folder.file("systems/neural/run/checkpoints");
  return fs::exists(checkpoints) && !fs::is_empty(checkpoints) && !folder.has("systems/neural/run/model.safetensors");
}

// A folder whose runner was killed while it trained the neural system.
std::unique_ptr<RecipeFolder> killed_in_training(const std::string& text) {
  for (;;) {
    auto folder = std::make_unique<RecipeFolder>(text);
    Background runner(*folder, "log");
    wait_until([&] { return folder->has("systems/neural/run/checkpoints"); });
    runner.end(SIGKILL);
    // On a busy machine the signal may come too late.
    if (!folder->read("systems/neural/steps/1.json")["finished"]) return folder;
  }
}

TEST(RecipeRun, GoesOnAfterItWasKilledAndGivesTheSameResults) {
  const std::string text = recipe_text("1500u");
  const std::unique_ptr<RecipeFolder> interrupted = killed_in_training(text);
  const RecipeFolder whole(text);
  const Outcome outcome = interrupted->run();
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  ASSERT_EQ(whole.run().status, 0);
  const std::string log = interrupted->text("systems/neural/steps/1.log");
  EXPECT_NE(log.find("batches per epoch"), log.rfind("batches per epoch")) << log;
  for (const char* file : {"systems/neural/tests/test.txt", "systems/neural/tests/test.perplexity.json",
                           "systems/words/tests/test.txt", "comparisons/test.json"})
    EXPECT_EQ(interrupted->text(file), whole.text(file)) << file;
}

TEST(RecipeRun, SaysWhatHasChangedWhenItGoesOn) {
  const std::unique_ptr<RecipeFolder> folder = killed_in_training(recipe_text("1Mu"));
  Outcome outcome = folder->run("--device cpu --budget 1s");
  EXPECT_NE(outcome.said().find("neural: training goes on, with --device cpu"), std::string::npos) << outcome.said();
  fs::create_directories(folder->file("systems/neural/run.old"));  // of a change before
  folder->write(recipe_text("30u"));
  outcome = folder->run("--device cpu");
  for (const char* words :
       {"neural: the command of step 1, train, has changed (--until 30u instead of --until 1Mu)",
        "neural: training starts again; the run of the command before is kept in out/systems/neural/run.old.2"})
    EXPECT_NE(outcome.said().find(words), std::string::npos) << words << "\n" << outcome.said();
}

TEST(RecipeRun, StopsInGoodOrderWhenItsTerminalIsClosed) {
  const RecipeFolder folder(recipe_text("1Mu"));
  Background runner(folder, "log");
  wait_until([&] { return in_the_middle_of_training(folder); });
  EXPECT_EQ(runner.end(SIGHUP), 128 + SIGHUP);
  EXPECT_TRUE(folder.has("report/index.html")) << read_all(folder.path() + "/log");
}

TEST(RecipeRun, DoesNotPromiseToGoOnWhenNothingIsLeft) {
  const RecipeFolder folder(recipe_text("20u"));
  ASSERT_EQ(folder.run().status, 0);
  const Outcome outcome = folder.run("--budget 0.001s");
  EXPECT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_EQ(outcome.said().find("the budget is used up"), std::string::npos) << outcome.said();
}

TEST(RecipeRun, StopsInGoodOrderWhenInterrupted) {
  const RecipeFolder folder(recipe_text("1Mu"));
  Background runner(folder, "log");
  wait_until([&] { return in_the_middle_of_training(folder); });
  EXPECT_EQ(runner.end(SIGINT), 128 + SIGINT);
  const std::string said = read_all(folder.path() + "/log");
  EXPECT_NE(said.find("interrupted; the same command goes on from here"), std::string::npos) << said;
  EXPECT_NE(folder.text("systems/neural/run/log.jsonl").find("\"kind\":\"end\""), std::string::npos);
  EXPECT_NE(folder.status().out.find("interrupted at step 1 of 5, train"), std::string::npos) << folder.status().out;
  EXPECT_GT(folder.read("systems/neural/steps/1.json")["seconds"], 0);
}

TEST(RecipeRun, CountsTheTimeOfAllSessionsOfATrainingRun) {
  const std::unique_ptr<RecipeFolder> folder = killed_in_training(recipe_text("1500u"));
  json record = folder->read("systems/neural/steps/1.json");
  record["seconds"] = 7200;
  std::ofstream(folder->file("systems/neural/steps/1.json")) << record;
  const Outcome outcome = folder->run();
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  EXPECT_GT(folder->read("systems/neural/result.json")["steps"][0]["seconds"], 7200);
  EXPECT_NE(outcome.said().find("neural: finished after 2:00:"), std::string::npos) << outcome.said();
}

// The last update in the log of the neural system; 0 if there is none.
int last_update(const RecipeFolder& folder) {
  const std::string log = folder.text("systems/neural/run/log.jsonl"), key = "\"update\":";
  const std::size_t at = log.rfind(key);
  return at == std::string::npos ? 0 : std::stoi(log.substr(at + key.size()));
}

TEST(RecipeRun, StopsWhenItsBudgetIsUsedUpAndGoesOnLater) {
  const RecipeFolder folder(recipe_text("1Mu"));
  int updates = 0, seconds = 2;
  for (int i = 0; i < 2; ++i) {
    // The machine may be too slow to make an update within the first budget.
    for (const int before = updates; updates == before; seconds *= 2) {
      ASSERT_LE(seconds, 128);
      const Outcome outcome = folder.run("--budget " + std::to_string(seconds) + "s");
      ASSERT_EQ(outcome.status, 0) << outcome.said();
      EXPECT_NE(outcome.said().find("the budget is used up"), std::string::npos) << outcome.said();
      EXPECT_FALSE(folder.has("systems/neural/result.json"));
      updates = last_update(folder);
      ASSERT_GE(updates, before);
    }
    seconds /= 2;
  }
}

TEST(RecipeRun, DeletesNoTrainingRunOfUnknownOrigin) {
  const std::unique_ptr<RecipeFolder> folder = killed_in_training(recipe_text("1500u"));
  fs::remove(folder->file("systems/neural/steps/1.json"));
  const std::string status = folder->status().out;
  EXPECT_NE(status.find("neural  damaged: the record of step 1 of 5, train, is missing; remove out/systems/neural/run"),
            std::string::npos)
      << status;
  const Outcome outcome = folder->run();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.said().find("the record of the command that made it is missing"), std::string::npos)
      << outcome.said();
  EXPECT_TRUE(folder->has("systems/neural/run/checkpoints"));
}

// A folder whose runner was sent SIGTERM while it trained two systems at the same time.
std::unique_ptr<RecipeFolder> stopped_in_two_systems(const std::string& text) {
  for (;;) {
    auto folder = std::make_unique<RecipeFolder>(text);
    Background runner(*folder, "log", "--jobs=2");
    wait_until(
        [&] { return folder->has("systems/neural/run/checkpoints") && folder->has("systems/other/run/checkpoints"); });
    EXPECT_EQ(runner.end(SIGTERM), 128 + SIGTERM);
    // On a busy machine the signal may come too late.
    if (!folder->read("systems/neural/steps/1.json")["finished"] &&
        !folder->read("systems/other/steps/1.json")["finished"])
      return folder;
  }
}

TEST(RecipeRun, StopsSeveralSystemsWithCheckpointsAndGoesOnWithTheSameBits) {
  const std::string text = recipe_text("1000u", "  other: {train: --until 1000u --seed 2}\n");
  const std::unique_ptr<RecipeFolder> stopped = stopped_in_two_systems(text);
  const std::string said = read_all(stopped->path() + "/log"), status = stopped->status().out;
  for (const char* words : {"not finished: neural, other", "interrupted; the same command goes on from here"})
    EXPECT_NE(said.find(words), std::string::npos) << words << "\n" << said;
  for (const char* name : {"neural", "other"}) {
    EXPECT_NE(stopped->text(std::string("systems/") + name + "/run/log.jsonl").find("\"kind\":\"end\""),
              std::string::npos)
        << name << " has saved its state";
    const std::size_t line = status.find(name);
    EXPECT_NE(status.substr(line, status.find('\n', line) - line).find("interrupted at step 1 of 5, train"),
              std::string::npos)
        << status;
  }
  const Outcome outcome = stopped->run("--jobs 2");
  ASSERT_EQ(outcome.status, 0) << outcome.said();
  const RecipeFolder whole(text);
  ASSERT_EQ(whole.run().status, 0);
  for (const char* file : {"systems/neural/tests/test.txt", "systems/other/tests/test.txt",
                           "systems/other/tests/test.perplexity.json", "comparisons/test.json"})
    EXPECT_EQ(stopped->text(file), whole.text(file)) << file;
}

TEST(RecipeRun, LosesNothingWhenItIsInterruptedAgainAndAgain) {
  const std::string text = recipe_text("100u", "  other: {train: --until 100u --seed 2}\n");
  const RecipeFolder folder(text);
  int interruptions = 0;
  // Preparation, systems, figures and comparisons all get their turn, since every run goes on where the last one ended.
  for (std::chrono::milliseconds time{200};; time += std::chrono::milliseconds(100), ++interruptions) {
    Background runner(folder, "log", "--jobs=2");
    std::this_thread::sleep_for(time);
    const int status = runner.end(interruptions % 2 == 0 ? SIGTERM : SIGINT);
    if (status == 0) break;
    ASSERT_EQ(status, 128 + (interruptions % 2 == 0 ? SIGTERM : SIGINT)) << read_all(folder.path() + "/log");
    ASSERT_LT(interruptions, 200);
  }
  EXPECT_GT(interruptions, 0);
  const RecipeFolder whole(text);
  ASSERT_EQ(whole.run().status, 0);
  for (const char* file : {"systems/neural/tests/test.txt", "systems/other/tests/test.txt",
                           "systems/words/tests/test.json", "comparisons/test.json", "figures/links/1.json"})
    EXPECT_EQ(folder.text(file), whole.text(file)) << file;
  const std::string log = read_all(folder.path() + "/log");
  for (const char* words : {"failed with status", "cannot"}) EXPECT_EQ(log.find(words), std::string::npos) << log;
}

}  // namespace
}  // namespace dragoman::recipe

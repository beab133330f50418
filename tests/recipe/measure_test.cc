#include "recipe/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "recipe/training_log.h"
#include "tests/recipe/sample_results.h"
#include "tests/support/errors.h"

namespace dragoman::recipe::measuring {
namespace {

// The finished system "base" of the sample.
SystemResult measure(const SampleResults& sample) {
  Job job;
  job.name = "base";
  job.folder = sample.folder.system("base");
  return measure_system(sample.recipe, sample.folder, sample.recipe.system("base"), job, {});
}

TEST(Measure, LeavesOutWhatIsNotFinite) {
  const SampleResults sample;
  sample.write("systems/base/tests/news-test.json",
               R"({"system":"x","bleu":{"score":1.5,"signature":"s"},"chrf":{"score":null,"signature":"s"}})");
  const SystemResult result = measure(sample);
  EXPECT_EQ(result.values.at("news-test.bleu"), 1.5);
  EXPECT_EQ(result.signatures.at("news-test.bleu"), "s");
  EXPECT_FALSE(result.values.contains("news-test.chrf"));
  EXPECT_EQ(result.values.at("train.perplexity"), 20);
}

TEST(Measure, NamesTheFileThatIsMissingOrDamaged) {
  const SampleResults sample;
  const std::string path = sample.write("systems/base/tests/news-test.json", R"({"bleu":{"score":1,"signature":7}})");
  EXPECT_EQ(support::message([&] { measure(sample); }),
            path + ": not the output of `dragoman evaluate --json`; remove it to measure again");
  std::filesystem::remove(path);
  EXPECT_EQ(support::message([&] { measure(sample); }),
            path + ": expected the output of `dragoman evaluate --json`, but there is no such file");
}

// A step of the job "base" that ran on `gpu`.
void record(const SampleResults& sample, const Job& job, std::size_t step, const std::string& gpu) {
  sample.write(fmt::format("systems/base/steps/{}.json", step + 1),
               fmt::format(R"({{"recorded":"r","command":"c","seconds":1,"finished":true,"gpu":"{}"}})", gpu));
  ASSERT_EQ(read_record(job, step).gpu, gpu);
}

TEST(Measure, TheHardwareIsThatOfTheStepsThatMadeTheModel) {
  const SampleResults sample;
  Job job;
  job.name = "base";
  job.folder = sample.folder.system("base");
  job.steps.resize(3);
  const auto gpu = [&] {
    return measure_system(sample.recipe, sample.folder, sample.recipe.system("base"), job, {}).environment.gpu;
  };
  for (std::size_t i = 0; i < 3; ++i) record(sample, job, i, "");
  EXPECT_EQ(gpu(), "");
  record(sample, job, 1, "GPU of the tests");
  EXPECT_EQ(gpu(), "GPU of the tests");
  record(sample, job, 0, "GPU of training");
  EXPECT_EQ(gpu(), "GPU of training");
}

TEST(TrainingLog, OfARunThatDivergesHasTheFinitePart) {
  const support::TempFolder folder;
  TrainingLog log(folder.write("log.jsonl", R"({"kind":"train","update":1,"epoch":0.5,"tokens":10,"loss":3,"nll":2}
{"kind":"validation","update":1,"epoch":0.5,"tokens":10,"scores":{"perplexity":8},"seconds":1}
{"kind":"validation","update":1,"epoch":0.5,"tokens":10,"scores":{"perplexity":9},"seconds":0}
{"kind":"train","update":2,"epoch":1,"tokens":20,"loss":null,"nll":null,"tokens_per_second":null}
{"kind":"validation","update":2,"epoch":1,"tokens":20,"scores":{"perplexity":null},"seconds":1}
{"kind":"end","update":2,"epoch":1,"tokens":20,"seconds":null}
)"));
  ASSERT_TRUE(log.update());
  EXPECT_EQ(log.position().updates, 2u);
  EXPECT_EQ(log.best_perplexity(), 8);
  EXPECT_EQ(log.last_perplexity(), 9);
  EXPECT_EQ(log.last_epoch_loss(), 2);
  EXPECT_TRUE(std::isnan(log.loss()));
  EXPECT_EQ(log.validation_seconds(), 2);
  EXPECT_FALSE(log.seconds());
}

}  // namespace
}  // namespace dragoman::recipe::measuring

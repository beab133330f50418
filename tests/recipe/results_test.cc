#include "recipe/results.h"

#include <gtest/gtest.h>

#include "recipe/plan.h"
#include "tests/recipe/sample_results.h"
#include "tests/support/errors.h"

namespace dragoman::recipe {
namespace {

// The system "base" of the sample, after a training step and the translation of its test set.
SystemResult measured(const SampleResults& sample) {
  Job job;
  job.name = "base";
  job.folder = sample.folder.system("base");
  job.steps.resize(2);
  job.steps[0].run = job.folder + "/run";
  job.steps[1].title = "translate news-test";
  sample.write("systems/base/steps/2.json", R"({"recorded":"r","command":"c","seconds":3,"finished":true})");
  return measure_system(sample.recipe, sample.folder, job);
}

TEST(Measure, CollectsFiniteScoresAndTimes) {
  const SampleResults sample;
  sample.write("systems/base/tests/news-test.json",
               R"({"system":"x","bleu":{"score":1.5,"ci95":0.5,"signature":"s"},"chrf":{"score":null}})");
  sample.write(
      "systems/base/run/log.jsonl",
      R"({"kind":"start","parameters":9,"device":"cuda:0","hardware":"H100","settings":{"seed":3,"vocab.type":"bpe","model.target-vocabulary":80}}
{"kind":"train","update":10,"epoch":0.5,"nll":7}
{"kind":"validation","update":10,"epoch":0.5,"scores":{"perplexity":8},"seconds":1}
{"kind":"train","update":20,"epoch":1.8,"nll":2}
{"kind":"train","update":20,"epoch":2,"nll":null}
{"kind":"validation","update":20,"epoch":2,"scores":{"perplexity":null},"seconds":1}
{"kind":"end","update":20,"epoch":2,"seconds":6}
)");
  const SystemResult result = measured(sample);
  const auto value = [&](const char* name) { return result.values.at(name).number; };
  EXPECT_EQ(value("news-test.bleu"), 1.5);
  EXPECT_EQ(result.values.at("news-test.bleu").half_width, 0.5);
  EXPECT_EQ(result.values.at("news-test.bleu").signature, "s");
  EXPECT_FALSE(result.values.contains("news-test.chrf"));
  EXPECT_EQ(value("news-test.seconds"), 3);
  EXPECT_EQ(value("train.updates"), 20);
  EXPECT_EQ(value("train.perplexity"), 8);
  EXPECT_EQ(value("train.loss"), 2) << "the mean of the last epoch";
  EXPECT_EQ(value("train.seconds"), 6);
  EXPECT_EQ(value("train.seconds-per-update"), 0.2) << "without validation";
  EXPECT_EQ(result.seed, "3");
  EXPECT_EQ(result.vocabulary, "80 (bpe)");
  EXPECT_EQ(result.hardware, "H100");
}

TEST(Measure, NamesTheFileThatIsMissingOrDamaged) {
  const SampleResults sample;
  const std::string path = sample.write("systems/base/tests/news-test.json", R"({"bleu":)");
  EXPECT_EQ(support::message([&] { measured(sample); }),
            path + ": not the output of `dragoman evaluate --json`; remove it to measure again");
  std::filesystem::remove(path);
  EXPECT_EQ(support::message([&] { measured(sample); }),
            path + ": expected the output of `dragoman evaluate --json`, but there is no such file");
}

}  // namespace
}  // namespace dragoman::recipe

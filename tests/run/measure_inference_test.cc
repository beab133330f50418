// The time of inference against length: what is measured, how often, and what happens where memory runs out.
#include "run/measure_inference.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/fillings.h"
#include "models/presets.h"
#include "tests/support/errors.h"

namespace dragoman::run {
namespace {

InferenceOptions small_inference() {
  InferenceOptions options;
  options.model = models::preset("transformer-base");
  options.model.embedding = options.model.transformer.size = 16;
  options.model.attention.heads = 2;
  options.model.transformer.feed_forward = 16;
  options.model.transformer.encoder_layers = options.model.transformer.decoder_layers = 1;
  options.lengths = {"4,8", "32"};
  options.linformer = {"0,4"};
  options.tokens = 64;
  options.vocabulary = 20;
  options.repeats = 2;
  return options;
}

Placement on_host() { return find_placement({.device = "cpu"}); }

std::string settings_of(models::ModelConfig config) { return Settings(config).dump(); }

// A clock that advances by one second per reading.
struct CountingClock {
  int readings = 0;
  double operator()() { return ++readings; }
};

// The CPU with little memory.
class SmallHost final : public Device {
 public:
  explicit SmallHost(std::size_t bytes) : Device(kernels::cpu(), kernels::reference<double>(), half()), bytes_(bytes) {}

  const char* name() const override { return "small host"; }
  bool on_host() const override { return true; }
  void* allocate(std::size_t bytes) const override { return cpu_device().allocate(bytes); }
  void release(void* memory) const override { cpu_device().release(memory); }
  FreeMemory memory() const override { return {bytes_, bytes_}; }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const override {
    cpu_device().copy_from_host(to, from, bytes);
  }
  void copy_to_host(std::span<const kernels::HostCopy> copies) const override { cpu_device().copy_to_host(copies); }
  void clear(void* memory, std::size_t bytes) const override { cpu_device().clear(memory, bytes); }
  std::unique_ptr<Delivery> delivery(std::size_t bytes) const override { return cpu_device().delivery(bytes); }

 private:
  static const kernels::Kernels<kernels::bf16>& half() {
    static const kernels::Kernels<kernels::bf16> empty("small host");
    return empty;
  }

  std::size_t bytes_;
};

TEST(MeasureInference, EveryBatchHasTheSameNumberOfTokens) {
  const std::vector<InferenceSeries> series = plan_inference(small_inference());
  ASSERT_EQ(series.size(), 2u);
  for (const InferenceSeries& one : series) {
    ASSERT_EQ(one.points.size(), 3u);
    for (const InferencePoint& point : one.points) EXPECT_EQ(point.length * point.sentences, 64);
  }
  EXPECT_EQ(series[1].points[2].length, 32);
}

TEST(MeasureInference, ASeriesOfTheTransformerIsThePresetOfThatLinformer) {
  InferenceOptions options;
  options.model = models::preset("transformer-base");
  options.lengths = {"128", "256"};
  options.linformer = {"0", "32", "64", "128"};
  options.vocabulary = options.model.source_vocabulary;
  const std::vector<InferenceSeries> series = plan_inference(options);
  const char* const presets[] = {"transformer-base", "linformer-k32", "linformer-k64", "linformer-k128"};
  ASSERT_EQ(series.size(), std::size(presets));
  for (std::size_t i = 0; i < series.size(); ++i)
    EXPECT_EQ(settings_of(series[i].model), settings_of(models::preset(presets[i]))) << presets[i];
}

TEST(MeasureInference, WithoutAListOfKsThePresetIsTheOnlySeries) {
  InferenceOptions options;
  options.preset = "linformer-k64";
  options.model = models::preset(options.preset);
  const std::vector<InferenceSeries> series = plan_inference(options);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "linformer-k64");
  EXPECT_EQ(series[0].model.attention.linformer, 64);
}

TEST(MeasureInference, ModelsTakeSentencesLongerThanTheirSettingsAllow) {
  InferenceOptions options = small_inference();
  options.model.transformer.max_positions = options.model.attention.linformer_length = 16;
  ASSERT_EQ(options.lengths.back(), "32");
  for (const InferenceSeries& one : measure_inference(options, on_host()))
    EXPECT_TRUE(one.points.back().seconds.has_value()) << one.name << ": " << one.points.back().problem;
}

TEST(MeasureInference, TheClockIsReadAroundTimedPassesOnly) {
  InferenceOptions options = small_inference();
  options.warmup = 3;
  options.repeats = 5;
  for (const TimedPass what : {TimedPass::encoder, TimedPass::encoder_decoder, TimedPass::training}) {
    options.what = what;
    CountingClock clock;
    const std::vector<InferenceSeries> series = measure_inference(options, on_host(), std::ref(clock));
    EXPECT_EQ(clock.readings, 2 * 5 * 6);  // before and after each of five passes at three lengths of two series
    for (const InferenceSeries& one : series)
      for (const InferencePoint& point : one.points) {
        ASSERT_TRUE(point.seconds.has_value()) << point.problem;
        EXPECT_EQ(point.seconds->mean, 1);
        EXPECT_EQ(point.seconds->deviation, 0);
      }
  }
}

TEST(MeasureInference, AnyFamilyOfModelsCanBeMeasured) {
  InferenceOptions options = small_inference();
  options.model = models::preset("lstm-luong");
  options.linformer.clear();
  for (const TimedPass what : {TimedPass::encoder_decoder, TimedPass::training}) {
    options.what = what;
    const std::vector<InferenceSeries> series = measure_inference(options, on_host());
    for (const InferencePoint& point : series[0].points) {
      ASSERT_TRUE(point.seconds.has_value()) << point.problem;
      EXPECT_GT(point.seconds->mean, 0);
    }
  }
}

// A Linformer computes k rows per sentence, so short sentences, of which a batch has many, take the most memory.
TEST(MeasureInference, WhereMemoryRunsOutTheOtherLengthsAreMeasured) {
  InferenceOptions options = small_inference();
  options.what = TimedPass::encoder;
  options.tokens = 512;
  options.lengths = {"128", "2", "512"};
  options.linformer = {"128"};
  options.warmup = options.repeats = 1;
  const SmallHost device(std::size_t{3} << 20);
  const std::vector<InferencePoint> points = measure_inference(options, {device, DType::f32})[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_TRUE(points[0].seconds.has_value()) << points[0].problem;
  EXPECT_FALSE(points[1].seconds.has_value());
  EXPECT_NE(points[1].problem.find("limit of 3145728 bytes on small host"), std::string::npos) << points[1].problem;
  EXPECT_TRUE(points[2].seconds.has_value()) << points[2].problem;
}

TEST(MeasureInference, ImpossibleLengthsAreRefused) {
  const auto refusal = [](std::vector<std::string> lengths, std::vector<std::string> linformer) {
    InferenceOptions options = small_inference();
    options.lengths = std::move(lengths);
    options.linformer = std::move(linformer);
    return support::message([&] { plan_inference(options); });
  };
  EXPECT_EQ(refusal({"8,12"}, {}),
            "--tokens 64 cannot be divided into sentences of 12 tokens; choose a multiple of every length");
  EXPECT_EQ(refusal({"0"}, {}), "--lengths: expected numbers of at least 1, but got 0");
  EXPECT_EQ(refusal({}, {}), "--lengths: expected at least one length");
  EXPECT_EQ(refusal({"8"}, {"-1"}), "--linformer: expected numbers of at least 0, but got -1");
}

TEST(MeasureInference, TimesAreSummarisedByMeanMedianAndDeviation) {
  const PassTime time = summarise({6, 1, 3, 2});
  EXPECT_DOUBLE_EQ(time.mean, 3);
  EXPECT_DOUBLE_EQ(time.median, 2.5);
  EXPECT_NEAR(time.deviation, 2.160246899469287, 1e-15);  // Python: statistics.stdev([6, 1, 3, 2])
  EXPECT_EQ(summarise({2}).deviation, 0);
  EXPECT_EQ(summarise({5, 1, 2}).median, 2);
}

TEST(MeasureInference, ResultsBecomeJson) {
  const InferenceOptions options = small_inference();
  std::vector<InferenceSeries> series = plan_inference(options);
  series[0].points[0].seconds = PassTime{0.5, 0.25, 0.125};
  series[1].points[2].problem = "no memory is left";
  const nlohmann::ordered_json json = to_json(options, on_host(), series);
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["precision"], "f32");
  EXPECT_EQ(json["what"], "encoder-decoder");
  ASSERT_EQ(json["series"].size(), 2u);
  EXPECT_EQ(json["series"][1]["name"], "Linformer k = 4");
  ASSERT_EQ(json["series"][1]["points"].size(), 3u);
  EXPECT_EQ(json["series"][0]["points"][0].dump(),
            R"({"length":4,"batch":16,"mean":0.5,"median":0.25,"deviation":0.125})");
  EXPECT_EQ(json["series"][1]["points"][2].dump(),
            R"({"length":32,"batch":2,"mean":null,"median":null,"deviation":null,"problem":"no memory is left"})");
}

}  // namespace
}  // namespace dragoman::run

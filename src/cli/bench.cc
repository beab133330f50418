#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "cli/command.h"
#include "models/presets.h"
#include "run/json_text.h"
#include "run/measure_inference.h"
#include "run/model_description.h"

namespace dragoman::cli {
namespace {

struct BenchOptions {
  run::InferenceOptions measured;
  bool json = false;
  ComputeOptions compute;

  template <class V>
  void visit(V& v) {
    v.section("Output");
    v("json", json, "print JSON");
    measured.visit(v);
    compute.visit(v);
  }
};

void print(const run::InferenceOptions& options, const Placement& where,
           const std::vector<run::InferenceSeries>& series) {
  fmt::print("{} of {}, {} tokens per batch, {} on {}, repeats {}, warmup {}\n\n", name_of(options.what),
             options.preset, with_commas(options.tokens), run::precision_name(where), where.device.name(),
             options.repeats, options.warmup);
  fmt::print("{:<20} {:>6} {:>6} {:>10} {:>10} {:>10} {:>12}\n", "series", "length", "batch", "seconds", "median",
             "deviation", "tokens/s");
  for (const run::InferenceSeries& one : series)
    for (const run::InferencePoint& point : one.points) {
      fmt::print("{:<20} {:>6} {:>6} ", one.name, point.length, point.sentences);
      if (point.seconds)
        fmt::print("{:>10.6f} {:>10.6f} {:>10.6f} {:>12}\n", point.seconds->mean, point.seconds->median,
                   point.seconds->deviation,
                   with_commas(static_cast<std::int64_t>(options.tokens / point.seconds->mean)));
      else
        fmt::print("out of memory: {}\n", point.problem);
    }
}

int run(const Command& self, const Words& arguments) {
  BenchOptions asked, options;
  Settings(asked).parse(arguments);
  const std::string& preset = asked.measured.preset;
  check(!run::is_statistical(preset), "'{}' is a statistical model; bench measures neural ones", preset);
  Settings settings(options);
  settings.read_yaml_part(models::preset_text(preset), preset, "model");
  const Parsed parsed = settings.parse(arguments);
  if (answered(self, settings, parsed)) return 0;
  expect_words(parsed.positional, 0, "bench takes flags only");
  threads::set_count(options.compute.threads);
  const Placement where = find_placement(options.compute);
  const std::vector<run::InferenceSeries> series = run::measure_inference(options.measured, where);
  if (options.json)
    fmt::print("{}\n", run::to_text(run::to_json(options.measured, where, series), 2));
  else
    print(options.measured, where, series);
  return 0;
}

void describe(const UseSettings& use) {
  BenchOptions options;
  use(Settings(options));
}

}  // namespace

extern const Command bench{
    "bench",
    "--preset NAME --lengths N,N,...",
    "measures the time of inference, or of training updates, against sentence length",
    run,
    describe,
    "# exact attention and Linformers of three sizes, encoder alone\n"
    "dragoman bench --preset transformer-base --linformer 0,32,64,128 --what encoder\n"
    "# a training update with batches of 88 sentences of 44 tokens\n"
    "dragoman bench --preset transformer-base --what training --lengths 44 --tokens 3872\n"
    "# a smaller measurement, for a CPU\n"
    "dragoman bench --preset transformer-small --linformer 0,32 --lengths 64,256,1024 --tokens 2048 --json"};

}  // namespace dragoman::cli

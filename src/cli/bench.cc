#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/progress.h"
#include "cli/command.h"
#include "models/presets.h"
#include "run/json_text.h"
#include "run/measure_inference.h"
#include "run/measure_translation.h"
#include "run/model_description.h"

namespace dragoman::cli {
namespace {

// Without a model file, bench measures models of any size with random weights.
struct BenchOptions {
  std::string file;  // the model file, which is no flag
  run::SpeedOptions speed;
  run::InferenceOptions measured;
  bool json = false;
  ComputeOptions compute;

  template <class V>
  void visit(V& v) {
    v.section("Output");
    v("json", json, "print JSON");
    speed.visit(v);
    measured.visit(v);
    compute.visit(v);
    v.only_if(
        "input beam seconds shortlist", [this] { return !file.empty(); },
        "it is for the speed of a model file, and none is named: dragoman bench MODEL --input FILE");
    v.only_if(
        "preset what lengths linformer tokens vocabulary warmup repeats seed model.", [this] { return file.empty(); },
        "the speed of a model file is measured");
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

int measure_file(const BenchOptions& options) {
  const std::vector<run::TranslationSpeed> speeds =
      run::measure_translation(options.file, options.speed, options.compute);
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const run::TranslationSpeed& one : speeds)
      list.push_back({{"precision", name_of(one.precision)},
                      {"batch", one.batch},
                      {"words_per_second", one.words},
                      {"tokens_per_second", one.tokens},
                      {"milliseconds_per_sentence", one.milliseconds}});
    const nlohmann::ordered_json all = {
        {"model", options.file},
        {"machine", run::machine_json()},
        {"device", find_device(options.compute.device).name()},
        {"threads", threads::count()},
        {"beam", options.speed.beam},
        {"shortlist", run::uses_shortlist(options.file, options.speed, options.compute)},
        {"speeds", list}};
    fmt::print("{}\n", run::to_text(all, 2));
    return 0;
  }
  fmt::print(
      "{} on {}, beam {}, {}, {}\n\n", options.file, find_device(options.compute.device).name(), options.speed.beam,
      counted(threads::count(), "thread"),
      run::uses_shortlist(options.file, options.speed, options.compute) ? "with its shortlist" : "without a shortlist");
  fmt::print("{:<10} {:<18} {:>16} {:>16} {:>16}\n", "precision", "sentences", "source words/s", "target tokens/s",
             "ms per sentence");
  for (const run::TranslationSpeed& one : speeds)
    fmt::print("{:<10} {:<18} {:>16} {:>16} {:>16.2f}\n", name_of(one.precision),
               one.batch == 1 ? "one at a time" : fmt::format("in batches of {}", one.batch),
               with_commas(static_cast<std::int64_t>(one.words)), with_commas(static_cast<std::int64_t>(one.tokens)),
               one.milliseconds);
  return 0;
}

int run_bench(const Command& self, const Words& arguments) {
  BenchOptions asked, options;
  Settings(asked).parse(arguments);
  const std::string& preset = asked.measured.preset;
  check(!run::is_statistical(preset), "'{}' is a statistical model; bench measures neural ones", preset);
  Settings settings(options);
  settings.read_yaml_part(models::preset_text(preset), preset, "model");
  const Parsed parsed = settings.parse(arguments);
  if (answered(self, settings, parsed)) return 0;
  if (!parsed.positional.empty()) {
    expect_words(parsed.positional, 1, "expected one model file, or flags only");
    options.file = parsed.positional.front();
  }
  settings.check_effects(parsed);
  threads::set_count(options.compute.threads);
  if (!options.file.empty()) return measure_file(options);
  const bool trains = options.measured.what == run::TimedPass::training;
  const Placement where = find_placement(options.compute, trains ? Use::training : Use::inference);
  const std::vector<run::InferenceSeries> series = run::measure_inference(options.measured, where);
  if (options.json)
    fmt::print("{}\n", run::to_text(run::to_json(options.measured, where, series), 2));
  else
    print(options.measured, where, series);
  return 0;
}

void describe_bench(const UseSettings& use) {
  BenchOptions options;
  use(Settings(options));
}

}  // namespace

extern const Command bench{
    "bench",
    "MODEL --input FILE | --preset NAME --lengths N,N,...",
    "measures the speed of a model file, or the time of models against sentence length",
    run_bench,
    describe_bench,
    "# how fast does this machine translate, at which precision?\n"
    "dragoman bench run/model.safetensors --input test.de\n"
    "# exact attention and Linformers of three sizes, encoder alone\n"
    "dragoman bench --preset transformer-base --linformer 0,32,64,128 --what encoder\n"
    "# a training update with batches of 88 sentences of 44 tokens\n"
    "dragoman bench --preset transformer-base --what training --lengths 44 --tokens 3872\n"
    "# a smaller measurement, for a CPU\n"
    "dragoman bench --preset transformer-small --linformer 0,32 --lengths 64,256,1024 --tokens 2048 --json"};

}  // namespace dragoman::cli

#include "run/measure_inference.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/join.h"
#include "base/machine.h"
#include "base/progress.h"
#include "base/threads.h"
#include "base/version.h"
#include "models/embedding.h"
#include "models/seq2seq.h"
#include "train/optimiser.h"
#include "train/task.h"

namespace dragoman::run {
namespace {

using Json = nlohmann::ordered_json;

std::vector<int> numbers(const char* key, const std::vector<std::string>& words, int least) {
  std::vector<int> list;
  for (const std::string& word : split_list(words)) {
    const std::int64_t number = text_value::parse_integer(word);
    check(number >= least && std::in_range<int>(number), "--{}: expected numbers of at least {}, but got {}", key,
          least, number);
    list.push_back(static_cast<int>(number));
  }
  return list;
}

// The lengths, each of which fills a batch with whole sentences.
std::vector<int> lengths_of(const InferenceOptions& options) {
  const std::vector<int> lengths = numbers("lengths", options.lengths, 1);
  check(!lengths.empty(), "--lengths: expected at least one length");
  for (const int length : lengths)
    check(options.tokens % length == 0,
          "--tokens {} cannot be divided into sentences of {} tokens; choose a multiple of every length",
          options.tokens, length);
  return lengths;
}

// Sentences of one length with random token ids: on the host, and on the device before the clock starts.
struct Batch {
  data::Batch host;
  Packed source, target;
};

data::PackedRows random_sentences(const InferenceOptions& options, int length, Random& random) {
  data::PackedRows rows;
  for (int i = 1; i <= options.tokens; ++i) {
    rows.tokens.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(options.vocabulary))));
    if (i % length == 0) rows.end_row();
  }
  return rows;
}

Batch random_batch(const Context& cx, const InferenceOptions& options, int length) {
  Random random(options.seed, static_cast<std::uint64_t>(length));
  Batch batch;
  batch.host.source = random_sentences(options, length, random);
  batch.host.target = random_sentences(options, length, random);
  batch.host.labels = batch.host.target.tokens;
  batch.source = Packed::from_host(cx, batch.host.source.tokens, batch.host.source.offsets);
  batch.target = Packed::from_host(cx, batch.host.target.tokens, batch.host.target.offsets);
  return batch;
}

// A model that can be timed. run() leaves its results in the workspace.
class TimedModel {
 public:
  virtual ~TimedModel() = default;
  virtual void run(Workspace& work, const Batch& batch) = 0;
};

void draw_weights(nn::Parameters& parameters, const InferenceOptions& options, const Placement& where) {
  parameters.allocate(where.device, where.type, options.seed, false);
  parameters.pack(where.weights);
}

class TimedSeq2seq final : public TimedModel {
 public:
  TimedSeq2seq(const models::ModelConfig& config, const InferenceOptions& options, const Placement& where)
      : model_(config) {
    draw_weights(model_.parameters(), options, where);
  }
  void run(Workspace& work, const Batch& batch) override {
    Context cx(work);
    const models::Memory memory = model_.encode(cx, batch.source);
    models::State state = model_.start(cx, memory, false);
    model_.logits(cx, model_.decode(cx, batch.target, memory, state).features);
  }

 private:
  models::Seq2seq model_;
};

class TimedEncoder final : public TimedModel {
 public:
  TimedEncoder(const models::ModelConfig& config, const InferenceOptions& options, const Placement& where) {
    models::check_config(config);
    encoder_ = models::family_of(config).make_encoder(parameters_, config,
                                                      models::WordEmbedding::of_source(parameters_, config));
    draw_weights(parameters_, options, where);
  }
  void run(Workspace& work, const Batch& batch) override {
    Context cx(work);
    encoder_->encode(cx, batch.source);
  }

 private:
  nn::Parameters parameters_;
  std::unique_ptr<models::Encoder> encoder_;
};

// An update as the trainer makes it, from a batch on the host to new weights.
class TimedTraining final : public TimedModel {
 public:
  TimedTraining(const models::ModelConfig& config, const InferenceOptions& options, const Placement& where)
      : task_(config), seed_(options.seed) {
    task_.parameters().allocate(where.device, where.type, options.seed, true);
    weights_.emplace(task_.parameters());
    optimiser_.emplace(train::OptimiserOptions(), *weights_);
  }
  void run(Workspace& work, const Batch& batch) override {
    task_.parameters().gradients().clear();
    Context cx = Context::training(work, seed_, ++updates_);
    const Tensor sums = cx.zeros(DType::f64, {3, 1});
    task_.learn(cx, batch.host, {}, 1 / static_cast<double>(batch.host.labels.size()), {sums.row_view(0, 2)});
    sum_squares(task_.parameters().gradients(), sums.row_view(2, 1));
    optimiser_->step(kRate, updates_, sums.row_view(2, 1));
  }

 private:
  static constexpr double kRate = 1e-6;  // random labels teach nothing
  train::TranslationTask task_;
  std::optional<train::MasterWeights> weights_;
  std::optional<train::Optimiser> optimiser_;
  std::uint64_t seed_, updates_ = 0;
};

std::unique_ptr<TimedModel> make_model(const models::ModelConfig& config, const InferenceOptions& options,
                                       const Placement& where) {
  switch (options.what) {
    case TimedPass::encoder: return std::make_unique<TimedEncoder>(config, options, where);
    case TimedPass::training: return std::make_unique<TimedTraining>(config, options, where);
    case TimedPass::encoder_decoder: break;
  }
  return std::make_unique<TimedSeq2seq>(config, options, where);
}

// Times models on one device and shows the progress of all series.
class Stopwatch {
 public:
  Stopwatch(const InferenceOptions& options, const Device& device, const SecondsClock& now, std::int64_t points)
      : options_(options),
        device_(device),
        now_(now),
        progress_("measuring", points * (options.warmup + options.repeats), "passes") {}

  void measure(TimedModel& model, const std::string& name, InferencePoint& point) {
    progress_.note(fmt::format("{}, length {}", name, point.length));
    left_ = options_.warmup + options_.repeats;
    try {
      point.seconds = summarise(time_passes(model, point.length));
    } catch (const OutOfMemory& problem) {
      point.problem = problem.what();
      progress_.advance(left_);
    }
  }
  void finish() { progress_.finish(); }

 private:
  // Seconds of each timed pass over one batch. The batch is on the device before the clock starts, and the device has
  // finished all work whenever the clock is read.
  std::vector<double> time_passes(TimedModel& model, int length) {
    Workspace inputs(device_), work(device_);
    work.arena.set_limit(device_.memory().free);
    const Batch batch = random_batch(Context(inputs), options_, length);
    const auto run = [&] {
      model.run(work, batch);
      device_.wait();
    };
    std::vector<double> seconds;
    for (; left_ > 0; --left_, progress_.advance()) {
      work.reset();
      if (left_ > options_.repeats) {
        run();
        continue;
      }
      device_.wait();
      const double begin = now_();
      run();
      seconds.push_back(now_() - begin);
    }
    return seconds;
  }

  const InferenceOptions& options_;
  const Device& device_;
  const SecondsClock& now_;
  Progress progress_;
  std::int64_t left_ = 0;  // passes of the present point
};

Json to_json(const InferencePoint& point) {
  Json json{{"length", point.length}, {"batch", point.sentences}, {"mean", {}}, {"median", {}}, {"deviation", {}}};
  if (point.seconds) {
    json["mean"] = point.seconds->mean;
    json["median"] = point.seconds->median;
    json["deviation"] = point.seconds->deviation;
  } else {
    json["problem"] = point.problem;
  }
  return json;
}

}  // namespace

Json machine_json() {
  const Machine machine = inspect_machine();
  Json gpus = Json::array();
  for (const Gpu& gpu : machine.cuda.gpus) gpus.push_back(gpu.name);
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"system", machine.system}, {"gpus", gpus}};
}

PassTime summarise(std::vector<double> seconds) {
  check(!seconds.empty(), "there are no times to summarise");
  std::sort(seconds.begin(), seconds.end());
  const auto count = static_cast<double>(seconds.size());
  PassTime time;
  time.mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count;
  time.median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  double squares = 0;
  for (const double one : seconds) squares += (one - time.mean) * (one - time.mean);
  time.deviation = seconds.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return time;
}

std::vector<InferenceSeries> plan_inference(const InferenceOptions& options) {
  const std::vector<int> lengths = lengths_of(options);
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  models::ModelConfig model = options.model;
  model.source_vocabulary = model.target_vocabulary = options.vocabulary;
  model.transformer.max_positions = std::max(model.transformer.max_positions, longest);
  model.attention.linformer_length = std::max(model.attention.linformer_length, longest);
  std::vector<InferenceSeries> series;
  for (const int k : numbers("linformer", options.linformer, 0)) {
    model.attention.linformer = k;
    series.push_back({k == 0 ? "exact attention" : fmt::format("Linformer k = {}", k), model, {}});
  }
  if (series.empty()) series.push_back({options.preset, model, {}});
  for (InferenceSeries& one : series)
    for (const int length : lengths) one.points.push_back({length, options.tokens / length, std::nullopt, ""});
  return series;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<InferenceSeries> measure_inference(const InferenceOptions& options, const Placement& where,
                                               const SecondsClock& now) {
  std::vector<InferenceSeries> series = plan_inference(options);
  const PrecisionScope precision(where);
  std::int64_t points = 0;
  for (const InferenceSeries& one : series) points += std::ssize(one.points);
  Stopwatch stopwatch(options, where.device, now, points);
  for (InferenceSeries& one : series) {
    const std::unique_ptr<TimedModel> model = make_model(one.model, options, where);
    for (InferencePoint& point : one.points) stopwatch.measure(*model, one.name, point);
  }
  stopwatch.finish();
  return series;
}

const char* precision_name(const Placement& where) {
  if (where.weights != WeightFormat::same) return name_of(where.weights);
  if (where.bf16_products) return name_of(WeightFormat::bf16);
  return where.tf32 ? "tf32" : name_of(where.type);
}

Json to_json(const InferenceOptions& options, const Placement& where, const std::vector<InferenceSeries>& series) {
  Json list = Json::array();
  for (const InferenceSeries& one : series) {
    Json points = Json::array();
    for (const InferencePoint& point : one.points) points.push_back(to_json(point));
    list.push_back({{"name", one.name}, {"linformer", one.model.attention.linformer}, {"points", points}});
  }
  return {{"version", DRAGOMAN_VERSION},        {"machine", machine_json()},   {"device", where.device.name()},
          {"precision", precision_name(where)}, {"threads", threads::count()}, {"preset", options.preset},
          {"what", name_of(options.what)},      {"tokens", options.tokens},    {"vocabulary", options.vocabulary},
          {"warmup", options.warmup},           {"repeats", options.repeats},  {"series", list}};
}

}  // namespace dragoman::run

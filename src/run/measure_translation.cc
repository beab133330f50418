#include "run/measure_translation.h"

#include <algorithm>
#include <chrono>

#include "base/progress.h"
#include "data/line_reader.h"
#include "data/words.h"
#include "run/model_description.h"
#include "search/engine/options.h"
#include "search/engine/text_translator.h"
#include "store/model_file.h"

namespace dragoman::run {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<Request> read_text(const std::string& path) {
  constexpr std::size_t kMost = 1000;
  check(!path.empty(), "--input: expected a file with text to translate");
  data::LineReader reader(data::open_bytes(path));
  std::vector<Request> requests;
  for (data::Line line; requests.size() < kMost && reader.next(line);)
    if (data::count_words(line.text) > 0) requests.emplace_back().text = std::string(line.text);
  check(!requests.empty(), "{}: there is nothing to translate; every line is blank", path);
  return requests;
}

std::vector<Precision> precisions(const ComputeOptions& compute) {
  if (compute.precision != Precision::automatic) return {compute.precision};
  if (find_device(compute.device).on_host()) return {Precision::f32, Precision::bf16, Precision::int8};
  return {Precision::f32, Precision::tf32, Precision::bf16};
}

class Measurement {
 public:
  Measurement(const std::vector<Request>& text, const SpeedOptions& options) : text_(text), options_(options) {
    search_.beam = options.beam;
  }

  // Translates `step` sentences at a time, from the start of the text again after its end.
  TranslationSpeed measure(search::TextTranslator& translator, std::size_t step) {
    translate(translator, step);
    position_ = 0;
    TranslationSpeed speed;
    double sentences = 0;
    const Clock::time_point start = Clock::now();
    double seconds = 0;
    do {
      for (const auto& [request, result] : translate(translator, step)) {
        ++sentences;
        speed.words += static_cast<double>(data::count_words(request->text));
        speed.tokens += static_cast<double>(result.translations.at(0).tokens.size());
      }
      seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < options_.seconds);
    speed.words /= seconds;
    speed.tokens /= seconds;
    speed.milliseconds = 1000 * seconds / sentences;
    return speed;
  }

 private:
  using Pair = std::pair<const Request*, TranslationResult>;

  std::vector<Pair> translate(search::TextTranslator& translator, std::size_t step) {
    std::vector<Request> requests;
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < std::min(step, text_.size()); ++i, position_ = (position_ + 1) % text_.size()) {
      requests.push_back(text_[position_]);
      pairs.emplace_back(&text_[position_], TranslationResult{});
    }
    std::vector<TranslationResult> results = translator.translate(requests, search_);
    for (std::size_t i = 0; i < results.size(); ++i) pairs[i].second = std::move(results[i]);
    return pairs;
  }

  const std::vector<Request>& text_;
  const SpeedOptions& options_;
  SearchOptions search_;
  std::size_t position_ = 0;
};

}  // namespace

std::vector<TranslationSpeed> measure_translation(const std::string& model, const SpeedOptions& options,
                                                  const ComputeOptions& compute) {
  check(!store::is_statistical(store::SafetensorsFile(model)), "{}: is a statistical model; bench measures neural ones",
        model);
  const std::vector<Request> text = read_text(options.input);
  const std::vector<Precision> all = precisions(compute);
  const bool on_host = find_device(compute.device).on_host();
  Progress progress("measuring", 2 * std::ssize(all), "measurements");
  std::vector<TranslationSpeed> speeds;
  for (const Precision precision : all) {
    TranslatorOptions where;
    where.device = compute.device;
    where.precision = precision;
    where.threads = compute.threads;
    where.shortlist = options.shortlist;
    search::TextTranslator translator({model}, where);
    for (const int batch : {on_host ? 32 : 256, 1}) {
      // Several batches at a time, so that all workers have one.
      const std::size_t step = batch == 1 ? 1 : 8 * static_cast<std::size_t>(batch);
      TranslationSpeed speed = Measurement(text, options).measure(translator, step);
      speed.precision = precision;
      speed.batch = batch;
      speeds.push_back(speed);
      progress.advance();
    }
  }
  progress.finish();
  return speeds;
}

bool uses_shortlist(const std::string& model, const SpeedOptions& options, const ComputeOptions& compute) {
  return options.shortlist && find_device(compute.device).on_host() &&
         !store::ModelFile(model).info().shortlist.empty();
}

}  // namespace dragoman::run

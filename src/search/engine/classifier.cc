#include "search/engine/classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/threads.h"
#include "search/engine/neural_engine.h"
#include "search/engine/worker_threads.h"

namespace dragoman::search {
namespace {

// The default limit in tokens; that of most Transformers. Recurrent models have no limit of their own.
constexpr int kUsualLimit = 1024;
// Maximum number of tokens per batch, unless one text has more. Bounds the memory of a forward pass.
constexpr std::size_t kBatchTokens = 16 * 1024;

using Numbers = std::vector<std::size_t>;  // of texts

// Groups of texts of similar length, the longest first, which balances the threads' work. Texts without tokens are in
// none.
std::vector<Numbers> plan_batches(std::span<const ClassifierModel::Encoded> texts, std::size_t most) {
  Numbers order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return texts[i].ids.empty(); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return texts[a].ids.size() > texts[b].ids.size(); });
  std::vector<Numbers> batches;
  std::size_t tokens = 0;
  for (const std::size_t i : order) {
    if (batches.empty() || batches.back().size() == most || tokens + texts[i].ids.size() > kBatchTokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(i);
    tokens += texts[i].ids.size();
  }
  return batches;
}

// The `top` classes with the largest logits and their softmax probabilities.
std::vector<Prediction::Class> best_classes(std::span<const float> logits, std::size_t top) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit = [&](std::int32_t c) { return logits[static_cast<std::size_t>(c)]; };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::int32_t a, std::int32_t b) { return logit(a) != logit(b) ? logit(a) > logit(b) : a < b; });
  const auto weight = [&](float value) {
    return std::exp(static_cast<double>(value) - static_cast<double>(logit(order[0])));
  };
  double sum = 0;
  for (const float value : logits) sum += weight(value);
  std::vector<Prediction::Class> best;
  for (const std::int32_t c : std::span(order).first(top)) best.push_back({c, weight(logit(c)) / sum});
  return best;
}

void classify_batch(const ClassifierModel& model, std::span<const ClassifierModel::Encoded> texts, const Numbers& batch,
                    int top, std::vector<Prediction>& predictions) {
  Tokens tokens, offsets{0};
  for (const std::size_t i : batch) {
    tokens.insert(tokens.end(), texts[i].ids.begin(), texts[i].ids.end());
    offsets.push_back(static_cast<std::int32_t>(tokens.size()));
  }
  const models::Classifier& network = model.network();
  const PrecisionScope precision(model.placement());
  Workspace workspace(network.parameters().weights().device());
  Context cx(workspace);
  const Tensor features = network.features(cx, Packed::from_host(cx, tokens, offsets));
  const std::vector<float> logits = network.logits(cx, features).to_host<float>();
  check(std::all_of(logits.begin(), logits.end(), [](float value) { return std::isfinite(value); }),
        "{}: the model computes numbers that are not finite; its weights may be damaged", model.path());
  const std::size_t classes = model.labels().size();
  const std::size_t most = top > 0 ? std::min(static_cast<std::size_t>(top), classes) : classes;
  for (std::size_t row = 0; row < batch.size(); ++row)
    predictions[batch[row]].best = best_classes(std::span(logits).subspan(row * classes, classes), most);
}

}  // namespace

void check_options(const ClassifyingOptions& options) {
  check(options.top >= 0, "top must be at least 0, got {}", options.top);
  check(options.batch >= 0, "batch must be at least 0, got {}", options.batch);
  check(options.max_input_tokens >= 0, "max-input-tokens must be at least 0, got {}", options.max_input_tokens);
  threads_or(options.threads, 0);
}

std::vector<Prediction> classify_texts(const ClassifierModel& model, std::span<const std::string> texts,
                                       const ClassifyingOptions& options) {
  check_options(options);
  const threads::LimitScope limit(threads_or(options.threads, std::numeric_limits<int>::max()));
  const int longest = options.max_input_tokens > 0 ? options.max_input_tokens : kUsualLimit;
  std::vector<ClassifierModel::Encoded> encoded(texts.size());
  threads::each(std::ssize(texts), [&](std::int64_t i) {
    encoded[static_cast<std::size_t>(i)] = model.encode(texts[static_cast<std::size_t>(i)], longest);
  });
  const int batch = options.batch > 0 ? options.batch : usual_batch(model.placement().device);
  const std::vector<Numbers> batches = plan_batches(encoded, static_cast<std::size_t>(batch));
  std::vector<Prediction> predictions(texts.size());
  std::size_t blank = texts.size();
  for (const Numbers& numbers : batches) blank -= numbers.size();
  options.advance(blank);
  threads::each(std::ssize(batches), [&](std::int64_t b) {
    const Numbers& numbers = batches[static_cast<std::size_t>(b)];
    classify_batch(model, encoded, numbers, options.top, predictions);
    options.advance(numbers.size());
  });
  for (std::size_t i = 0; i < texts.size(); ++i) predictions[i].truncated = encoded[i].truncated;
  return predictions;
}

}  // namespace dragoman::search

namespace dragoman {
namespace {

search::ClassifyingOptions classifying(const ClassifierOptions& options, int top) {
  return {.top = top, .batch = options.batch, .threads = options.threads, .max_input_tokens = options.max_input_tokens};
}

}  // namespace

Classifier::Classifier(const std::string& model_file, const ClassifierOptions& options) : options_(options) {
  search::check_options(classifying(options, 0));
  model_ = std::make_unique<search::ClassifierModel>(model_file, find_placement({options.device, options.precision}));
}

Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

const std::vector<std::string>& Classifier::labels() const { return model_->labels(); }

std::string Classifier::classify(std::string_view text) const {
  const Classification found = classify(std::vector<std::string>{std::string(text)}, 1).front();
  return found.labels.empty() ? "" : found.labels.front().label;
}

std::vector<Classification> Classifier::classify(const std::vector<std::string>& texts, int top) const {
  std::vector<Classification> results;
  for (const search::Prediction& prediction : search::classify_texts(*model_, texts, classifying(options_, top))) {
    Classification& result = results.emplace_back();
    result.truncated = prediction.truncated;
    for (const search::Prediction::Class& found : prediction.best)
      result.labels.push_back({labels()[static_cast<std::size_t>(found.index)], found.probability});
  }
  return results;
}

}  // namespace dragoman

#include "run/classify_lines.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace dragoman::run {
namespace {

// The most that is read ahead: lines, and bytes unless one line has more.
constexpr std::size_t kMostLines = 4096;
constexpr std::size_t kMostBytes = 8 << 20;

// Lines between the thread that reads them and the thread that classifies them.
class LineQueue {
 public:
  explicit LineQueue(std::function<bool(std::string&)> read) : read_(std::move(read)) {}

  // The loop of the reading thread.
  void fill() {
    std::exception_ptr error;
    try {
      for (std::string line; read_(line); line.clear())
        if (!push(std::move(line))) break;
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    error_ = error;
    ended_ = true;
    changed_.notify_all();
  }

  bool is_empty() {
    std::lock_guard lock(mutex_);
    return lines_.empty();
  }
  // All lines that are waiting; waits for at least one. None at the end. Then an error of reading is thrown.
  std::vector<std::string> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !lines_.empty(); });
    if (lines_.empty() && error_) std::rethrow_exception(error_);
    bytes_ = 0;
    changed_.notify_all();
    return std::exchange(lines_, {});
  }
  // Makes fill() return after the line it is reading.
  void stop() {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

 private:
  bool push(std::string line) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopping_ || lines_.empty() || (lines_.size() < kMostLines && bytes_ + line.size() <= kMostBytes);
    });
    if (stopping_) return false;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    changed_.notify_all();
    return true;
  }

  std::function<bool(std::string&)> read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
  std::exception_ptr error_;
  bool ended_ = false, stopping_ = false;
};

void write_all(LineQueue& queue, const search::ClassifierModel& model, const search::ClassifyingOptions& options,
               const ClassificationStream& stream) {
  for (std::uint64_t line = 0;;) {
    if (queue.is_empty()) stream.idle();
    const std::vector<std::string> lines = queue.take();
    if (lines.empty()) return;
    const std::vector<search::Prediction> predictions = search::classify_texts(model, lines, options);
    for (std::size_t i = 0; i < lines.size(); ++i) stream.write(++line, lines[i], predictions[i]);
  }
}

}  // namespace

void classify_lines(const search::ClassifierModel& model, const search::ClassifyingOptions& options,
                    const ClassificationStream& stream) {
  const auto queue = std::make_shared<LineQueue>(stream.read);
  std::thread reader([queue] { queue->fill(); });
  try {
    write_all(*queue, model, options, stream);
  } catch (...) {
    queue->stop();
    reader.detach();  // it may be blocked on input, which cannot be interrupted
    throw;
  }
  reader.join();
}

nlohmann::ordered_json to_json(std::uint64_t line, const std::string& text, const search::ClassifierModel& model,
                               const search::Prediction& prediction) {
  nlohmann::ordered_json json{{"line", line}, {"source", text}, {"label", nullptr}, {"probability", nullptr}};
  nlohmann::ordered_json& all = json["probabilities"] = nlohmann::ordered_json::object();
  for (const search::Prediction::Class& found : prediction.best) {
    const std::string& label = model.labels()[static_cast<std::size_t>(found.index)];
    if (all.empty()) {
      json["label"] = label;
      json["probability"] = found.probability;
    }
    all[label] = found.probability;
  }
  json["truncated"] = prediction.truncated;
  return json;
}

}  // namespace dragoman::run

#include "train/tensorboard.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace dragoman::train {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
    table[byte] = value;
  }
  return table;
}

// Checksums are stored masked (rotated, plus a constant), because a CRC of data that contains CRCs is unreliable.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8u; }

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Builds a message in the wire format of protocol buffers.
class Message {
 public:
  Message& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Message& real(int field, double value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 1);
    bytes_ += little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real(int field, float value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 5);
    bytes_ += little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Field numbers in event.proto and summary.proto.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace summary {
constexpr int kValue = 1;
}
namespace value {
constexpr int kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Message event_at(std::uint64_t step) {
  return Message().real(event::kWallTime, seconds_now()).number(event::kStep, step);
}

void add_scalar(Message& summary, const std::string& tag, double number) {
  if (!std::isfinite(number)) return;
  summary.message(summary::kValue,
                  Message().text(value::kTag, tag).real(value::kSimpleValue, static_cast<float>(number)));
}

Message metadata_of(const char* plugin, std::string_view content = {}) {
  constexpr int kPluginData = 1, kPluginName = 1, kContent = 2;
  Message data = Message().text(kPluginName, plugin);
  if (!content.empty()) data.text(kContent, content);
  return Message().message(kPluginData, data);
}

// A string tensor with one element for TensorBoard's text plugin.
void add_text(Message& summary, const std::string& tag, const std::string& words) {
  constexpr int kDtype = 1, kShape = 2, kStringValue = 8, kDimension = 2, kSize = 1;
  constexpr std::uint64_t kString = 7;
  const Message shape = Message().message(kDimension, Message().number(kSize, 1));
  const Message tensor = Message().number(kDtype, kString).message(kShape, shape).text(kStringValue, words);
  summary.message(
      summary::kValue,
      Message().text(value::kTag, tag).message(value::kTensor, tensor).message(value::kMetadata, metadata_of("text")));
}

// A record of TensorBoard's plugin for hyper-parameters (hparams/plugin_data.proto): all of it is in the metadata.
std::string hparams_event(const char* tag, int field, const Message& content) {
  constexpr int kDtype = 1, kShape = 2;
  constexpr std::uint64_t kFloat = 1;
  const Message empty = Message().number(kDtype, kFloat).message(kShape, Message());
  const Message data = Message().message(field, content);
  const Message value = Message()
                            .text(value::kTag, tag)
                            .message(value::kTensor, empty)
                            .message(value::kMetadata, metadata_of("hparams", data.bytes()));
  return event_at(0).message(event::kSummary, Message().message(summary::kValue, value)).bytes();
}

// Whether a setting shapes the training: files, intervals and the like are left out.
bool is_hyper_parameter(std::string_view key) {
  static constexpr std::string_view kGroups[] = {"model.", "batch.", "optimiser.", "schedule.", "vocab.", "filter."};
  static constexpr std::string_view kSingle[] = {"preset", "task", "seed", "label-smoothing", "r-drop", "precision"};
  return std::any_of(std::begin(kGroups), std::end(kGroups), [&](auto group) { return key.starts_with(group); }) ||
         std::find(std::begin(kSingle), std::end(kSingle), key) != std::end(kSingle);
}

// A value of google.protobuf.Value: a number, a truth value or a text.
Message value_of(const std::string& text) {
  constexpr int kNumber = 2, kString = 3, kBool = 4;
  if (text == "true" || text == "false") return Message().number(kBool, text == "true");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(number)) return Message().real(kNumber, number);
  return Message().text(kString, text);
}

std::string session_start(const RunRecord& record) {
  constexpr int kField = 3, kHparams = 1, kKey = 1, kValue = 2, kGroup = 4, kTime = 5;
  Message session;
  for (const auto& [key, text] : record.settings)
    if (is_hyper_parameter(key)) session.message(kHparams, Message().text(kKey, key).message(kValue, value_of(text)));
  session.text(kGroup, record.name).real(kTime, seconds_now());
  return hparams_event("_hparams_/session_start_info", kField, session);
}

enum class SessionStatus { success = 1, failure = 2 };

std::string session_end(SessionStatus status) {
  constexpr int kField = 4, kStatus = 1, kTime = 2;
  return hparams_event("_hparams_/session_end_info", kField,
                       Message().number(kStatus, static_cast<std::uint64_t>(status)).real(kTime, seconds_now()));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = make_table();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

void TensorBoard::on_start(const RunInfo& info) {
  std::filesystem::create_directories(folder_);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  file_ = AppendFile(fmt::format("{}/events.out.tfevents.{:010}.dragoman.{}", folder_,
                                 std::chrono::duration_cast<std::chrono::seconds>(now).count(), getpid()));
  write_record(event_at(0).text(event::kFileVersion, "brain.Event:2").bytes());
  constexpr int kStatus = 1;
  constexpr std::uint64_t kStart = 1;
  if (info.begin.updates > 0)
    write_record(
        event_at(info.begin.updates + 1).message(event::kSessionLog, Message().number(kStatus, kStart)).bytes());
  if (!record_.settings.empty()) write_record(session_start(record_));
}

void TensorBoard::on_log(const StepReport& step) {
  Message summary;
  add_scalar(summary, "train/loss", step.sums.mean_loss());
  add_scalar(summary, "train/perplexity", std::exp(step.sums.mean_nll()));
  add_scalar(summary, "train/learning_rate", step.rate);
  add_scalar(summary, "train/gradient_norm", step.gradient_norm);
  add_scalar(summary, "train/tokens_per_second", step.tokens_per_second);
  add_scalar(summary, "train/epoch", step.position.epochs);
  add_scalar(summary, "system/busy_cpu_cores", step.usage.cores);
  add_scalar(summary, "system/memory_gigabytes", 1e-9 * static_cast<double>(step.usage.memory));
  if (step.usage.gpu) add_scalar(summary, "system/gpu_per_cent", 100 * *step.usage.gpu);
  if (step.usage.gpu_memory)
    add_scalar(summary, "system/gpu_memory_gigabytes", 1e-9 * static_cast<double>(*step.usage.gpu_memory));
  write_record(event_at(step.position.updates).message(event::kSummary, summary).bytes());
}

void TensorBoard::on_validation(const Validation& validation) {
  Message summary;
  for (const auto& [name, score] : validation.scores.list()) add_scalar(summary, "validation/" + name, score);
  for (std::size_t i = 0; i < validation.samples.size(); ++i) {
    const Sample& sample = validation.samples[i];
    add_text(summary, fmt::format("samples/{}", i + 1),
             fmt::format("source: {}\n\nreference: {}\n\noutput: {}", sample.source, sample.reference, sample.output));
  }
  write_record(event_at(validation.position.updates).message(event::kSummary, summary).bytes());
}

void TensorBoard::on_end(const RunEnd&) {
  if (!record_.settings.empty()) write_record(session_end(SessionStatus::success));
}

void TensorBoard::on_failure(const std::string&, const Position&) {
  if (!record_.settings.empty()) write_record(session_end(SessionStatus::failure));
}

void TensorBoard::write_record(const std::string& event) const {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  file_.append(length + little_endian(masked(crc32c(length))) + event + little_endian(masked(crc32c(event))));
}

}  // namespace dragoman::train

#include "train/tensorboard.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
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

Message event_at(std::uint64_t step) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return Message().real(event::kWallTime, now.count()).number(event::kStep, step);
}

void add_scalar(Message& summary, const std::string& tag, double number) {
  if (!std::isfinite(number)) return;
  summary.message(summary::kValue,
                  Message().text(value::kTag, tag).real(value::kSimpleValue, static_cast<float>(number)));
}

// A string tensor with one element for TensorBoard's text plugin.
void add_text(Message& summary, const std::string& tag, const std::string& words) {
  constexpr int kDtype = 1, kShape = 2, kStringValue = 8, kDimension = 2, kSize = 1;
  constexpr std::uint64_t kString = 7;
  constexpr int kPluginData = 1, kPluginName = 1;
  const Message shape = Message().message(kDimension, Message().number(kSize, 1));
  const Message tensor = Message().number(kDtype, kString).message(kShape, shape).text(kStringValue, words);
  const Message metadata = Message().message(kPluginData, Message().text(kPluginName, "text"));
  summary.message(summary::kValue,
                  Message().text(value::kTag, tag).message(value::kTensor, tensor).message(value::kMetadata, metadata));
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
}

void TensorBoard::on_log(const StepReport& step) {
  Message summary;
  add_scalar(summary, "train/loss", step.sums.mean_loss());
  add_scalar(summary, "train/perplexity", std::exp(step.sums.mean_nll()));
  add_scalar(summary, "train/learning_rate", step.rate);
  add_scalar(summary, "train/gradient_norm", step.gradient_norm);
  add_scalar(summary, "train/tokens_per_second", step.tokens_per_second);
  add_scalar(summary, "train/epoch", step.position.epochs);
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

void TensorBoard::write_record(const std::string& event) const {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  file_.append(length + little_endian(masked(crc32c(length))) + event + little_endian(masked(crc32c(event))));
}

}  // namespace dragoman::train

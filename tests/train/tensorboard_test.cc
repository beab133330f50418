#include "train/tensorboard.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>

#include "tests/support/temp_folder.h"

namespace dragoman::train {
namespace {

// Check values of RFC 3720, and the usual check value of "123456789".
TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

template <class T>
T read(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint32_t masked(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

std::vector<std::string> records(const std::string& bytes) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = read<std::uint64_t>(bytes, at);
    EXPECT_EQ(read<std::uint32_t>(bytes, at + 8), masked(bytes.substr(at, 8)));
    found.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(read<std::uint32_t>(bytes, at + 12 + length), masked(found.back()));
    at += 16 + length;
  }
  return found;
}

// Fields of a message: numbers as text, the rest as bytes.
std::multimap<int, std::string> fields(const std::string& message) {
  std::multimap<int, std::string> found;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t key = varint();
    const int field = static_cast<int>(key >> 3);
    std::size_t size = 0;
    switch (key & 7) {
      case 0: found.emplace(field, std::to_string(varint())); continue;
      case 1: size = 8; break;
      case 2: size = varint(); break;
      case 5: size = 4; break;
      default: ADD_FAILURE() << "wire type " << (key & 7); return found;
    }
    found.emplace(field, message.substr(at, size));
    at += size;
  }
  return found;
}

std::string only_file(const support::TempFolder& folder) {
  EXPECT_EQ(folder.names().size(), 1u);
  return support::read_all(folder.file(folder.names().at(0)));
}

TEST(TensorBoard, WritesScalarsThatAnIndependentReaderFinds) {
  support::TempFolder folder;
  {
    TensorBoard board(folder.path());
    board.on_start({});
    StepReport step;
    step.position.updates = 300;
    step.sums = {250, 200, 100};
    step.rate = 0.125;
    board.on_log(step);
    Validation validation;
    validation.position.updates = 400;
    validation.scores.set("bleu", 31.5);
    validation.samples.push_back({"a source", "a reference", "an output", {}, {}, {}});
    board.on_validation(validation);
  }
  const std::vector<std::string> events = records(only_file(folder));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(fields(events[0]).find(3)->second, "brain.Event:2");
  EXPECT_EQ(fields(events[1]).find(2)->second, "300");
  std::map<std::string, float> scalars;
  std::string text;
  for (std::size_t i = 1; i < 3; ++i)
    for (const auto& [field, value] : fields(fields(events[i]).find(5)->second)) {
      const auto parts = fields(value);
      if (parts.contains(2)) scalars[parts.find(1)->second] = read<float>(parts.find(2)->second, 0);
      if (parts.contains(8)) text = parts.find(8)->second;
    }
  EXPECT_FLOAT_EQ(scalars.at("train/loss"), 2.5f);
  EXPECT_NEAR(scalars.at("train/perplexity"), 7.389056f, 1e-4);
  EXPECT_EQ(scalars.at("train/learning_rate"), 0.125f);
  EXPECT_EQ(scalars.at("validation/bleu"), 31.5f);
  EXPECT_NE(text.find("an output"), std::string::npos);
}

// The content of the plugin `hparams` in an event; empty if it has none.
std::string hparams_of(const std::string& event) {
  const auto parts = fields(event);
  if (!parts.contains(5)) return "";
  const auto value = fields(fields(parts.find(5)->second).find(1)->second);
  if (!value.contains(9)) return "";
  const auto plugin = fields(fields(value.find(9)->second).find(1)->second);
  return plugin.find(1)->second == "hparams" ? plugin.find(2)->second : "";
}

TEST(TensorBoard, WritesHyperParametersOfASessionAndItsEnd) {
  support::TempFolder folder;
  {
    RunRecord record;
    record.name = "run";
    record.settings = {{"batch.size", "4096"}, {"vocab.lower", "true"}, {"vocab.type", "bpe"}, {"output", "run"}};
    TensorBoard board(folder.path(), record);
    board.on_start({});
    board.on_failure("diverged", {});
  }
  const std::vector<std::string> events = records(only_file(folder));
  ASSERT_EQ(events.size(), 3u);
  const auto session = fields(fields(hparams_of(events[1])).find(3)->second);
  std::map<std::string, std::multimap<int, std::string>> values;
  for (auto [at, end] = session.equal_range(1); at != end; ++at)
    values[fields(at->second).find(1)->second] = fields(fields(at->second).find(2)->second);
  EXPECT_EQ(read<double>(values.at("batch.size").find(2)->second, 0), 4096);
  EXPECT_EQ(values.at("vocab.lower").find(4)->second, "1");
  EXPECT_EQ(values.at("vocab.type").find(3)->second, "bpe");
  EXPECT_FALSE(values.contains("output")) << "not a hyper-parameter";
  EXPECT_EQ(fields(fields(hparams_of(events[2])).find(4)->second).find(1)->second, "2") << "it failed";
}

TEST(TensorBoard, AResumedRunDropsTheEventsAfterItsCheckpoint) {
  support::TempFolder folder;
  RunInfo info;
  info.begin.updates = 50;
  TensorBoard(folder.path()).on_start(info);
  const std::vector<std::string> events = records(only_file(folder));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(fields(events[1]).find(2)->second, "51");
  EXPECT_EQ(fields(fields(events[1]).find(7)->second).find(1)->second, "1") << "a session starts";
}

}  // namespace
}  // namespace dragoman::train

#include "store/shared_safetensors.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

using support::message;

// Bytes of finite f32 that differ everywhere.
std::string numbers_as_bytes(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

class SharedSafetensors : public ::testing::Test {
 protected:
  // Pieces of 1 MiB: 3 + 1 + 0 + 2.
  const std::string large_ = numbers_as_bytes(700'001), small_ = "abc", two_ = numbers_as_bytes(300'000);
  const std::vector<StoredTensor> tensors_ = {{"large", "F32", {700'001}, large_},
                                              {"small", "U8", {3}, small_},
                                              {"none", "F32", {0}, ""},
                                              {"two", "F32", {2, 150'000}, two_}};
  const Metadata metadata_ = {{"about", "a test"}};
  support::TempFolder folder_;

  SafetensorsDraft draft(const std::string& name) const {
    std::vector<TensorRecord> records;
    for (const StoredTensor& one : tensors_) records.push_back({one.name, one.type, one.shape, 0, one.bytes.size()});
    return {folder_.file(name), metadata_, records};
  }
};

TEST_F(SharedSafetensors, HasTheBytesOfAFileThatOneProcessWrites) {
  write_safetensors(folder_.file("one"), metadata_, tensors_);
  for (const int writers : {1, 2, 3, 7}) {
    SafetensorsDraft file = draft("shared");
    for (int writer = writers; writer-- > 0;) {
      SafetensorsParts parts(file.name());
      for (const StoredTensor& one : tensors_) {
        const std::size_t each = one.bytes.size() / static_cast<std::size_t>(writers) + 1;
        const std::size_t begin = std::min(each * static_cast<std::size_t>(writer), one.bytes.size());
        parts.write(one.name, begin, one.bytes.substr(begin, each));
      }
      parts.sync();
    }
    std::vector<PieceHashes> pieces;
    for (int reader = 0; reader < writers; ++reader)
      pieces.push_back(hash_pieces(SafetensorsFile(file.name()), reader, writers));
    file.commit(merge(pieces));
    EXPECT_EQ(support::read_all(folder_.file("shared")), support::read_all(folder_.file("one"))) << writers;
    EXPECT_TRUE(SafetensorsFile(folder_.file("shared")).verify());
  }
}

TEST_F(SharedSafetensors, AnAbandonedDraftLeavesNothing) {
  {
    const SafetensorsDraft file = draft("shared");
    SafetensorsParts(file.name()).write("small", 1, "b");
    EXPECT_EQ(folder_.names().size(), 1u);
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(SharedSafetensors, AFileThatIsNotCompleteYetIsRefused) {
  const SafetensorsDraft file = draft("shared");
  EXPECT_NE(message([&] { SafetensorsFile(file.name()).verify(); }).find("checksum does not match"), std::string::npos);
}

TEST_F(SharedSafetensors, PartsCannotLeaveTheirTensor) {
  const SafetensorsDraft file = draft("shared");
  SafetensorsParts parts(file.name());
  EXPECT_NE(message([&] { parts.write("small", 1, "abc"); }).find("do not fit into 'small'"), std::string::npos);
  EXPECT_NE(message([&] { parts.write("small", ~std::uint64_t{0}, "a"); }).find("do not fit"), std::string::npos);
  EXPECT_NE(message([&] { parts.write("other", 0, "a"); }).find("has no tensor 'other'"), std::string::npos);
}

TEST_F(SharedSafetensors, SharedHashesFindDamageAndInfinity) {
  write_safetensors(folder_.file("good"), metadata_, tensors_);
  const auto problem = [&](std::size_t from_end, unsigned char byte) {
    std::string bytes = support::read_all(folder_.file("good"));
    bytes[bytes.size() - from_end] = static_cast<char>(byte);
    folder_.write("bad", bytes);
    const SafetensorsFile file(folder_.file("bad"));
    return message([&] { check_pieces(file, merge({hash_pieces(file, 0, 2), hash_pieces(file, 1, 2)})); });
  };
  EXPECT_NE(problem(2, 0x12).find("checksum does not match"), std::string::npos);
  std::vector<StoredTensor> diverged = tensors_;
  std::string infinite = two_;
  infinite.replace(infinite.size() - 4, 4, "\x00\x00\x80\x7F", 4);
  diverged[3].bytes = infinite;
  write_safetensors(folder_.file("infinite"), metadata_, diverged);
  const SafetensorsFile file(folder_.file("infinite"));
  EXPECT_NE(message([&] {
              check_pieces(file, merge({hash_pieces(file, 0, 3), hash_pieces(file, 1, 3), hash_pieces(file, 2, 3)}));
            }).find("'two' has values that are not finite"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::store

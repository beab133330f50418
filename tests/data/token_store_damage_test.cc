#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapped_file_faults.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/token_store.h"
#include "tests/data/support.h"
#include "tests/support/repair.h"

namespace dragoman::data {
namespace {

constexpr std::uint64_t kKey = 77;
constexpr VocabularySizes kSizes = {500, 400};

// A store of random rows in which the ids 499 and 399 occur.
std::string write_store(const std::string& path, std::uint32_t id_bytes, bool has_text, int rows = 40) {
  Random random(5);
  TokenStoreWriter writer(path, id_bytes, has_text);
  TokenBlock block = writer.block();
  for (int i = 0; i < rows; ++i) {
    std::vector<std::int32_t> source(random.below(9)), target(random.below(9));
    for (std::int32_t& id : source) id = static_cast<std::int32_t>(random.below(kSizes.source));
    for (std::int32_t& id : target) id = static_cast<std::int32_t>(random.below(kSizes.target));
    if (i == 0) source = {kSizes.source - 1}, target = {kSizes.target - 1};
    block.add({source, target, "source text", "target"});
  }
  writer.append(block);
  writer.finish(kKey, {{"read", 40}, {"kept", 40}});
  return testing::read_all(path);
}

// Reads everything that a store offers; true if every id is in its vocabulary.
bool read_everything(const TokenStore& store) {
  bool known = true;
  std::vector<std::int32_t> ids;
  const auto check_ids = [&](std::int32_t size) {
    for (const std::int32_t id : ids) known = known && id >= 0 && id < size;
  };
  std::uint64_t text = 0;
  for (std::uint64_t row = 0; row < store.rows(); ++row) {
    store.expect_tokens(row);
    ids.resize(store.source_length(row));
    store.copy_source(row, ids);
    check_ids(kSizes.source);
    ids.resize(store.target_length(row));
    store.copy_target(row, ids);
    check_ids(kSizes.target);
    if (!store.has_text()) continue;
    for (const std::string_view side : {store.source_text(row), store.target_text(row)})
      for (const char c : side) text += static_cast<unsigned char>(c);
  }
  return known && text < (std::uint64_t{1} << 40);
}

TEST(TokenStore, DamageUnderARightChecksumIsRefusedOrHarmless) {
  const testing::TempFolder folder;
  Random random(9);
  for (const std::uint32_t id_bytes : {2u, 4u})
    for (const bool has_text : {false, true}) {
      const std::string whole = write_store(folder.file("store"), id_bytes, has_text);
      ASSERT_TRUE(TokenStore::open(folder.file("store"), kKey, kSizes));
      int refused = 0;
      for (int round = 0; round < 250; ++round) {
        std::string bytes = whole;
        // Half of the changes hit the header and the index.
        const std::size_t places = round % 2 == 0 ? bytes.size() : 96;
        for (int change = 0; change < 1 + round % 3; ++change)
          bytes[random.below(places)] = static_cast<char>(round % 5 == 0 ? 255 : random.below(256));
        if (round % 7 == 0) bytes.resize(random.below(bytes.size()));
        support::repair_token_store(bytes, kKey);
        std::string why;
        const auto store = TokenStore::open(folder.write(std::to_string(round), bytes), kKey, kSizes, &why);
        if (store) {
          EXPECT_TRUE(read_everything(*store)) << round;
        } else {
          EXPECT_FALSE(why.empty());
          ++refused;
        }
      }
      EXPECT_GT(refused, 100);
    }
}

TEST(TokenStore, IdsOfASmallerVocabularyAreRefused) {
  const testing::TempFolder folder;
  for (const std::uint32_t id_bytes : {2u, 4u}) {
    const std::string path = folder.file("store");
    write_store(path, id_bytes, false);
    std::string why;
    EXPECT_TRUE(TokenStore::open(path, kKey, kSizes));
    EXPECT_FALSE(TokenStore::open(path, kKey, {kSizes.source - 1, kSizes.target}, &why));
    EXPECT_EQ(why, "an id is not in the vocabulary");
    EXPECT_FALSE(TokenStore::open(path, kKey, {kSizes.source, kSizes.target - 1}));
  }
}

// A row of the index that claims the rows after it would be checked and read many times.
TEST(TokenStore, RowsThatOverlapAreRefused) {
  const testing::TempFolder folder;
  std::string bytes = write_store(folder.file("store"), 2, false);
  std::uint64_t index = 0;
  std::memcpy(&index, bytes.data() + 48, sizeof index);
  support::set_at(bytes, index + 16, std::uint64_t{96});
  support::repair_token_store(bytes, kKey);
  std::string why;
  EXPECT_FALSE(TokenStore::open(folder.write("bad", bytes), kKey, kSizes, &why));
  EXPECT_EQ(why, "the index is damaged");
}

// Mapped pages behind the new end of a file cannot be read. The program says so instead of dying of a signal.
TEST(TokenStore, TruncatedWhileItIsMappedEndsWithASentence) {
  const testing::TempFolder folder;
  const std::string path = folder.file("store"), said = folder.file("said");
  write_store(path, 4, false, 20'000);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
    report_mapped_file_faults();
    const threads::SerialScope serial;  // a forked process has no pool threads
    const auto store = TokenStore::open(path, kKey, kSizes);
    if (!store || truncate(path.c_str(), 4096) != 0) _exit(2);
    read_everything(*store);
    _exit(3);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(testing::read_all(said).find(path), std::string::npos) << testing::read_all(said);
}

TEST(TokenStore, AnEmptyStoreIsOne) {
  const testing::TempFolder folder;
  write_store(folder.file("store"), 4, true, 0);
  const auto store = TokenStore::open(folder.file("store"), kKey, kSizes);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->rows(), 0u);
}

}  // namespace
}  // namespace dragoman::data

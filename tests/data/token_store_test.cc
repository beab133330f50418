#include "data/token_store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/log.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/tokenize.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using testing::NumberTokenizer;
using testing::TempFolder;

std::string numbers(Random& random, std::uint64_t most_words, std::uint64_t most) {
  std::string line;
  for (std::uint64_t i = random.below(most_words + 1); i > 0; --i)
    line += std::to_string(random.below(most)) + (i > 1 ? " " : "");
  return line;
}

std::vector<std::int32_t> ids(const TokenStore& store, std::uint64_t row, bool source) {
  std::vector<std::int32_t> out(source ? store.source_length(row) : store.target_length(row));
  source ? store.copy_source(row, out) : store.copy_target(row, out);
  return out;
}

// A corpus of random numbers in its own folder.
struct Fixture {
  explicit Fixture(int lines = 3000) {
    Random random(7);
    for (int i = 0; i < lines; ++i) {
      source_lines.push_back(numbers(random, 12, 990));
      target_lines.push_back(numbers(random, 12, 990));
    }
    request.corpus = {folder.write("c.de", text(source_lines)), folder.write("c.en", text(target_lines))};
    request.source = request.target = &tokenizer;
  }

  static std::string text(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

  void expect_right(const TokenStore& store) const {
    ASSERT_EQ(store.rows(), source_lines.size());
    for (std::size_t i = 0; i < source_lines.size(); ++i) {
      std::vector<std::int32_t> source, target;
      tokenizer.encode(source_lines[i], source);
      tokenizer.encode(target_lines[i], target);
      ASSERT_EQ(ids(store, i, true), source) << i;
      ASSERT_EQ(ids(store, i, false), target) << i;
    }
  }

  TempFolder folder;
  NumberTokenizer tokenizer;
  std::vector<std::string> source_lines, target_lines;
  TokenRequest request;
};

TEST(TokenStore, GivesBackWhatTheTokenizerMadeInOrder) {
  for (const int thread_count : {1, 3}) {
    threads::set_count(thread_count);
    Fixture fixture;
    fixture.expect_right(open_tokens(fixture.request));
  }
  threads::set_count(0);
}

TEST(TokenStore, IdsAbove65535AreKeptToo) {
  TempFolder folder;
  const NumberTokenizer wide(200'000);
  TokenRequest request;
  request.corpus = {folder.write("a", "1 70000\n150000\n"), folder.write("b", "\n65531 65532\n")};
  request.source = request.target = &wide;
  const TokenStore store = open_tokens(request);
  EXPECT_EQ(ids(store, 0, true), (std::vector<std::int32_t>{5, 70004}));
  EXPECT_EQ(ids(store, 0, false), std::vector<std::int32_t>{});
  EXPECT_EQ(ids(store, 1, true), (std::vector<std::int32_t>{150004}));
  EXPECT_EQ(ids(store, 1, false), (std::vector<std::int32_t>{65535, 65536}));
}

TEST(TokenStore, KeepsTheTextWhenAsked) {
  Fixture fixture(50);
  EXPECT_FALSE(open_tokens(fixture.request).has_text());
  fixture.request.keep_text = true;
  const TokenStore store = open_tokens(fixture.request);
  ASSERT_TRUE(store.has_text());
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(store.source_text(i), fixture.source_lines[i]);
    EXPECT_EQ(store.target_text(i), fixture.target_lines[i]);
  }
  fixture.expect_right(store);
}

TEST(TokenStore, IsMadeOnceAndLeavesOneFileBehind) {
  Fixture fixture;
  open_tokens(fixture.request);
  const std::string path = token_store_path(fixture.request);
  const auto made = std::filesystem::last_write_time(path);
  EXPECT_EQ(fixture.folder.names().size(), 3u);
  open_tokens(fixture.request);
  EXPECT_EQ(std::filesystem::last_write_time(path), made);
  EXPECT_EQ(fixture.folder.names().size(), 3u);
}

TEST(TokenStore, IsMadeAgainWhenTheCorpusOrTheSettingsChange) {
  Fixture fixture;
  open_tokens(fixture.request);
  fixture.source_lines[17] = "42 42";
  fixture.folder.write("c.de", Fixture::text(fixture.source_lines));
  fixture.expect_right(open_tokens(fixture.request));
  EXPECT_EQ(fixture.folder.names().size(), 3u);
  const NumberTokenizer other(10);
  fixture.request.source = &other;
  EXPECT_EQ(ids(open_tokens(fixture.request), 17, true), (std::vector<std::int32_t>{0, 0}));
  fixture.request.filters.drop_empty = true;
  EXPECT_LT(open_tokens(fixture.request).rows(), fixture.source_lines.size());
}

TEST(TokenStore, ATornOrDamagedFileIsFoundAndMadeAgain) {
  Fixture fixture(200);
  open_tokens(fixture.request);
  const std::string path = token_store_path(fixture.request);
  const std::string whole = testing::read_all(path);
  Random random(3);
  log::set_level(log::Level::warning);
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    if (round % 3 == 0)
      bytes.resize(random.below(bytes.size()));
    else
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    fixture.expect_right(open_tokens(fixture.request));
    EXPECT_EQ(testing::read_all(path), whole);
  }
  log::set_level(log::Level::info);
}

TEST(TokenStore, TwoProcessesAtOnceMakeTheSameFile) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer cannot follow threads that start after fork()";
#endif
  Fixture fixture(20'000);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const threads::SerialScope serial;  // a forked process has no pool threads
      _exit(open_tokens(fixture.request).rows() == 20'000 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  fixture.expect_right(open_tokens(fixture.request));
  EXPECT_EQ(fixture.folder.names().size(), 3u);
}

TEST(TokenStore, AnErrorInTheCorpusLeavesNothingBehind) {
  Fixture fixture;
  fixture.folder.write("c.en", Fixture::text(fixture.target_lines) + "one more\n");
  EXPECT_NE(message([&] { open_tokens(fixture.request); }).find(":3001 has no partner"), std::string::npos);
  EXPECT_EQ(fixture.folder.names(), (std::vector<std::string>{"c.de", "c.en"}));
}

// The result of `body` in a child process that is not root, because root may write to every folder.
template <class Body>
bool holds_for_a_plain_user(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    const threads::SerialScope serial;
    if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(TokenStore, GoesToTheCacheFolderWhenOneIsGiven) {
  Fixture fixture(20);
  TempFolder cache;
  fixture.request.cache_folder = cache.file("made/on/demand");
  fixture.expect_right(open_tokens(fixture.request));
  EXPECT_EQ(fixture.folder.names().size(), 2u);
}

TEST(TokenStore, GoesToTheUsersCacheWhenTheCorpusFolderIsReadOnly) {
  Fixture fixture(20);
  TempFolder cache;
  using std::filesystem::perms;
  std::filesystem::permissions(fixture.folder.path(), perms(0555));
  std::filesystem::permissions(cache.path(), perms(0777));
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  EXPECT_TRUE(holds_for_a_plain_user([&] { return open_tokens(fixture.request).rows() == 20; }));
  EXPECT_EQ(fixture.folder.names().size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(cache.file("dragoman")));
  setenv("XDG_CACHE_HOME", fixture.folder.file("no").c_str(), 1);
  EXPECT_TRUE(holds_for_a_plain_user(
      [&] { return message([&] { open_tokens(fixture.request); }).find("give a cache folder") != std::string::npos; }));
  unsetenv("XDG_CACHE_HOME");
}

TEST(TokenStore, TheReportSurvivesInTheFile) {
  TempFolder folder;
  const NumberTokenizer tokenizer;
  TokenRequest request;
  request.corpus = {folder.write("a", "1\n\n2\n2\n"), folder.write("b", "1\n1\n1\n1\n")};
  request.source = request.target = &tokenizer;
  request.filters = {.drop_empty = true, .drop_identical = true};
  const Counts expected = {{"read", 4}, {"dropped: empty", 1}, {"dropped: identical", 1}, {"kept", 2}};
  EXPECT_EQ(open_tokens(request).report(), expected);
  EXPECT_EQ(open_tokens(request).report(), expected);
}

TEST(TokenStore, AMappedStoreOutlivesItsFile) {
  Fixture fixture(100);
  const TokenStore store = open_tokens(fixture.request);
  std::filesystem::remove(token_store_path(fixture.request));
  fixture.expect_right(store);
}

TEST(Hash, DoesNotDependOnWherePiecesAreCut) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 31);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    Hasher hasher;
    hasher.add(std::string_view(text).substr(0, cut));
    hasher.add(std::string_view(text).substr(cut));
    EXPECT_EQ(hasher.value(), hash_of(text));
    EXPECT_NE(hash_of(std::string_view(text).substr(0, cut)), hash_of(text));
  }
  EXPECT_NE(hash_of(std::string(1, '\0')), hash_of(std::string(2, '\0')));
}

}  // namespace
}  // namespace dragoman::data

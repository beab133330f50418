#include "recipe/download.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/sha256.h"
#include "recipe/transfer.h"
#include "tests/support/errors.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

using support::file_reply;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;
using support::message;

using Names = std::vector<std::string>;

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
  return text;
}

class Downloads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string obstacle = transfer_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
    setenv("no_proxy", "127.0.0.1", 1);
  }
  void get(const std::string& url) { download({url, path_, sha256_of(content_)}, options_); }
  // The download succeeded and left nothing else behind.
  void expect_file() const {
    EXPECT_EQ(folder_.names(), Names{"file"});
    EXPECT_TRUE(support::read_all(path_) == content_);
  }

  const std::string content_ = numbers(100'000);  // 588,890 bytes
  support::TempFolder folder_;
  const std::string path_ = folder_.file("file");
  DownloadOptions options_{.stall_seconds = 20, .retries = 3, .first_wait = 0.01};
};

TEST_F(Downloads, ACompleteFileTakesOneRequest) {
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_, "\"1\""); });
  get(server.url("/some/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/some/file");
  EXPECT_EQ(server.requests()[0].header("range"), "");
  EXPECT_EQ(server.served(), content_.size());
}

TEST_F(Downloads, AnEmptyFileIsAFile) {
  const HttpServer server([](const HttpRequest&) { return HttpReply(); });
  download({server.url("/empty"), path_, sha256_of("")}, options_);
  EXPECT_EQ(folder_.names(), Names{"file"});
  EXPECT_EQ(support::read_all(path_), "");
}

TEST_F(Downloads, NothingIsRequestedIfTheFileIsThere) {
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_); });
  folder_.write("file", content_);
  get(server.url("/file"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(Downloads, ABrokenConnectionIsResumedWhereItBroke) {
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_, "\"1\"");
    if (++count <= 2) reply.send = 200'000;
    return reply;
  });
  get(server.url("/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=200000-");
  EXPECT_EQ(server.requests()[1].header("if-range"), "\"1\"");
  EXPECT_EQ(server.requests()[2].header("range"), "bytes=400000-");
  EXPECT_EQ(server.served(), content_.size());
}

TEST_F(Downloads, ALaterRunResumesWhatAnEarlierOneLeft) {
  std::atomic<bool> broken = true;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_, "\"1\"");
    if (broken) reply.send = request.header("range").empty() ? 100'000 : 0;
    return reply;
  });
  const std::string said = message([&] { get(server.url("/file")); });
  EXPECT_NE(said.find("interrupted 4 times"), std::string::npos) << said;
  EXPECT_NE(said.find("100000 bytes are in"), std::string::npos) << said;
  EXPECT_EQ(folder_.names(), (Names{"file.part", "file.part.origin"}));
  EXPECT_EQ(server.requests().size(), 4u);
  broken = false;
  get(server.url("/file"));
  expect_file();
  EXPECT_EQ(server.requests().back().header("range"), "bytes=100000-");
  EXPECT_EQ(server.served(), content_.size());
}

TEST_F(Downloads, APartThatIsCompleteIsOnlyChecked) {
  folder_.write("file.part", content_);
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_); });
  get(server.url("/file"));
  expect_file();
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Downloads, APartThatIsTooLongIsReplaced) {
  folder_.write("file.part", content_ + "more");
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_); });
  get(server.url("/file"));
  expect_file();
}

TEST_F(Downloads, ANewVersionOnTheServerIsDownloadedFromTheStart) {
  folder_.write("file.part", "the first bytes of the old version");
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    if (++count > 1) return file_reply(request, content_, "\"new\"");
    HttpReply old = file_reply(request, "old " + content_, "\"old\"");
    old.send = 1000;
    return old;
  });
  get(server.url("/file"));
  expect_file();
  EXPECT_EQ(server.requests()[1].header("if-range"), "\"old\"");
}

TEST_F(Downloads, APartFromAnotherVersionIsNoticedByTheChecksum) {
  // Without a validator the range itself is requested.
  folder_.write("file.part", std::string(1000, 'x'));
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_); });
  get(server.url("/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].header("range"), "bytes=1000-");
  EXPECT_EQ(server.requests()[1].header("range"), "");
}

TEST_F(Downloads, AValidatorIsForgottenWhenTheUrlChanges) {
  folder_.write("file.part", content_.substr(0, 1000));
  folder_.write("file.part.origin", "http://elsewhere/file\n\"1\"\n");
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_, "\"2\""); });
  get(server.url("/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].header("range"), "bytes=1000-");
  EXPECT_EQ(server.requests()[0].header("if-range"), "");
}

TEST_F(Downloads, AWeakETagIsNotUsedForRanges) {
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_);
    reply.headers.insert(reply.headers.end(), {"ETag: W/\"1\"", "Last-Modified: Mon, 16 Nov 2026 05:00:00 GMT"});
    if (++count == 1) reply.send = 1000;
    return reply;
  });
  download({server.url("/file"), path_, sha256_of(content_)}, options_);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].header("if-range"), "Mon, 16 Nov 2026 05:00:00 GMT");
}

TEST_F(Downloads, AServerWithoutRangesBeginsAgain) {
  int count = 0;
  const HttpServer server([&](const HttpRequest&) {
    HttpReply reply{.headers = {}, .body = content_};
    if (++count == 1) reply.send = 200'000;
    return reply;
  });
  get(server.url("/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=200000-");
  EXPECT_EQ(server.served(), 200'000 + content_.size());
}

TEST_F(Downloads, AWrongChecksumIsAnErrorAndNothingIsMovedIntoPlace) {
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, "something else"); });
  const std::string said = message([&] { get(server.url("/file")); });
  EXPECT_NE(said.find(server.url("/file")), std::string::npos) << said;
  EXPECT_NE(said.find("expected " + sha256_of(content_)), std::string::npos) << said;
  EXPECT_NE(said.find("got " + sha256_of("something else")), std::string::npos) << said;
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(Downloads, AMissingFileIsAnErrorAtOnce) {
  const HttpServer server([](const HttpRequest&) { return HttpReply{.status = 404, .headers = {}, .body = "no"}; });
  const std::string said = message([&] { get(server.url("/file")); });
  EXPECT_NE(said.find("the server answers 404"), std::string::npos) << said;
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Downloads, AServerInTroubleIsAskedAgain) {
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    return ++count <= 2 ? HttpReply{.status = 503, .headers = {}, .body = "later"} : file_reply(request, content_);
  });
  get(server.url("/file"));
  expect_file();
}

TEST_F(Downloads, ARefusedConnectionIsAnErrorAtOnce) {
  std::string url;
  {
    url = HttpServer([](const HttpRequest&) { return HttpReply(); }).url("/file");
  }
  EXPECT_THROW(get(url), ServerUnreachable);
  EXPECT_NE(message([&] { get(url); }).find("connect"), std::string::npos);
}

TEST_F(Downloads, RedirectionsAreFollowed) {
  const HttpServer server([&](const HttpRequest& request) {
    if (request.path == "/there") return file_reply(request, content_);
    return HttpReply{.status = 302, .headers = {"Location: /there"}, .body = "moved"};
  });
  get(server.url("/here"));
  expect_file();
}

TEST_F(Downloads, ASlowServerIsWaitedForAsLongAsBytesArrive) {
  options_.stall_seconds = 1;
  const std::string little = content_.substr(0, 30);
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, little);
    reply.piece = 5;
    reply.pause = std::chrono::milliseconds(300);
    return reply;
  });
  download({server.url("/file"), path_, sha256_of(little)}, options_);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(support::read_all(path_), little);
}

TEST_F(Downloads, AStalledServerIsInterruptedAndResumed) {
  options_.stall_seconds = 1;
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_, "\"1\"");
    if (++count == 1) {
      reply.send = 1234;
      reply.stall = true;
    }
    return reply;
  });
  get(server.url("/file"));
  expect_file();
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].header("range"), "bytes=1234-");
}

TEST_F(Downloads, AServerThatStaysSilentIsGivenUp) {
  options_.stall_seconds = 0.5;
  options_.retries = 1;
  const HttpServer server([](const HttpRequest&) {
    HttpReply reply{.headers = {}, .body = "never sent"};
    reply.send = 0;
    reply.stall = true;
    return reply;
  });
  const std::string said = message([&] { get(server.url("/file")); });
  EXPECT_NE(said.find("nothing arrived for 0.5 s"), std::string::npos) << said;
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(Downloads, ProgressAllowsFurtherRetries) {
  options_.retries = 1;
  const std::string large = numbers(1'000'000);  // 6.9 MB
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, large, "\"1\"");
    reply.send = 1'500'000;
    return reply;
  });
  download({server.url("/file"), path_, sha256_of(large)}, options_);
  EXPECT_EQ(server.requests().size(), 5u);
  EXPECT_EQ(server.served(), large.size());
}

TEST_F(Downloads, AFullDiskIsAnErrorThatKeepsTheBytes) {
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_, "\"1\""); });
  // A limit on the size of files stands in for a full disk.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = message([&] { get(server.url("/file")); });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(said.find("file.part: cannot be written"), std::string::npos) << said;
  EXPECT_NE(said.find("100000 bytes are there"), std::string::npos) << said;
  get(server.url("/file"));
  expect_file();
  EXPECT_EQ(server.requests().back().header("range"), "bytes=100000-");
}

TEST_F(Downloads, FileUrlsAreCopiedAndResumed) {
  const support::TempFolder other;
  const std::string url = "file://" + other.write("origin", content_);
  get(url);
  expect_file();
  std::filesystem::remove(path_);
  folder_.write("file.part", content_.substr(0, 1000));
  get(url);
  expect_file();
  std::filesystem::remove(path_);
  EXPECT_NE(message([&] { get(url + "-none"); }).find("cannot be downloaded"), std::string::npos);
}

TEST_F(Downloads, OtherProtocolsAreRefused) {
  EXPECT_NE(message([&] { get("ftp://127.0.0.1/file"); }).find("ftp"), std::string::npos);
}

TEST_F(Downloads, OfTwoThatWantTheSameFileOneDownloadsIt) {
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_);
    reply.pause = std::chrono::milliseconds(10);
    return reply;
  });
  std::thread other([&] { get(server.url("/file")); });
  get(server.url("/file"));
  other.join();
  expect_file();
  EXPECT_EQ(server.requests().size(), 1u);
}

}  // namespace
}  // namespace dragoman::recipe

// Clients share what the server has: a greedy one cannot keep it from an honest one.
#include "serve/shares.h"

#include <gtest/gtest.h>

#include "serve/file_store.h"
#include "serve/glossaries.h"
#include "serve/http_server.h"
#include "tests/serve/test_server.h"

namespace dragoman::serve::test {
namespace {

using std::chrono::milliseconds;

// Which of several holdings have given way.
class SharesTest : public testing::Test {
 protected:
  bool take(Shares& shares, const std::string& client, std::size_t amount, const std::string& name) {
    auto holding = shares.take(client, amount, [this, name] { gone_ += name; });
    const bool taken = holding != nullptr;
    holdings_.push_back(std::move(holding));
    return taken;
  }

  std::string gone_;
  std::vector<std::unique_ptr<Shares::Holding>> holdings_;
};

TEST_F(SharesTest, ASingleHoldingMayBeOfAnySize) {
  Shares shares(10, Shares::Rule::work);
  EXPECT_TRUE(take(shares, "a", 100, "1"));
  EXPECT_FALSE(take(shares, "a", 1, "2"));
  holdings_.clear();
  EXPECT_EQ(shares.total(), 0U);
  EXPECT_EQ(shares.count(), 0U);
}

TEST_F(SharesTest, WorkOfTheClientWithMostGivesWayTheNewestFirst) {
  Shares shares(10, Shares::Rule::work);
  EXPECT_TRUE(take(shares, "greedy", 4, "1") && take(shares, "greedy", 4, "2") && take(shares, "other", 2, "3"));
  EXPECT_FALSE(take(shares, "greedy", 1, "4"));
  EXPECT_TRUE(take(shares, "honest", 3, "5"));
  EXPECT_EQ(gone_, "2");
  EXPECT_FALSE(take(shares, "honest", 3, "6")) << "it would hold most itself";
  EXPECT_EQ(shares.total(), 9U);
  EXPECT_TRUE(holdings_[1]->resize(50)) << "what has given way counts as nothing";
  EXPECT_EQ(shares.total(), 9U);
}

TEST_F(SharesTest, OfACacheWhatWasNotUsedLongestGivesWay) {
  Shares shares(10, Shares::Rule::cache);
  EXPECT_TRUE(take(shares, "greedy", 4, "1") && take(shares, "greedy", 4, "2") && take(shares, "honest", 2, "3"));
  holdings_[0]->touch();
  EXPECT_TRUE(take(shares, "greedy", 4, "4"));
  EXPECT_EQ(gone_, "2");
  EXPECT_TRUE(take(shares, "honest", 3, "5"));
  EXPECT_EQ(gone_, "21");
}

TEST_F(SharesTest, NothingInAStoreGivesWay) {
  Shares shares(100, Shares::Rule::store);
  EXPECT_FALSE(take(shares, "greedy", 51, "1"));
  EXPECT_TRUE(take(shares, "greedy", 50, "2"));
  EXPECT_FALSE(take(shares, "greedy", 1, "3"));
  EXPECT_TRUE(take(shares, "honest", 20, "4"));
  EXPECT_FALSE(holdings_.back()->resize(26));
  EXPECT_TRUE(holdings_.back()->resize(25));
  EXPECT_EQ(gone_, "");
}

TEST_F(SharesTest, ThreadsMayTakeAndGiveBackAtOnce) {
  Shares shares(1000, Shares::Rule::work);
  std::vector<std::thread> threads;
  for (int client = 0; client < 4; ++client)
    threads.emplace_back([&, client] {
      std::vector<std::unique_ptr<Shares::Holding>> own;
      for (std::size_t i = 0; i < 2000; ++i) {
        own.push_back(shares.take(std::to_string(client), i % 97));
        if (own.back() && i % 3 == 0) own.back()->resize(i % 50);
        if (own.size() > 40) own.erase(own.begin(), own.begin() + 20);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shares.total(), 0U);
  EXPECT_EQ(shares.count(), 0U);
}

// Answers every request with so many bytes.
class Answering : public HttpHandler {
 public:
  explicit Answering(std::size_t bytes) : bytes_(bytes) {}
  void admit(HttpRequest&) override {}
  void handle(const std::shared_ptr<Exchange>& exchange) override {
    exchange->respond({.body = std::string(exchange->request().path == "/small" ? 1 : bytes_, 'a')});
  }
  HttpResponse error_page(const HttpRequest&, const HttpError& error) override { return {.status = error.status()}; }

 private:
  std::size_t bytes_;
};

// One client asks for everything all the time, from 127.0.0.2, until an honest one has asked a few times.
template <class Greedy, class Honest>
void soak(Greedy greedy, Honest honest) {
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    while (!stop) greedy();
  });
  for (int i = 0; i < 5; ++i) honest();
  stop = true;
  thread.join();
}

TEST(Soak, AnUploadSurvivesAFloodOfAnnouncementsAndUploads) {
  HttpLimits limits;
  limits.memory_bytes = 1 << 20;
  limits.body_bytes = 512 << 10;
  Answering handler(1);
  const HttpServer server({}, limits, handler);
  const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
  std::vector<Client> flood;
  std::size_t refused = 0;
  const auto greedy = [&] {
    flood.emplace_back(server.port(), 2);
    flood.back().send(head + "500000\r\n\r\n" + std::string(flood.size() % 2 == 0 ? 0 : 200'000, 'a'));
    if (flood.size() < 100) return;
    for (Client& one : flood) refused += one.read(milliseconds(0)).status == 503;
    flood.clear();
  };
  soak(greedy, [&] {
    Client client(server.port());
    client.send(head + "200000\r\n\r\n");
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(client.send(std::string(10'000, 'a'))) << i;
      std::this_thread::sleep_for(milliseconds(5));
    }
    EXPECT_EQ(client.read().status, 200);
  });
  for (Client& one : flood) refused += one.read(milliseconds(100)).status == 503;
  EXPECT_GT(refused, 0U) << "who gives way is told";
}

TEST(Soak, ResponsesThatNobodyReadsHoldUpNobody) {
  HttpLimits limits;
  limits.memory_bytes = 64 << 20;
  Answering handler(16 << 20);  // more than the system takes for a connection
  const HttpServer server({}, limits, handler);
  std::vector<Client> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.emplace_back(server.port(), 2);
    deaf.back().send_request("GET", "/");
  }
  // Four of these responses fit.
  const auto count_open = [&] {
    return std::count_if(deaf.begin(), deaf.end(), [](const Client& one) { return !one.is_reset(); });
  };
  EXPECT_TRUE(eventually([&] { return count_open() <= 4; })) << count_open();
  for (int i = 0; i < 3; ++i)
    for (const char* const path : {"/small", "/"}) EXPECT_EQ(Client(server.port()).get(path).status, 200) << path;
  EXPECT_LE(count_open(), 4);
}

TEST(Soak, AFileWaitsForItsOwnerWhateverOthersUpload) {
  FileStore files(1 << 20);
  const std::string own = files.add("honest", {"a.txt", std::string(100'000, 'a')});
  for (int i = 0; i < 200; ++i) files.add("greedy", {"b.txt", std::string(100'000, 'b')});
  EXPECT_TRUE(files.find(own));
}

TEST(Soak, TheCacheKeepsWhatAQuietClientAsked) {
  TranslationCache cache(100'000);
  TranslationResult result;
  result.translations.emplace_back().text = std::string(100, 'a');
  for (int i = 0; i < 20; ++i) cache.add("honest", "own " + std::to_string(i), result);
  for (int i = 0; i < 2000; ++i) cache.add("greedy", std::to_string(i), result);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(cache.find("own " + std::to_string(i))) << i;
}

TEST(Soak, GlossariesOfOneClientLeaveRoomForOthers) {
  Glossaries glossaries(10 << 20);
  const auto create = [&](const std::string& client) {
    glossaries.create({"", client, client}, "g", {{text::LanguagePair{"en", "de"}, parse_terms("a\tb", "tsv")}});
  };
  EXPECT_THROW(for (;;) create("greedy"), HttpError);
  for (int i = 0; i < 30; ++i) create("honest");
  EXPECT_EQ(glossaries.list("honest").size(), 30U);
}

TEST(Soak, AFullQueueTakesTheWorkOfOthers) {
  ServeOptions options;
  options.max_queue_tokens = 500;
  TestServer server(options);
  server.stage().hold(true);
  std::vector<Client> greedy;
  for (int i = 0; i < 50; ++i) {
    greedy.emplace_back(server.port(), 2);
    greedy.back().send_request("POST", "/translate", "", "source=en&target=de&q=" + std::string(200, 'a'));
  }
  // Nine of 51 tokens fit; one of them gives way.
  ASSERT_TRUE(eventually([&] { return server.metric("dragoman_waiting_tokens") == 459; }));
  Client honest = server.connect();
  honest.send_request("POST", "/translate", "", "source=en&target=de&q=" + std::string(300, 'b'));
  ASSERT_TRUE(eventually([&] { return server.metric("dragoman_waiting_tokens") == 484; }));
  server.stage().hold(false);
  EXPECT_EQ(honest.read().status, 200);
  std::size_t answered = 0, refused = 0;
  for (Client& one : greedy) {
    const Reply reply = one.read();
    answered += reply.status == 200;
    refused += reply.status == 503 && reply.headers.contains("retry-after");
  }
  EXPECT_EQ(answered, 8U);
  EXPECT_EQ(refused, 42U);
}

}  // namespace
}  // namespace dragoman::serve::test

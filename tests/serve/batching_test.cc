// Requests share batches, wait in bounded queues and leave them when their clients do.
#include <gtest/gtest.h>

#include "serve/batch_queue.h"
#include "serve/http_message.h"
#include "tests/serve/test_server.h"

namespace dragoman::serve::test {
namespace {

using std::chrono::milliseconds;

// A queue before a model of a test, and the answers of its jobs.
class QueueTest : public testing::Test {
 protected:
  void open(const BatchLimits& limits) {
    queue_ = std::make_unique<BatchQueue>(
        std::make_unique<search::TextTranslator>(std::make_unique<StageEngine>("de", stage_), TranslatorOptions()),
        limits);
  }
  search::Job job(const std::string& text, search::Cancellation cancelled = nullptr) {
    search::Job job;
    job.request.text = text;
    job.options = std::make_shared<SearchOptions>();
    job.cancelled = std::move(cancelled);
    job.answer = search::Answer([this](const TranslationResult& result, const std::exception_ptr& error) {
      const std::lock_guard lock(mutex_);
      answers_.push_back(error ? "error" : result.translations[0].text);
    });
    return job;
  }
  std::vector<search::Job> jobs(const std::vector<std::string>& texts) {
    std::vector<search::Job> all;
    for (const std::string& text : texts) all.push_back(job(text));
    return all;
  }
  std::size_t count_answers() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }

  std::shared_ptr<Stage> stage_ = std::make_shared<Stage>();
  std::mutex mutex_;
  std::vector<std::string> answers_;
  std::unique_ptr<BatchQueue> queue_;
};

TEST_F(QueueTest, AnIdleModelStartsAtOnce) {
  open({1000, std::chrono::hours(1)});
  queue_->submit(jobs({"a"}));
  EXPECT_TRUE(eventually([&] { return count_answers() == 1; }));
}

TEST_F(QueueTest, WhileTheModelIsBusyTextsGather) {
  open({1000, milliseconds(200)});
  stage_->hold(true);
  queue_->submit(jobs({std::string(400, 'a')}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 1; }));
  for (int i = 0; i < 10; ++i) queue_->submit(jobs({"next"}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 11; }));
  EXPECT_EQ(stage_->batches, (std::vector<std::size_t>{1, 10}));
  stage_->hold(false);
  EXPECT_TRUE(eventually([&] { return count_answers() == 11; }));
}

TEST_F(QueueTest, AsManyAsTheModelIsBusyWithDoNotWait) {
  open({1000, std::chrono::hours(1)});
  stage_->hold(true);
  queue_->submit(jobs({"1", "2", "3"}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 3; }));
  queue_->submit(jobs({"a", "b"}));
  queue_->submit(jobs({"c"}));
  EXPECT_TRUE(eventually([&] { return stage_->count_seen() == 6; }));
  EXPECT_EQ(stage_->batches, (std::vector<std::size_t>{3, 3}));
  stage_->hold(false);
}

TEST_F(QueueTest, AFullBatchDoesNotWait) {
  open({8, std::chrono::hours(1)});
  stage_->hold(true);
  queue_->submit(jobs({std::string(44, 'a')}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 1; }));
  queue_->submit(jobs({"a", "b", "c", "d", "e", "f", "g", "h"}));
  EXPECT_TRUE(eventually([&] { return stage_->count_seen() == 9; }));
  stage_->hold(false);
}

TEST_F(QueueTest, RequestsTakeTurns) {
  open({4, milliseconds(0)});
  stage_->hold(true);
  queue_->submit(jobs({"1", "2", "3", "4", "5", "6", "7", "8"}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 8; }));
  // The model has two batches; the rest waits.
  queue_->submit(jobs({"a1", "a2", "a3"}));
  queue_->submit(jobs({"b1"}));
  EXPECT_EQ(queue_->counts().waiting, 4U);
  stage_->hold(false);
  ASSERT_TRUE(eventually([&] { return count_answers() == 12; }));
  const std::lock_guard lock(stage_->mutex);
  EXPECT_EQ(std::vector<std::string>(stage_->seen.begin() + 8, stage_->seen.end()),
            (std::vector<std::string>{"a1", "b1", "a2", "a3"}));
}

TEST_F(QueueTest, CancelledTextsNeverReachTheModel) {
  open({1, milliseconds(0)});
  stage_->hold(true);
  queue_->submit(jobs({"1", "2"}));
  ASSERT_TRUE(eventually([&] { return stage_->count_seen() == 2; }));
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  std::vector<search::Job> unwanted;
  unwanted.push_back(job("unwanted", cancelled));
  queue_->submit(std::move(unwanted));
  cancelled->store(true);
  stage_->hold(false);
  ASSERT_TRUE(eventually([&] { return count_answers() == 3; }));
  EXPECT_EQ(stage_->count_seen(), 2U);
  EXPECT_EQ(std::count(answers_.begin(), answers_.end(), "error"), 1);
}

TEST_F(QueueTest, ItsEndFinishesWhatWaits) {
  open({2, std::chrono::hours(1)});
  queue_->submit(jobs({"1", "2", "3", "4", "5", "6"}));
  queue_.reset();
  EXPECT_EQ(answers_.size(), 6U);
  EXPECT_EQ(std::count(answers_.begin(), answers_.end(), "error"), 0);
}

// The stage works on 32 sentences at a time: 512 tokens are a batch, and two batches are on their way.
TEST(Queue, OnlyAsMuchAsKeepsTheModelBusyIsPassedOn) {
  TestServer server;
  server.stage().hold(true);
  Client client = server.connect();
  std::vector<std::string> texts;
  for (int i = 1000; i < 2000; ++i) texts.push_back("sixteen bytes " + std::to_string(i));
  client.send_request("POST", "/translate", "Content-Type: application/json\r\n",
                      nlohmann::json{{"q", texts}, {"source", "en"}, {"target", "de"}}.dump());
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() >= 200; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(server.stage().count_seen(), 210U);
  server.stage().hold(false);
  EXPECT_EQ(client.read().json()["translatedText"].size(), 1000U);
}

// Sends a request and does not wait for its answer.
Client ask_without_waiting(const TestServer& server, const std::string& text) {
  Client client = server.connect();
  client.send_request("POST", "/translate", "", "source=en&target=de&q=" + text);
  return client;
}

TEST(Queue, IfTooMuchWaitsTheServerSaysTryLater) {
  ServeOptions options;
  options.max_queue_tokens = 10;
  TestServer server(options);
  server.stage().hold(true);
  Client accepted = ask_without_waiting(server, std::string(30, 'a'));
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  const Reply refused = server.translate(std::string(30, 'b'));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(server.connect().get("/health").status, 200);
  server.stage().hold(false);
  EXPECT_EQ(accepted.read().status, 200);
  EXPECT_EQ(server.translate(std::string(30, 'b')).status, 200);
}

TEST(Queue, AClientThatLeavesFreesItsPlace) {
  ServeOptions options;
  options.max_queue_tokens = 10;
  TestServer server(options);
  server.stage().hold(true);
  Client leaving = ask_without_waiting(server, std::string(30, 'a'));
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  leaving.close();
  EXPECT_TRUE(eventually([&] { return server.stage().cancelled == 1; }));
  EXPECT_TRUE(eventually([&] { return server.metric("dragoman_waiting_tokens") == 0; }));
  EXPECT_TRUE(eventually([&] {
    return server.connect_admin().get("/metrics").body.find("{route=\"/translate\",status=\"499\"} 1") !=
           std::string::npos;
  }));
  server.stage().hold(false);
  EXPECT_EQ(server.translate("b").status, 200);
}

TEST(Queue, ARequestThatTakesTooLongIsGivenUp) {
  ServeOptions options;
  options.timeout = "100ms";
  TestServer server(options);
  server.stage().hold(true);
  const Reply reply = server.translate("a");
  EXPECT_EQ(reply.status, 504);
  EXPECT_EQ(reply.json()["error"], "the answer took too long");
  EXPECT_TRUE(eventually([&] { return server.stage().cancelled == 1; }));
  // Counted once, under its route.
  const auto metrics = [&] { return server.connect_admin().get("/metrics").body; };
  EXPECT_TRUE(
      eventually([&] { return metrics().find("{route=\"/translate\",status=\"504\"} 1") != std::string::npos; }));
  EXPECT_EQ(metrics().find("status=\"499\""), std::string::npos);
  EXPECT_EQ(metrics().find("route=\"none\""), std::string::npos);
  server.stage().hold(false);
  EXPECT_EQ(server.translate("b").status, 200);
}

TEST(Cache, TextsAreTranslatedOnce) {
  TestServer server;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.translate("One. Two.").json()["translatedText"], "de(One.) de(Two.)");
  EXPECT_EQ(server.stage().count_seen(), 2U);
  EXPECT_EQ(server.metric("dragoman_cache_hits_total"), 4);
  server.connect_admin().ask("POST", "/admin/reload");
  server.translate("One.");
  EXPECT_EQ(server.stage().count_seen(), 3U);
}

TEST(Cache, StaysWithinItsBytesAndForgetsTheOldestFirst) {
  TranslationCache cache(12'000);
  TranslationResult result;
  result.translations.emplace_back().text = std::string(100, 'a');
  for (int i = 0; i < 1000; ++i) {
    cache.add("anna", "key " + std::to_string(i), result);
    EXPECT_TRUE(cache.find("key 0")) << i;
    EXPECT_LE(cache.counts().bytes, 12'000U);
  }
  EXPECT_FALSE(cache.find("key 1"));
  EXPECT_TRUE(cache.find("key 999"));
  result.translations[0].text = std::string(20'000, 'a');
  cache.add("anna", "too large", result);
  EXPECT_FALSE(cache.find("too large"));
}

TEST(Reload, LosesNoRequest) {
  ServeOptions options;
  options.cache_mb = 0;
  TestServer server(options);
  std::atomic<bool> stop = false;
  std::atomic<int> good = 0, bad = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      Client client = server.connect();
      while (!stop) ++(client.post_form("/translate", "q=a&source=en&target=fr").status == 200 ? good : bad);
    });
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(server.connect_admin().ask("POST", "/admin/reload").status, 200);
    EXPECT_TRUE(eventually([&] { return good > 5 * i; }));
  }
  stop = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(bad, 0);
}

TEST(Shutdown, FinishesWhatWasAcceptedAndTakesNothingElse) {
  TestServer server;
  const int port = server.port();
  server.stage().hold(true);
  std::vector<Client> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(ask_without_waiting(server, "text" + std::to_string(i)));
  ASSERT_TRUE(eventually([&] { return server.metric("dragoman_requests_in_progress") == 20; }));
  Client idle(port);
  server.server().stop();
  EXPECT_TRUE(idle.is_closed_within(milliseconds(5000)));
  EXPECT_THROW(Client refused(port), Error);
  server.stage().hold(false);
  for (int i = 0; i < 20; ++i) {
    const Reply reply = waiting[static_cast<std::size_t>(i)].read();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.json()["translatedText"], "de(text" + std::to_string(i) + ")");
    EXPECT_EQ(reply.headers.at("connection"), "close");
  }
  server.server().join();
}

TEST(Shutdown, UnderLoadEveryRequestThatWasSentIsAnswered) {
  ServeOptions options;
  options.cache_mb = 0;
  TestServer server(options);
  std::atomic<int> good = 0, lost = 0;
  std::vector<std::thread> clients;
  const int port = server.port();
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      Client client(port);
      for (;;) {
        const Reply reply = client.post_form("/translate", "q=a&source=en&target=de");
        ++(reply.status == 200 ? good : lost);
        const auto connection = reply.headers.find("connection");
        if (reply.status != 200 || (connection != reply.headers.end() && connection->second == "close")) return;
      }
    });
  EXPECT_TRUE(eventually([&] { return good > 50; }));
  server.server().stop();
  server.server().join();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(lost, 0);
}

TEST(Shutdown, DoesNotWaitForeverForWork) {
  ServeOptions options;
  options.grace = "0.1s";
  TestServer server(options);
  server.stage().hold(true);
  Client waiting = ask_without_waiting(server, "a");
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  server.server().stop();
  server.server().join();
  EXPECT_EQ(waiting.read().status, 0);
  EXPECT_TRUE(eventually([&] { return server.stage().cancelled == 1; }));
}

TEST(Shutdown, WaitsForAModelThatIsStillBusyWithClientsThatLeft) {
  ServeOptions options;
  options.grace = "0.1s";
  auto server = std::make_unique<TestServer>(options);
  const std::shared_ptr<Stage> stage = server->shared_stage();
  stage->deaf = true;
  stage->hold(true);
  Client waiting = ask_without_waiting(*server, "a");
  ASSERT_TRUE(eventually([&] { return stage->count_seen() == 1; }));
  std::thread model([&] {
    std::this_thread::sleep_for(milliseconds(300));
    stage->hold(false);
  });
  server.reset();
  EXPECT_EQ(stage->cancelled, 1);
  model.join();
}

TEST(Shutdown, DropsModelsThatAreLoadedMeanwhile) {
  ServeOptions options;
  options.grace = "0.1s";
  auto server = std::make_unique<TestServer>(options);
  const std::shared_ptr<Stage> stage = server->shared_stage();
  stage->holds_loading = true;
  std::vector<Client> clients;  // more than there are task threads
  for (int i = 0; i < 5; ++i) {
    clients.push_back(server->connect_admin());
    clients.back().send_request("POST", "/admin/reload");
  }
  ASSERT_TRUE(eventually([&] { return stage->loaded == 2; }));
  std::thread loading([&] {
    std::this_thread::sleep_for(milliseconds(300));
    stage->holds_loading = false;
  });
  server.reset();
  loading.join();
  EXPECT_EQ(stage->loaded, 2);  // the other requests found the server closed
}

}  // namespace
}  // namespace dragoman::serve::test

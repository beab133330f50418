// Whatever one client does, the server answers the others.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <future>

#include "serve/file_store.h"
#include "tests/serve/test_server.h"

namespace dragoman::serve::test {
namespace {

using std::chrono::milliseconds;

ServeOptions impatient() {
  ServeOptions options;
  options.receive_timeout = "200ms";
  options.idle_timeout = "0.3s";
  options.max_body_kb = 64;
  return options;
}

void expect_works(const TestServer& server) {
  const Reply reply = server.translate("still here");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.json()["translatedText"], "de(still here)");
}

TEST(HostileClients, BytesThatAreNoRequest) {
  const TestServer server(impatient());
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02"), std::string("GET\r\n\r\n"), std::string("\0\0\0\0\r\n\r\n", 8),
        std::string("GET / HTTP/9.9\r\n\r\n"), std::string("GET / HTTP/1.1\r\nBad Header\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
    Client client = server.connect();
    client.send(bytes);
    const Reply reply = client.read(milliseconds(2000));
    EXPECT_TRUE(reply.status == 400 || reply.status == 413 || reply.status == 0) << reply.status;
    EXPECT_TRUE(client.is_closed_within(milliseconds(5000)));
  }
  expect_works(server);
}

// A body that a proxy would see must not become a request here.
TEST(HostileClients, RequestsWhoseEndIsUnclearAreRefused) {
  const TestServer server;
  const std::string hidden = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& headers :
       {std::string("Transfer-Encoding: xchunked\r\n"), std::string("Transfer-Encoding: chunked, identity\r\n"),
        std::string("Transfer-Encoding: identity\r\n"), std::string("Transfer-Encoding: gzip, chunked\r\n"),
        std::string("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
        std::string("Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n"),
        std::string("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
        std::string("Content-Length: 5\r\nContent-Length: 5\r\n"), std::string("Content-Length: 5, 5\r\n"),
        std::string("Host: other\r\n")}) {
    Client client = server.connect();
    client.send("POST /detect HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n" + hidden);
    EXPECT_EQ(client.read().status, 400) << headers;
    EXPECT_EQ(client.read().status, 0) << headers;
  }
  Client chunked = server.connect();
  chunked.send("POST /detect HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nq=a\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.read().status, 200);
}

TEST(HostileClients, HugeHeadersAndBodies) {
  const TestServer server(impatient());
  EXPECT_EQ(server.connect().get("/" + std::string(100'000, 'a')).status, 431);
  EXPECT_EQ(server.connect().get("/health", "X: " + std::string(100'000, 'a') + "\r\n").status, 431);
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(server.connect().get("/health", many).status, 431);
  EXPECT_EQ(server.connect().post_form("/translate", "q=" + std::string(1 << 20, 'a')).status, 413);
  Client chunked = server.connect();
  chunked.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "1000\r\n" + std::string(4096, 'a') + "\r\n";
  for (int i = 0; i < 100 && chunked.send(chunk); ++i) {
  }
  EXPECT_EQ(chunked.read().status, 413);
  expect_works(server);
}

TEST(HostileClients, JsonBombsAndWrongTypes) {
  const TestServer server(impatient());
  const auto post = [&](const std::string& body) {
    return server.connect().ask("POST", "/translate", "Content-Type: application/json\r\n", body).status;
  };
  EXPECT_EQ(post(std::string(60'000, '[')), 400);
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "{\"a\":";
  EXPECT_EQ(post(nested), 400);
  EXPECT_EQ(post("{\"q\": \"\xc3\x28\", \"source\": \"en\", \"target\": \"de\"}"), 400);
  EXPECT_EQ(post(R"({"q": {"a": 1}, "source": "en", "target": "de"})"), 400);
  EXPECT_EQ(post(R"({"q": "a", "source": ["en"], "target": "de"})"), 400);
  EXPECT_EQ(post(R"({"q": "a", "source": "en", "target": "de", "terms": [1]})"), 400);
  EXPECT_EQ(post(R"({"q": "\u0000\ud800", "source": "en", "target": "de"})"), 400);
  EXPECT_EQ(post(R"({"q": 1e999, "source": "en", "target": "de"})"), 400);
  expect_works(server);
}

TEST(HostileClients, LanguageCodesOfAnyLengthForAnyNumberOfTexts) {
  const TestServer server;
  const std::string code = "en" + std::string(1'000'000, '_');
  const nlohmann::json many = {{"q", std::vector<std::string>(300'000)}, {"source", code}, {"target", "de"}};
  const nlohmann::json allowed = {{"q", std::vector<std::string>(1000)}, {"source", code}, {"target", "de"}};
  EXPECT_EQ(server.connect().post_json("/translate", many).status, 400);
  EXPECT_EQ(server.connect().post_json("/translate", allowed).status, 400);
  expect_works(server);
}

TEST(HostileClients, NamesInMessagesAreReadable) {
  const TestServer server;
  const nlohmann::json strange = {{"q", "a"}, {"source", "en"}, {"target", std::string("d\0", 2) + "äöü"}};
  EXPECT_EQ(server.connect().post_json("/translate", strange).json()["error"],
            "d\\x00äöü is not supported; there are: de, en, fr");
}

TEST(HostileClients, HealthAndMetricsAreAnsweredWhenAllThreadsAreBusy) {
  const TestServer server;
  std::string slow = "{\"a\":1";
  for (int i = 0; i < 150'000; ++i) slow += ",\"" + std::to_string(i) + "\":1";
  slow += ",\"a\":1}";
  std::vector<Client> busy;
  for (int i = 0; i < 16; ++i) {
    busy.push_back(server.connect());
    busy.back().send_request("POST", "/translate", "Content-Type: application/json\r\n", slow);
  }
  Client client = server.connect();
  EXPECT_EQ(client.get("/health").status, 200);
  EXPECT_EQ(server.connect_admin().get("/metrics").status, 200);
  EXPECT_EQ(busy.back().read(milliseconds(0)).status, 0);
  for (Client& one : busy) {
    const int status = one.read().status;
    EXPECT_TRUE(status == 400 || status == 504) << status;  // a key is given twice, or found too late
  }
}

TEST(HostileClients, ReloadsHoldUpNobody) {
  TestServer server;
  server.stage().holds_loading = true;
  std::vector<Client> reloads;
  for (int i = 0; i < 8; ++i) {
    reloads.push_back(server.connect_admin());
    reloads.back().send_request("POST", "/admin/reload");
  }
  ASSERT_TRUE(eventually([&] { return server.stage().loaded == 2; }));
  expect_works(server);
  server.stage().holds_loading = false;
  for (Client& one : reloads) EXPECT_EQ(one.read().status, 200);
}

// Fields that nobody needs may take many times the memory of their text.
TEST(HostileClients, ARequestThatWaitsKeepsOnlyItsTexts) {
  TestServer server;
  server.stage().hold(true);
  std::string body = R"({"q": "a", "source": "en", "target": "de", "x": [)";
  for (int i = 0; i < 200'000; ++i) body += "[],";
  body += "0]}";
  const auto bytes = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = bytes();
  std::vector<Client> clients;
  for (std::size_t i = 1; i <= 8; ++i) {
    clients.push_back(server.connect());
    clients.back().send_request("POST", "/translate", "Content-Type: application/json\r\n", body);
    ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == i; }));
  }
  EXPECT_TRUE(eventually([&] { return bytes() < before + body.size(); }));
  server.stage().hold(false);
  for (Client& client : clients) EXPECT_EQ(client.read().status, 200);
}

TEST(HostileClients, TagsOfARequestAreFew) {
  const TestServer server;
  std::string tags = "a";
  for (int i = 0; i < 1000; ++i) tags += ",a" + std::to_string(i);
  for (const char* const key : {"ignore_tags", "splitting_tags", "non_splitting_tags"})
    EXPECT_EQ(server.connect()
                  .post_json("/v2/translate", {{"text", {"a"}}, {"target_lang", "DE"}, {key, tags}})
                  .json()["message"],
              std::string(key) + " may have 200 tags");
}

TEST(HostileClients, EmptyFilesTakeMemoryToo) {
  FileStore store(100'000);
  const std::string first = store.add("anna", {"a.txt", ""});
  for (int i = 0; i < 1000; ++i) store.add("anna", {"a.txt", ""});
  EXPECT_FALSE(store.find(first));
}

TEST(HostileClients, SlowSendersAreCutOff) {
  const TestServer server(impatient());
  Client header = server.connect(), body = server.connect(), silent = server.connect();
  header.send("GET /hea");
  body.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nq=");
  expect_works(server);
  EXPECT_TRUE(header.is_closed_within(milliseconds(5000)));
  EXPECT_TRUE(body.is_closed_within(milliseconds(5000)));
  EXPECT_TRUE(silent.is_closed_within(milliseconds(5000)));
  // One byte at a time is no way around the limit.
  Client dripping = server.connect();
  bool open = true;
  for (int i = 0; i < 100 && open; ++i) {
    open = dripping.send("a");
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_FALSE(open);
}

TEST(HostileClients, HalfClosedConnections) {
  TestServer server(impatient());
  Client before = server.connect();
  before.send("GET /health HTTP/1.1\r\n");
  before.half_close();
  EXPECT_TRUE(before.is_closed_within(milliseconds(5000)));
  // Ending the own side while waiting counts as leaving.
  server.stage().hold(true);
  Client during = server.connect();
  during.send_request("POST", "/translate", "Content-Type: application/x-www-form-urlencoded\r\n",
                      "q=a&source=en&target=de");
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  during.half_close();
  EXPECT_TRUE(during.is_closed_within(milliseconds(5000)));
  EXPECT_TRUE(eventually([&] { return server.stage().cancelled == 1; }));
  server.stage().hold(false);
  expect_works(server);
}

TEST(HostileClients, WhoeverSendsMoreAndLeavesHasLeft) {
  TestServer server;
  server.stage().hold(true);
  Client client = server.connect();
  client.send_request("POST", "/translate", "", "q=a&source=en&target=de");
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 1; }));
  client.send("G");
  std::this_thread::sleep_for(milliseconds(20));
  client.send("ET");
  std::this_thread::sleep_for(milliseconds(20));
  client.close();
  EXPECT_TRUE(eventually([&] { return server.stage().cancelled == 1; }));
  server.stage().hold(false);
  expect_works(server);
}

TEST(HostileClients, AThousandIdleConnectionsCostNoOneElse) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit before = limit;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2500) GTEST_SKIP() << "this process may open only " << limit.rlim_cur << " files";
  {
    const TestServer server;
    std::vector<Client> idle;
    for (int i = 0; i < 1000; ++i) idle.push_back(server.connect());
    for (int i = 0; i < 20; ++i) expect_works(server);
    EXPECT_TRUE(eventually([&] { return server.metric("dragoman_connections") >= 1000; }));
    EXPECT_EQ(idle[500].get("/health").status, 200);
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(HostileClients, BeyondTheLimitTheLongestIdleConnectionGoes) {
  ServeOptions options;
  options.max_connections = 3;
  options.trust_proxy = true;
  const TestServer server(options);
  Client first = server.connect();
  EXPECT_EQ(first.get("/health").status, 200);
  Client second = server.connect();
  EXPECT_EQ(second.get("/health").status, 200);
  Client third = server.connect(), fourth = server.connect();
  EXPECT_EQ(third.get("/health").status, 200);
  EXPECT_EQ(fourth.get("/health").status, 200);
  EXPECT_TRUE(first.is_closed_within(milliseconds(5000)));
  EXPECT_EQ(second.get("/health").status, 200);
}

TEST(HostileClients, SlowSendersDoNotLockOthersOut) {
  ServeOptions options;
  options.max_connections = 3;
  options.trust_proxy = true;
  const TestServer server(options);
  std::vector<Client> slow;
  for (int i = 0; i < 9; ++i) {
    slow.push_back(server.connect());
    slow.back().send(i % 2 == 0 ? "G" : "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nq=");
    std::this_thread::sleep_for(milliseconds(2));
  }
  expect_works(server);
  EXPECT_TRUE(slow.front().is_closed_within(milliseconds(5000)));
}

TEST(HostileClients, IfAllConnectionsAreBusyNewOnesAreTurnedAway) {
  ServeOptions options;
  options.max_connections = 2;
  options.trust_proxy = true;
  TestServer server(options);
  server.stage().hold(true);
  Client first = server.connect(), second = server.connect();
  for (Client* client : {&first, &second}) client->send_request("POST", "/translate", "", "q=a&source=en&target=de");
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 2; }));
  Client third = server.connect();
  const Reply refused = third.read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.headers.contains("retry-after"));
  server.stage().hold(false);
  EXPECT_EQ(first.read().status, 200);
  EXPECT_EQ(second.read().status, 200);
  // The one that was turned away takes no place, although its client has not closed it.
  EXPECT_EQ(server.metric("dragoman_connections"), 2);
}

TEST(HostileClients, OneAddressCannotTakeAllConnections) {
  ServeOptions options;
  options.max_connections = 4;
  TestServer server(options);
  Client other(server.port(), 2);
  EXPECT_EQ(other.get("/health").status, 200);
  // Connections that wait give way to others of their own address.
  Client first = server.connect();
  EXPECT_EQ(first.get("/health").status, 200);
  Client second = server.connect(), third = server.connect();
  EXPECT_EQ(second.get("/health").status, 200);
  EXPECT_EQ(third.get("/health").status, 200);
  EXPECT_TRUE(first.is_closed_within(milliseconds(5000)));
  // If all of them are busy, the next one is turned away, but not that of another address.
  server.stage().hold(true);
  for (Client* client : {&second, &third}) client->send_request("POST", "/translate", "", "q=a&source=en&target=de");
  ASSERT_TRUE(eventually([&] { return server.stage().count_seen() == 2; }));
  EXPECT_EQ(server.connect().read().status, 503);
  EXPECT_EQ(other.get("/health").status, 200);
  EXPECT_EQ(Client(server.port(), 3).get("/health").status, 200);
  server.stage().hold(false);
  EXPECT_EQ(second.read().status, 200);
  EXPECT_EQ(third.read().status, 200);
  EXPECT_EQ(server.connect().get("/health").status, 200);
}

TEST(HostileClients, PathsLeadNowhereElse) {
  const TestServer server;
  for (const char* const path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/download_file/..%2f..%2fetc%2fpasswd",
        "/page/../server.cc", "/index.html/", "/.", "/index.html%00", "/\\..\\", "/translate/", "/download_file/"}) {
    const Reply reply = server.connect().get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body.find("root:"), std::string::npos);
  }
  EXPECT_EQ(server.connect().get("/download_file/%zz").status, 400);
  EXPECT_EQ(server.connect().get("/translate").status, 405);
  EXPECT_EQ(server.connect().ask("BREW", "/health").status, 405);
}

TEST(HostileClients, ReadersThatNeverReadBlockOnlyThemselves) {
  const TestServer server;
  std::vector<Client> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.push_back(server.connect());
    for (int j = 0; j < 50; ++j) deaf.back().send_request("GET", "/languages");
  }
  for (int i = 0; i < 10; ++i) expect_works(server);
}

}  // namespace
}  // namespace dragoman::serve::test

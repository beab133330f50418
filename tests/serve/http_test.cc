// HTTP itself: connections, methods, headers, access.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "base/version.h"
#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

TEST(Http, AConnectionServesManyRequests) {
  const TestServer server;
  Client client = server.connect();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get("/health").json()["status"], "ok");
}

TEST(Http, PipelinedRequestsAreAnsweredInOrder) {
  const TestServer server;
  Client client = server.connect();
  for (const char* const text : {"a", "b", "c"})
    client.send_request("POST", "/translate", "", std::string("source=en&target=de&q=") + text);
  for (const char* const text : {"a", "b", "c"})
    EXPECT_EQ(client.read().json()["translatedText"], std::string("de(") + text + ")");
}

TEST(Http, ClientsThatAskFirstMaySend) {
  const TestServer server;
  Client client = server.connect();
  client.send("POST /detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.read().status, 100);
  client.send("q=a");
  EXPECT_EQ(client.read().status, 200);
}

TEST(Http, OldClientsAndThoseThatSayCloseAreClosed) {
  const TestServer server;
  Client old = server.connect();
  old.send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.read().status, 200);
  EXPECT_TRUE(old.is_closed_within(std::chrono::milliseconds(5000)));
  Client polite = server.connect();
  EXPECT_EQ(polite.get("/health", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(polite.is_closed_within(std::chrono::milliseconds(5000)));
}

TEST(Http, OldClientsMayKeepTheConnection) {
  const TestServer server;
  Client old = server.connect();
  for (int i = 0; i < 2; ++i) {
    old.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(old.read().headers["connection"], "keep-alive");
  }
}

TEST(Http, OldClientsCannotBeAskedToContinue) {
  const TestServer server;
  Client old = server.connect();
  old.send("POST /detect HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nq=a");
  EXPECT_EQ(old.read().status, 200);
}

TEST(Http, OthersNameTheirHost) {
  const TestServer server;
  Client client = server.connect();
  client.send("GET /health HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read().status, 400);
}

TEST(Http, TargetsMayNameTheServer) {
  const TestServer server;
  Client client = server.connect();
  EXPECT_EQ(client.get("http://localhost/health").json()["status"], "ok");
  EXPECT_EQ(client.get("HTTPS://localhost").headers["content-type"], "text/html; charset=utf-8");
  EXPECT_EQ(client.ask("POST", "http://localhost/detect?q=a").status, 200);
  EXPECT_EQ(client.get("http://localhost/v2/nothing").json().count("message"), 1U);
}

TEST(Http, PathsSayWhichMethodsTheySupport) {
  const TestServer server;
  Client client = server.connect();
  EXPECT_EQ(client.ask("DELETE", "/v2/languages").headers["allow"], "GET, POST");
  const Reply reply = client.ask("POST", "/v3/glossaries/x");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.headers.at("allow"), "GET, PATCH, DELETE");
}

TEST(Http, HeadGivesTheHeadersOfGet) {
  const TestServer server;
  Client client = server.connect();
  client.ignores_body = true;
  const Reply reply = client.ask("HEAD", "/health");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-length"), "15");
  EXPECT_EQ(client.ask("HEAD", "/health").status, 200);
}

TEST(Http, ThePageIsServedWithHeadersThatProtectIt) {
  const TestServer server;
  const Reply reply = server.connect().get("/");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
  EXPECT_NE(reply.headers.at("content-security-policy").find("default-src 'none'"), std::string::npos);
  EXPECT_FALSE(reply.headers.contains("access-control-allow-origin"));
}

// A page of another site may post a form without asking; nothing of it is carried out.
TEST(Http, PagesOfOtherOriginsAreRefused) {
  ServeOptions options;
  options.cors_origin = "https://example.org";
  TestServer server(options);
  const Reply preflight = server.connect().ask("OPTIONS", "/translate", "Origin: https://example.org\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_FALSE(preflight.headers.contains("content-length"));
  EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "https://example.org");
  const auto post = [&](const TestServer& to, const std::string& origin) {
    return to.connect().post_form("/translate", "q=a&source=en&target=de", "Origin: " + origin + "\r\n").status;
  };
  EXPECT_EQ(post(server, "https://example.org"), 200);
  TestServer closed;
  for (const char* const foreign : {"https://example.org", "null", "http://localhost:1", "http://localhost.evil.org",
                                    "http://evil.org/localhost", "localhost", "file://"}) {
    EXPECT_EQ(post(closed, foreign), 403) << foreign;
    EXPECT_EQ(closed.connect_admin().ask("POST", "/admin/reload", std::string("Origin: ") + foreign + "\r\n").status,
              403);
    EXPECT_EQ(closed.connect().ask("OPTIONS", "/translate", std::string("Origin: ") + foreign + "\r\n").status, 403);
  }
  EXPECT_EQ(closed.stage().count_seen(), 0U);
  EXPECT_EQ(closed.stage().loaded, 1);
  EXPECT_EQ(post(closed, "http://localhost"), 200) << "its own page";
}

// DNS rebinding: a page of a name that leads to this server is of the same origin, but the name is not ours.
TEST(Http, OnlyItsOwnNamesAreServed) {
  ServeOptions options;
  options.hosts = {"translate.example.org"};
  const TestServer server(options);
  const auto ask = [&](const std::string& host) {
    Client client = server.connect();
    client.send("GET /languages HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read().status;
  };
  for (const char* const own : {"localhost", "LOCALHOST:5000", "127.0.0.1:5000", "[::1]:5000", "192.168.1.7",
                                "translate.example.org", "Translate.Example.org:443"})
    EXPECT_EQ(ask(own), 200) << own;
  for (const char* const foreign : {"evil.org", "localhost.evil.org", "evil.org:localhost", "127.0.0.1.evil.org",
                                    "example.org", "[::1", "[evil.org]", "a:b:c", "127.0.0.1:5000.evil.org:1"})
    EXPECT_EQ(ask(foreign), 421) << foreign;
  Client admin = server.connect_admin();
  admin.send("GET /metrics HTTP/1.1\r\nHost: translate.example.org\r\n\r\n");
  EXPECT_EQ(admin.read().status, 421);
}

TEST(Http, CompressedBodiesAreRefused) {
  const TestServer server;
  EXPECT_EQ(server.connect().post_form("/translate", "\x1f\x8b", "Content-Encoding: gzip\r\n").status, 415);
}

TEST(Http, MetricsAndReloadsHaveAPortOfTheirOwn) {
  TestServer server;
  for (const char* const headers : {"", "X-Forwarded-For: 127.0.0.1\r\n", "X-Real-IP: 127.0.0.1\r\n"}) {
    EXPECT_EQ(server.connect().ask("POST", "/admin/reload", headers).status, 404);
    EXPECT_EQ(server.connect().get("/metrics", headers).status, 404);
  }
  EXPECT_EQ(server.connect_admin().get("/languages").status, 404);
  EXPECT_EQ(server.stage().loaded, 1);
  EXPECT_EQ(server.connect_admin().ask("POST", "/admin/reload").status, 200);
  EXPECT_EQ(server.stage().loaded, 2);
}

TEST(Http, EveryRequestIsLoggedWithoutItsText) {
  const support::TempFolder folder;
  ServeOptions options;
  options.access_log = folder.file("log");
  {
    const TestServer server(options);
    server.translate("private words");
    server.connect().get("/nowhere\x01");
    for (const char* const path : {"/download_file/secret", "/download_file/secret/", "//secret", "/secret"})
      server.connect().get(path);
  }
  const std::string log = support::read_all(folder.file("log"));
  const auto first = nlohmann::json::parse(log.substr(0, log.find('\n')));
  EXPECT_EQ(first["path"], "/translate");
  EXPECT_EQ(first["status"], 200);
  EXPECT_EQ(first["client"], "127.0.0.1");
  EXPECT_EQ(log.find("private"), std::string::npos);
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  EXPECT_NE(log.find("404"), std::string::npos);
}

TEST(Http, TheLogHasTheAddressThatATrustedProxyNamesAndTheRequestThatFailed) {
  const support::TempFolder folder;
  ServeOptions options;
  options.access_log = folder.file("log");
  options.trust_proxy = true;
  {
    const TestServer server(options);
    Client client = server.connect();
    client.get("/health", "X-Forwarded-For: 1.1.1.1\r\n");
    client.send("no request\r\n\r\n");
    EXPECT_EQ(client.read().status, 400);
  }
  std::istringstream log(support::read_all(folder.file("log")));
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(nlohmann::json::parse(line)["client"], "1.1.1.1");
  std::getline(log, line);
  EXPECT_EQ(nlohmann::json::parse(line)["path"], "none");
}

TEST(Http, ALogThatCannotBeWrittenIsSaid) {
  ServeOptions options;
  options.access_log = "/dev/full";
  const TestServer server(options);
  testing::internal::CaptureStderr();
  log::set_level(log::Level::info);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.connect().get("/health").status, 200);
  EXPECT_TRUE(eventually([&] { return server.metric("dragoman_connections") >= 0; }));
  log::set_level(log::Level::quiet);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("--access-log /dev/full: No space left on device"), std::string::npos) << said;
  EXPECT_EQ(said.find("--access-log"), said.rfind("--access-log")) << "once";
}

TEST(Http, APortOfTheClientIsNoPartOfItsAddress) {
  const support::TempFolder folder;
  ServeOptions options;
  options.access_log = folder.file("log");
  options.trust_proxy = true;
  options.rate_limit = 1;
  const TestServer server(options);
  int answered = 0;
  for (const char* const address :
       {"1.1.1.1:1", "1.1.1.1:2", "1.1.1.1", "[2001:db8::1]:1", "[2001:db8::2]:2", "2001:db8::3", "9.9.9.9, 1.1.1.1:3"})
    answered +=
        server.connect().get("/v2/languages", std::string("X-Forwarded-For: ") + address + "\r\n").status == 200;
  EXPECT_EQ(answered, 2);
  const std::string log = support::read_all(folder.file("log"));
  EXPECT_EQ(nlohmann::json::parse(log.substr(0, log.find('\n')))["client"], "1.1.1.1");
}

TEST(Http, EveryRouteIsDescribed) {
  TestServer server;
  const nlohmann::json paths = server.connect().get("/openapi.json").json().at("paths");
  std::set<std::string> described, routes;
  for (const auto& [path, operations] : paths.items())
    for (const auto& [method, operation] : operations.items()) described.insert(method + " " + path);
  for (const Route& route : server.server().routes()) {
    std::string method = route.method, path = route.path;
    std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::tolower(c); });
    if (const std::size_t open = path.find("{}"); open != std::string::npos) path.replace(open, 2, "{id}");
    if (path != "/" && path.find('.') != std::string::npos && path != "/openapi.json") continue;  // files of the page
    if (path != "/") routes.insert(method + " " + path);
  }
  EXPECT_EQ(described, routes);
}

TEST(Http, TheDescriptionHasTheVersionOfTheProgram) {
  const TestServer server;
  EXPECT_EQ(server.connect().get("/openapi.json").json()["info"]["version"], DRAGOMAN_VERSION);
}

TEST(Http, MetricsCountRequestsByRoute) {
  const TestServer server;
  server.translate("a");
  server.translate("b");
  server.connect().get("/nowhere");
  const std::string text = server.connect_admin().get("/metrics").body;
  EXPECT_NE(text.find("dragoman_requests_total{route=\"/translate\",status=\"200\"} 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dragoman_requests_total{route=\"none\",status=\"404\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("dragoman_request_seconds_bucket{route=\"/translate\",le=\"+Inf\"} 2\n"), std::string::npos);
  EXPECT_EQ(server.metric("dragoman_texts_total"), 2);
}

}  // namespace
}  // namespace dragoman::serve::test

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
  client.send("POST /detect HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n");
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

TEST(Http, OtherOriginsAreAllowedOnlyIfAskedFor) {
  ServeOptions options;
  options.cors_origin = "https://example.org";
  const TestServer server(options);
  const Reply preflight = server.connect().ask("OPTIONS", "/translate", "Origin: https://example.org\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_FALSE(preflight.headers.contains("content-length"));
  EXPECT_EQ(preflight.headers.at("access-control-allow-origin"), "https://example.org");
  const TestServer closed;
  EXPECT_EQ(closed.connect().ask("OPTIONS", "/translate", "Origin: https://example.org\r\n").status, 405);
}

TEST(Http, OnlyLocalProgramsReload) {
  TestServer server;
  EXPECT_EQ(server.connect().ask("POST", "/admin/reload", "X-Forwarded-For: 1.1.1.1\r\n").status, 403);
  EXPECT_EQ(server.connect().ask("POST", "/admin/reload", "X-Forwarded-For: \r\n").status, 403);
  EXPECT_EQ(server.connect().ask("POST", "/admin/reload", "X-Forwarded-For:\r\nX-Forwarded-For: 1.1.1.1\r\n").status,
            403);
  EXPECT_EQ(server.connect().ask("POST", "/admin/reload", "Origin: https://example.org\r\n").status, 403);
  EXPECT_EQ(server.stage().loaded, 1);
  EXPECT_EQ(server.connect().ask("POST", "/admin/reload").status, 200);
  EXPECT_EQ(server.stage().loaded, 2);
}

// A socket of IPv6 shows them as ::ffff:127.0.0.1.
TEST(Http, LocalProgramsAreLocalOnAllNetworks) {
  ServeOptions options;
  options.address = "::";
  std::optional<TestServer> server;
  try {
    server.emplace(options);
  } catch (const Error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  EXPECT_EQ(server->connect().ask("POST", "/admin/reload").status, 200);
}

TEST(Http, EveryRequestIsLoggedWithoutItsText) {
  const support::TempFolder folder;
  ServeOptions options;
  options.access_log = folder.file("log");
  {
    const TestServer server(options);
    server.translate("private words");
    server.connect().get("/nowhere\x01");
    server.connect().get("/nowhere");
  }
  const std::string log = support::read_all(folder.file("log"));
  const auto first = nlohmann::json::parse(log.substr(0, log.find('\n')));
  EXPECT_EQ(first["path"], "/translate");
  EXPECT_EQ(first["status"], 200);
  EXPECT_EQ(first["client"], "127.0.0.1");
  EXPECT_EQ(log.find("private"), std::string::npos);
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
  EXPECT_EQ(nlohmann::json::parse(line)["path"], "");
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
  const std::string text = server.connect().get("/metrics").body;
  EXPECT_NE(text.find("dragoman_requests_total{route=\"/translate\",status=\"200\"} 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dragoman_requests_total{route=\"none\",status=\"404\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("dragoman_request_seconds_bucket{route=\"/translate\",le=\"+Inf\"} 2\n"), std::string::npos);
  EXPECT_EQ(server.metric("dragoman_texts_total"), 2);
}

}  // namespace
}  // namespace dragoman::serve::test

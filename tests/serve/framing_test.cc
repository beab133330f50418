// What the server decides about a request depends on what came before its body, however the body's end is marked.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

struct Sent {
  std::string method, path, headers, body;
};

// Requests of every kind of decision: formats, limits, keys, addresses, origins, hosts.
std::vector<Sent> sent_requests() {
  const std::string json = "Content-Type: application/json\r\n",
                    form = "Content-Type: application/x-www-form-urlencoded\r\n";
  const std::string key = "Authorization: DeepL-Auth-Key secret-key-1\r\n";
  const std::string text = R"({"q": "a", "source": "en", "target": "de"})";
  std::vector<Sent> all = {
      {"POST", "/translate", json + key, text},
      {"POST", "/translate", json, text},
      {"POST", "/translate", json, R"({"q": "a", "source": "en", "target": "de", "api_key": "secret-key-2"})"},
      {"POST", "/translate", form + key, "q=a&source=en&target=de"},
      {"POST", "/translate?q=a&source=en&target=de", key, "x=y"},
      {"POST", "/translate", "Content-Type: image/png\r\n" + key, text},
      {"POST", "/translate", json + key + "Content-Encoding: gzip\r\n", text},
      {"POST", "/translate", json + key + "Origin: https://evil.org\r\n", text},
      {"POST", "/translate", json + key + "Origin: http://localhost\r\n", text},
      {"POST", "/translate", json + key + "Host: other\r\n", text},
      {"POST", "/translate", json + key, "{"},
      {"POST", "/translate", json + key, std::string(70'000, ' ')},
      {"POST", "/translate", json + key, std::string(60'000, ' ') + text},
      {"POST", "/translate_file", "Content-Type: multipart/form-data; boundary=b\r\n" + key, "--b\r\nno part"},
      {"POST", "/v2/translate", form + key, "text=a&target_lang=DE"},
      {"POST", "/v2/translate", form, "text=a&target_lang=DE"},
      {"POST", "/v2/glossaries", json + key, R"({"name": "g", "source_lang": "EN", "target_lang": "DE"})"},
      {"PUT", "/v3/glossaries/x/dictionaries", json + key, "{}"},
      {"POST", "/nowhere", json + key, text},
      {"DELETE", "/translate", key, "x"},
  };
  // Wrong keys lock the address that the proxy names, and no other one.
  for (int i = 0; i < 70; ++i)
    all.push_back(
        {"POST", "/translate", "X-Forwarded-For: 1.1.1.1\r\nAuthorization: Bearer wrong-key\r\n" + json, text});
  for (const char* const address : {"1.1.1.1", "9.9.9.9", "9.9.9.1, 1.1.1.1", "2.2.2.2"})
    all.push_back({"POST", "/translate", json + key + "X-Forwarded-For: " + address + "\r\n", text});
  // The third key has 3 requests per minute.
  for (int i = 0; i < 5; ++i)
    all.push_back({"POST", "/translate", json + "Authorization: Bearer secret-key-3\r\n", text});
  return all;
}

// The answers of a new server, and whether it keeps the connection.
std::vector<std::string> answers(Client::Framing framing) {
  const support::TempFolder folder;
  ServeOptions options;
  options.keys = folder.write("keys", "secret-key-1\nsecret-key-2\nsecret-key-3 3\n");
  options.trust_proxy = true;
  options.max_body_kb = 64;
  const TestServer server(options);
  Client::framing = framing;
  std::vector<std::string> all;
  for (const Sent& one : sent_requests()) {
    const Reply reply = server.connect().ask(one.method, one.path, one.headers, one.body);
    const auto connection = reply.headers.find("connection");
    all.push_back(
        fmt::format("{} {} {}", reply.status, reply.body, connection == reply.headers.end() ? "" : connection->second));
  }
  return all;
}

TEST(Framing, ChangesNoDecision) {
  const Client::Framing usual = Client::framing;
  const std::vector<std::string> expected = answers(Client::Framing::length);
  const std::vector<Sent> requests = sent_requests();
  for (const Client::Framing framing : {Client::Framing::chunks, Client::Framing::chunks_and_trailers}) {
    const std::vector<std::string> got = answers(framing);
    for (std::size_t i = 0; i < requests.size(); ++i)
      EXPECT_EQ(got[i], expected[i]) << i << ": " << requests[i].headers << requests[i].body.substr(0, 80);
  }
  EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](const auto& one) { return one.starts_with("429"); }));
  Client::framing = usual;
}

// The other tests of requests hold as well.
TEST(Framing, OfTheOtherTestsMayBeChunksAndTrailers) {
  const std::string command =
      "DRAGOMAN_TEST_FRAMING=2 /proc/" + std::to_string(getpid()) +
      "/exe --gtest_brief=1 '--gtest_filter=Http.*:LibreTranslate*:DeepL*:Documents.*:Explain*:Terms.*:Cache.*'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace dragoman::serve::test

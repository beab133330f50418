// What one client asks is not another's to know.
#include <gtest/gtest.h>

#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

constexpr const char* kAnna = "Authorization: DeepL-Auth-Key secret-of-anna\r\n";
constexpr const char* kOtto = "Authorization: DeepL-Auth-Key secret-of-otto\r\n";

// Servers with keys, and without.
std::vector<ServeOptions> with_and_without_keys(const support::TempFolder& folder) {
  std::vector<ServeOptions> both(2);
  both[0].keys = folder.write("keys", "secret-of-anna 0 anna\nsecret-of-otto 0 otto\n");
  return both;
}

TEST(Isolation, GlossariesAreThoseOfAKeyAlsoIfNobodyChecksIt) {
  const support::TempFolder folder;
  for (const ServeOptions& options : with_and_without_keys(folder)) {
    const TestServer server(options);
    const auto made = server.connect().post_json(
        "/v2/glossaries", {{"name", "g"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"entries", "a\tb"}}, kAnna);
    const std::string path = "/v2/glossaries/" + made.json()["glossary_id"].get<std::string>();
    EXPECT_EQ(server.connect().get("/v2/glossaries", kAnna).json()["glossaries"].size(), 1U);
    EXPECT_EQ(server.connect().get("/v2/glossaries", kOtto).json()["glossaries"].size(), 0U);
    EXPECT_EQ(server.connect().get(path, kOtto).status, 404);
    EXPECT_EQ(server.connect().ask("DELETE", path, kOtto).status, 404);
    EXPECT_EQ(server.connect().get(path, kAnna).status, 200);
    if (options.keys.empty()) {
      EXPECT_EQ(Client(server.port(), 2).get(path, kAnna).status, 404) << "another address";
    }
  }
}

TEST(Isolation, ATranslationOfAnotherIsNotInTheCache) {
  const support::TempFolder folder;
  for (const ServeOptions& options : with_and_without_keys(folder)) {
    TestServer server(options);
    const auto translate = [&](const char* key) {
      EXPECT_EQ(server.connect().post_form("/translate", "q=secret&source=en&target=de", key).status, 200);
      return server.stage().count_seen();
    };
    EXPECT_EQ(translate(kAnna), 1U);
    EXPECT_EQ(translate(kAnna), 1U);
    EXPECT_EQ(translate(kOtto), 2U);
  }
}

}  // namespace
}  // namespace dragoman::serve::test

// Terms of requests and glossaries: what they cost is bounded.
#include <gtest/gtest.h>

#include "serve/glossaries.h"
#include "tests/serve/test_server.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;
using Terms = std::vector<std::pair<std::string, std::string>>;

// `count` terms NAME0, NAME1, … of lines.
std::string numbered_terms(const std::string& name, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += name + std::to_string(i) + "\t" + name + std::to_string(i) + "\n";
  return lines;
}

Reply make_glossary(const TestServer& server, const std::string& entries, const std::string& headers = "") {
  return server.connect().post_json(
      "/v2/glossaries",
      {{"name", "g"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"entries_format", "tsv"}, {"entries", entries}},
      headers);
}

Reply translate_with(const TestServer& server, const std::string& text, const char* key, const Json& value) {
  return server.connect().post_json("/translate", {{"q", text}, {"source", "en"}, {"target", "de"}, {key, value}});
}

TEST(Terms, TheLastTranslationOfASourceTermCounts) {
  TestServer server;
  std::string entries;
  for (int i = 0; i < 1900; ++i) entries += "a\t" + std::to_string(i) + "\n";
  const Json glossary = make_glossary(server, entries).json();
  EXPECT_EQ(glossary["entry_count"], 1);
  EXPECT_EQ(translate_with(server, "a\na b", "glossary_id", glossary["glossary_id"]).status, 200);
  EXPECT_EQ(server.stage().terms, (std::vector<Terms>{{{"a", "1899"}}, {{"a", "1899"}}}));
}

TEST(Terms, AreAsShortInARequestAsInAGlossary) {
  const TestServer server;
  EXPECT_EQ(translate_with(server, "dog", "terms", {{"dog", std::string(1024, 'x')}}).status, 200);
  EXPECT_EQ(translate_with(server, "dog", "terms", {{"dog", std::string(1025, 'x')}}).status, 400);
  EXPECT_EQ(translate_with(server, "dog", "terms", {{std::string(1025, 'x'), "dog"}}).status, 400);
  EXPECT_EQ(translate_with(server, "dog", "terms", {{"dog", " "}}).status, 400);
}

TEST(Terms, HaveNoControlCharacters) {
  const TestServer server;
  for (const std::string wrong : {"Hu\x1B[2Jnd", "Hund\tKatze", "Hu\x7Fnd", "Hu\u009Bnd", "Hu\rnd"}) {
    EXPECT_EQ(translate_with(server, "dog", "terms", {{"dog", wrong}}).status, 400) << wrong;
    EXPECT_EQ(translate_with(server, "dog", "terms", {{wrong, "dog"}}).status, 400) << wrong;
    EXPECT_EQ(make_glossary(server, "dog\t" + wrong).status, 400) << wrong;
  }
  EXPECT_EQ(make_glossary(server, "dog\t" + std::string("Hu\0nd", 5)).status, 400);
  EXPECT_EQ(make_glossary(server, "dog\tHund\r\nmoon\tM\u00F6nd\r\n").status, 201) << "line ends between terms";
}

TEST(Terms, GlossariesOfARequestCountOnceAndAreFew) {
  TestServer server;
  Json ids = Json::array();
  for (int i = 0; i < 11; ++i) ids.push_back(make_glossary(server, numbered_terms("w", 2)).json()["glossary_id"]);
  EXPECT_EQ(translate_with(server, "w1", "glossary_ids", ids).status, 400);
  EXPECT_EQ(translate_with(server, "w1", "glossary_ids", Json(1000, ids[0])).status, 200);
  EXPECT_EQ(server.stage().terms, (std::vector<Terms>{{{"w1", "w1"}}}));
}

TEST(Terms, OfARequestAreAtMostAsManyAsThoseOfOneGlossary) {
  const TestServer server;
  const Json one = make_glossary(server, numbered_terms("one", 6000)).json()["glossary_id"];
  const Json two = make_glossary(server, numbered_terms("two", 6000)).json()["glossary_id"];
  EXPECT_EQ(translate_with(server, "a", "glossary_ids", {one}).status, 200);
  EXPECT_EQ(translate_with(server, "a", "glossary_ids", {one, two}).status, 400);
}

TEST(Terms, OfASentenceAreAtMostAsManyAsASearchTakes) {
  TestServer server;
  const Json id = make_glossary(server, numbered_terms("w", 100)).json()["glossary_id"];
  const auto words = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "w" + std::to_string(i) + " ";
    return text;
  };
  EXPECT_EQ(translate_with(server, words(64), "glossary_id", id).status, 200);
  EXPECT_EQ(server.stage().terms.back().size(), 64U);
  EXPECT_EQ(translate_with(server, words(65), "glossary_id", id).status, 400);
  EXPECT_EQ(server.stage().terms.size(), 1U);
}

TEST(Terms, ADictionaryThatGrowsStaysWithinTheLimit) {
  const TestServer server;
  const std::string id = make_glossary(server, numbered_terms("one", 6000)).json()["glossary_id"];
  const auto add = [&](const std::string& entries) {
    const Json dictionary = {{"source_lang", "EN"}, {"target_lang", "DE"}, {"entries", entries}};
    return server.connect().ask("PATCH", "/v3/glossaries/" + id, "Content-Type: application/json\r\n",
                                Json({{"dictionaries", {dictionary}}}).dump());
  };
  EXPECT_EQ(add(numbered_terms("two", 4000)).json()["dictionaries"][0]["entry_count"], 10'000);
  EXPECT_EQ(add(numbered_terms("two", 4001)).status, 400);
  EXPECT_EQ(server.connect().get("/v2/glossaries/" + id).json()["entry_count"], 10'000);
}

TEST(Glossaries, OneClientCannotTakeThePlacesOfAnother) {
  Glossaries glossaries;
  const auto create = [&](const std::string& owner) {
    return glossaries.create({"", owner, owner}, "g", {{text::LanguagePair{"en", "de"}, parse_terms("a\tb", "tsv")}})
        .id;
  };
  const std::string first = create("anna");
  for (int i = 1; i < 1000; ++i) create("anna");
  EXPECT_THROW(for (int i = 0; i < 100; ++i) create("anna"), HttpError);
  glossaries.remove("anna", first);
  EXPECT_NO_THROW(create("anna"));
  for (int i = 0; i < 500; ++i) EXPECT_NO_THROW(create("otto"));
}

TEST(Glossaries, TheTermsOfAClientTakeBoundedMemory) {
  Glossaries glossaries;
  const text::LanguagePair there{"en", "de"}, back{"de", "en"};
  std::string entries;
  for (int i = 0; i < 10'000; ++i) entries += std::to_string(i) + "\t" + std::string(1024, 'x') + "\n";
  const auto terms = parse_terms(entries, "tsv");  // 11 MB
  std::string id;
  for (int i = 0; i < 5; ++i) id = glossaries.create({"", "anna", "anna"}, "g", {{there, terms}}).id;
  EXPECT_THROW(glossaries.create({"", "anna", "anna"}, "g", {{there, terms}}), HttpError);
  EXPECT_THROW(glossaries.put("anna", id, {back, terms}), HttpError);
  EXPECT_EQ(glossaries.get("anna", id).dictionaries.size(), 1U);
  EXPECT_NO_THROW(glossaries.put("anna", id, {there, terms}));
}

}  // namespace
}  // namespace dragoman::serve::test

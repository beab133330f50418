// Texts with markup and files, through the whole server.
#include <gtest/gtest.h>

#include "tests/serve/test_server.h"

namespace dragoman::serve::test {
namespace {

using Json = nlohmann::json;

std::string translate_markup(const TestServer& server, const std::string& text, const char* format,
                             const char* target = "de") {
  const Reply reply =
      server.connect().post_json("/translate", {{"q", text}, {"source", "en"}, {"target", target}, {"format", format}});
  EXPECT_EQ(reply.status, 200) << reply.body;
  return reply.json()["translatedText"];
}

TEST(Documents, TagsSurviveAndFollowTheirWords) {
  const TestServer server;
  EXPECT_EQ(translate_markup(server, "<p>One <b>two</b>.</p><code>x = 1;</code>", "html"),
            "<p>de(One <b>two</b>.)</p><code>x = 1;</code>");
  // Also when the translation takes two steps, whose alignments are joined.
  EXPECT_EQ(translate_markup(server, "<p>One <b>two</b>.</p>", "html", "fr"), "<p>fr(de(One <b>two</b>.))</p>");
}

TEST(Documents, ARefusalNamesTheFormats) {
  const TestServer server;
  const Reply reply =
      server.connect().post_json("/translate", {{"q", "One"}, {"source", "en"}, {"target", "de"}, {"format", "docx"}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.json()["error"], "format docx is not supported; there are: text, html, xml, srt, po, markdown");
}

TEST(Documents, SentencesEndAsInTheirLanguage) {
  const TestServer server;
  EXPECT_EQ(translate_markup(server, "Dear Mr. Smith waits on p. 3. He left.", "text"),
            "de(Dear Mr. Smith waits on p. 3.) de(He left.)");
}

TEST(Documents, OfDeepLHaveTheirTagsToo) {
  const TestServer server;
  const Reply reply = server.connect().post_json("/v2/translate", {{"text", {"<x>One</x> <keep>two</keep> three"}},
                                                                   {"source_lang", "EN"},
                                                                   {"target_lang", "DE"},
                                                                   {"tag_handling", "xml"},
                                                                   {"ignore_tags", {"keep"}}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const std::string text = reply.json()["translations"][0]["text"];
  EXPECT_NE(text.find("<keep>two</keep>"), std::string::npos) << text;
  EXPECT_NE(text.find("<x>One</x>"), std::string::npos) << text;
}

TEST(Documents, FilesOfAllFormatsAreTranslated) {
  const TestServer server;
  const auto translate_file = [&](const std::string& name, const std::string& content) {
    const std::string body =
        "--b\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nde\r\n"
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" +
        name + "\"\r\n\r\n" + content + "\r\n--b--\r\n";
    const Reply reply =
        server.connect().ask("POST", "/translate_file", "Content-Type: multipart/form-data; boundary=b\r\n", body);
    if (reply.status != 200) return std::to_string(reply.status);
    const std::string url = reply.json()["translatedFileUrl"];
    return server.connect().get(url.substr(url.find("/download_file"))).body;
  };
  EXPECT_EQ(translate_file("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n"),
            "1\n00:00:01,000 --> 00:00:02,000\nde(Hello)\n");
  EXPECT_EQ(translate_file("a.po", "msgid \"Hello\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"Hello\"\nmsgstr \"de(Hello)\"\n");
  EXPECT_EQ(translate_file("a.html", "<p>Hello</p>"), "<p>de(Hello)</p>");
  EXPECT_EQ(translate_file("a.html", "<html lang=en><p>Hello</p>"), "<html lang=de><p>de(Hello)</p>");
  EXPECT_EQ(translate_file("a.xml", "<p>Hello"), "400");
  EXPECT_EQ(translate_file("a.srt", "Hello"), "400");
  EXPECT_EQ(translate_file("a.po", "Hello"), "400");
  EXPECT_EQ(translate_file("a.exe", "Hello"), "400");
  EXPECT_EQ(translate_file("html", "Hello"), "400");
  EXPECT_EQ(translate_file("a.txt", "\xff\xfe"), "400");
  EXPECT_EQ(translate_file("LETTER.TXT", "Hello"), "de(Hello)");
}

}  // namespace
}  // namespace dragoman::serve::test

// Documents that are made to be slow: time and memory stay in proportion to the bytes.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

std::string repeated(const std::string& part, std::size_t times) {
  std::string all;
  all.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

// Seconds of processor time for reading a document and writing its capitals, or for refusing it.
double seconds_for(const std::string& bytes, Format format) {
  const std::clock_t start = std::clock();
  try {
    const std::string result = in_capitals(bytes, format);
    EXPECT_GE(2 * result.size(), bytes.size()) << "something is lost";
  } catch (const Error&) {
    EXPECT_TRUE(format != Format::text && format != Format::html && format != Format::markdown)
        << "these are never refused";
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// What is quadratic takes minutes for a megabyte.
#ifdef DRAGOMAN_SANITIZED
constexpr double kMostSecondsPerMegabyte = 40;
#else
constexpr double kMostSecondsPerMegabyte = 4;
#endif

void expect_fast(const std::string& bytes, Format format) {
  const double seconds = seconds_for(bytes, format), megabytes = static_cast<double>(bytes.size()) / 1e6;
  EXPECT_LT(seconds, kMostSecondsPerMegabyte * megabytes) << bytes.substr(0, 40);
}

TEST(HostileDocuments, TimeGrowsWithTheBytes) {
  constexpr std::size_t kBytes = 100'000;
  for (const std::string part : {"<b>",
                                 "</b>",
                                 "<b>word ",
                                 "word</b> ",
                                 "<b><i>",
                                 "<p>",
                                 "<!-- ",
                                 "<!-->",
                                 "<!-- --!>",
                                 "<!-- -",
                                 "<a href='",
                                 "<",
                                 "</",
                                 "&",
                                 "&amp",
                                 "&#",
                                 "&notaname;",
                                 "<br>word",
                                 "<code>",
                                 "<b></i>word ",
                                 "<i><img>",
                                 "word ",
                                 "a.",
                                 "Word. ",
                                 "\"",
                                 "<title>",
                                 "<script>",
                                 "<span translate=no>",
                                 "<p translate=no>",
                                 "日本。",
                                 "<![CDATA[",
                                 "<!DOCTYPE [",
                                 "<?",
                                 "{\\an8}",
                                 "{\\",
                                 "\\",
                                 "1\n00:00:00,000 --> 00:00:00,000\nword\n\n",
                                 "msgid \"word\"\nmsgstr \"\"\n\n",
                                 "\"\n",
                                 "%s ",
                                 "{a",
                                 "> ",
                                 "<a\\",
                                 "www.",
                                 "http://",
                                 "http://a)",
                                 "www.a(",
                                 "@",
                                 "a@b.",
                                 "a@b.org ",
                                 "see www.a.b. ",
                                 "&copya@b.org",
                                 "&entity;",
                                 "a &b; . ",
                                 "1. ",
                                 "*a ",
                                 "a* ",
                                 "*a_ ",
                                 "**a*b_ ",
                                 "[",
                                 "[a](",
                                 "[a](b) ",
                                 "![",
                                 "`a",
                                 "- ",
                                 "- a\n",
                                 "| a ",
                                 "| a\n|-\n",
                                 "$a",
                                 "'%s"})
    for (const Format format : {Format::text, Format::html, Format::xml, Format::srt, Format::po, Format::markdown}) {
      const std::string all = repeated(part, kBytes / part.size());
      expect_fast(all, format);
      if (format == Format::srt) expect_fast("00:00:00,000 --> 00:00:00,000\n" + all, format);
      if (format == Format::po) expect_fast("msgid \"" + all + "\"\nmsgstr \"\"\n", format);
    }
  for (const auto& [part, end] : std::vector<std::pair<std::string, std::string>>{{"<b>", "</b>"},
                                                                                  {"<b>a ", "b</b> "},
                                                                                  {"<b><img>w ", "</b>"},
                                                                                  {"<i>", "</b>"},
                                                                                  {"<b><img>", "w</b>"},
                                                                                  {"<b><img/>w ", "</b>"},
                                                                                  {"<b>a www.a.b ", ". </b>"},
                                                                                  {"http://a", ")"}})
    for (const Format format : {Format::html, Format::xml})
      expect_fast(repeated(part, kBytes / part.size()) + repeated(end, kBytes / part.size()), format);
}

TEST(HostileDocuments, NestedBracketsOfMarkdown) {
  constexpr std::size_t kDepth = 200'000;
  for (const std::string close : {"]", "](", "][a]"})
    for (const std::string open : {"[", "[^"})
      expect_fast(repeated(open, kDepth) + " " + repeated(close, kDepth) + "\n\n[a]: b\n", Format::markdown);
}

TEST(HostileDocuments, TagsOfXmlThatEndNowhereAreRefusedInTime) {
  expect_fast(repeated("<b>\n", 250'000) + repeated("</b>\n", 249'999), Format::xml);
  expect_fast("<a>" + repeated("word <b/>", 100'000) + "</b>", Format::xml);
}

TEST(HostileDocuments, LinesThatEndNowhere) { expect_fast("<pre>" + repeated("a<b>", 500'000), Format::html); }

TEST(HostileDocuments, ManyNamesOfTagsDoNotSlowTheParagraphsAfterThem) {
  constexpr std::size_t kBytes = 1'000'000;
  std::string names;
  for (std::size_t i = 0; names.size() < kBytes; ++i) names += "<n" + std::to_string(i) + ">";
  const std::string paragraphs = repeated("<p><b>", kBytes / 6);
  const double apart = seconds_for(names, Format::html) + seconds_for(paragraphs, Format::html);
  EXPECT_LT(seconds_for(names + paragraphs, Format::html), 5 * apart);
}

TEST(HostileDocuments, ACatalogueGrowsInProportionToItsBytes) {
  const std::string source = "msgid \"" + repeated("word ", 10'000) + "\"\n";
  std::string forms;
  for (std::size_t form = 0; form < 100; ++form) forms += "msgstr[" + std::to_string(form) + "] \"\"\n";
  for (const std::string& translations : {repeated("msgstr \"\"\n", 100), repeated("msgstr[1] \"\"\n", 100), forms}) {
    const std::string catalogue = source + translations;
    EXPECT_LT(in_capitals(catalogue, Format::po).size(), 7 * catalogue.size()) << translations.substr(0, 40);
  }
}

TEST(HostileDocuments, TenMegabytesWithoutAClosingTag) {
  const std::string html = repeated("<b>bold words and <i class='x'>more. ", 10'000'000 / 36);
  expect_fast(html, Format::html);
}

TEST(HostileDocuments, AHundredThousandNestedTags) {
  const std::string html = repeated("<b>", 100'000) + "some words" + repeated("</b>", 100'000);
  const Document document = Document::parse(html, Format::html);
  EXPECT_EQ(document.segments(), std::vector<std::string>{"some words"});
  EXPECT_EQ(document.render({{"autres mots", {}}}),
            repeated("<b>", 100'000) + "autres mots" + repeated("</b>", 100'000));
}

}  // namespace
}  // namespace dragoman::document

// XML, where elements say nothing of themselves.
#include <gtest/gtest.h>

#include "tests/document/translations.h"
#include "tests/support/errors.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

Texts xml_segments(const std::string& xml, const Options& options = {}) {
  return Document::parse(xml, Format::xml, options).segments();
}

std::string xml_in_capitals(const std::string& xml, const Options& options = {}) {
  return in_capitals(xml, Format::xml, options);
}

TEST(Xml, TagsBesideTextAreInline) {
  EXPECT_EQ(xml_segments("a <p>word</p> here"), Texts{"a word here"});
  EXPECT_EQ(xml_in_capitals("a <p x='1'>word</p> <y/>here"), "A <p x='1'>WORD</p> <y/>HERE");
}

TEST(Xml, TheOutlineEndsSentences) {
  const std::string xml = "<?xml version=\"1.0\"?>\n<doc><title>one <b>two</b></title><par>three</par></doc>";
  EXPECT_EQ(xml_segments(xml), (Texts{"one two", "three"}));
  EXPECT_EQ(xml_in_capitals(xml), "<?xml version=\"1.0\"?>\n<doc><title>ONE <b>TWO</b></title><par>THREE</par></doc>");
  Options options;
  options.outline = false;
  EXPECT_EQ(xml_segments("<par>one </par><par>two</par>", options), Texts{"one two"});
  options.splitting = {"par"};
  EXPECT_EQ(xml_segments("<par>one </par><par>two</par>", options), (Texts{"one", "two"}));
}

TEST(Xml, ElementsThatDoNotSplitAreInline) {
  Options options;
  options.non_splitting = {"w"};
  EXPECT_EQ(xml_segments("<s><w>one</w> <w>two</w></s>", options), Texts{"one two"});
}

TEST(Xml, NamesAreCaseSensitive) {
  Options options;
  options.ignored = {"X"};
  EXPECT_EQ(xml_in_capitals("a <x>word</x> and <X>another <X>one</X></X> here", options),
            "A <x>WORD</x> AND <X>another <X>one</X></X> HERE");
}

TEST(Xml, WhatIsNotTextStays) {
  for (const std::string xml : {"<![CDATA[a <b> c]]>", "<?target some > data?>", "<!-- a > b -->", "<!-- a --!> b -->",
                                "<!DOCTYPE a [<!ENTITY b \"words > here\">]>", "<a translate=\"no\">word</a>"})
    EXPECT_EQ(xml_in_capitals(xml), xml);
}

TEST(Xml, FiveNamesAreCharactersAndOthersAreEntitiesThatStay) {
  EXPECT_EQ(xml_segments("<a>x &amp; y &lt; z &#233; &#xE9; it&apos;s</a>"), Texts{"x & y < z \u00e9 \u00e9 it's"});
  EXPECT_EQ(xml_segments("<a>the &prod; manual, by &my-company.name;.</a>"), Texts{"the manual, by."});
  EXPECT_EQ(xml_in_capitals("<a>the &prod; manual, by &my-company.name;. &copy; one</a>"),
            "<a>THE &prod; MANUAL, BY &my-company.name;. &copy; ONE</a>");
  EXPECT_EQ(xml_in_capitals("<a>r&d and a &; and &1;</a>"), "<a>R&amp;D AND A &amp;; AND &amp;1;</a>");
}

TEST(Xml, MalformedDocumentsAreRefusedWithTheLine) {
  const auto problem = [](const std::string& xml) { return support::message([&] { xml_segments(xml); }); };
  const std::string no_xml = "the document is no XML: ";
  EXPECT_EQ(problem("<a>\none\n</b>"), no_xml + "line 3: expected </a> but found </b>");
  EXPECT_EQ(problem("an <a>open\n<b>element"), no_xml + "line 2: <b> is never closed");
  EXPECT_EQ(problem("one</a>"), no_xml + "line 1: </a> closes an element that is not open");
  EXPECT_EQ(problem("<a>1 < 2</a>"), no_xml + "line 1: a '<' that begins no tag must be written &lt;");
  EXPECT_EQ(problem("<a>one</a>\n<b"), no_xml + "line 2: a tag has no name or no end");
  EXPECT_EQ(problem("<a></></a>"), no_xml + "line 1: a tag has no name or no end");
  EXPECT_EQ(problem("<a<b></a>"), no_xml + "line 1: a tag has no end");
  EXPECT_EQ(problem("<!-- a"), no_xml + "line 1: a comment has no end");
  EXPECT_EQ(problem("<!-->"), no_xml + "line 1: a comment has no end");
  EXPECT_EQ(problem("<![CDATA[a]]"), no_xml + "line 1: a CDATA section has no end");
  EXPECT_EQ(problem("<?a>"), no_xml + "line 1: a processing instruction has no end");
  EXPECT_EQ(problem("<a x='1>'/><b>two</b> &amp; three & four"), "nothing was thrown");
}

}  // namespace
}  // namespace dragoman::document

// XML, where elements say nothing of themselves.
#include <gtest/gtest.h>

#include "tests/document/translations.h"

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

TEST(Xml, OnlyFiveNamesAreReferences) {
  EXPECT_EQ(xml_segments("<a>x &amp; y &lt; z &eacute; &#233; &#xE9; it&apos;s</a>"),
            Texts{"x & y < z &eacute; é é it's"});
}

TEST(Xml, AnElementWithoutAnEndIsNotLost) {
  EXPECT_EQ(xml_in_capitals("an <a>open <b>element"), "AN <a>OPEN <b>ELEMENT");
  Options options;
  options.ignored = {"a"};
  EXPECT_EQ(xml_in_capitals("an <a>open <b>element", options), "AN <a>open <b>element");
}

}  // namespace
}  // namespace dragoman::document

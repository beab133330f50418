// Addresses are neither translated nor lost.
#include "document/addresses.h"

#include <gtest/gtest.h>

#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

Texts addresses_in(const std::string& text) {
  Texts all;
  for (Range found{}; (found = find_address(text, found.end)).begin < text.size();)
    all.push_back(text.substr(found.begin, found.end - found.begin));
  return all;
}

Texts segments_of(const std::string& text, Format format = Format::text) {
  return Document::parse(text, format).segments();
}

TEST(Addresses, AreFoundWithoutThePunctuationAroundThem) {
  EXPECT_EQ(addresses_in("See https://example.org/a?b=1&c=2#d, or (www.example.org)."),
            (Texts{"https://example.org/a?b=1&c=2#d", "www.example.org"}));
  EXPECT_EQ(addresses_in("HTTP://EXAMPLE.ORG! ftp://a.b/c; mailto:me@example.org..."),
            (Texts{"HTTP://EXAMPLE.ORG", "ftp://a.b/c", "mailto:me@example.org"}));
  EXPECT_EQ(addresses_in("(https://example.org/wiki/Bank_(river)) and https://example.org/[1]]"),
            (Texts{"https://example.org/wiki/Bank_(river)", "https://example.org/[1]"}));
  EXPECT_EQ(addresses_in("Write to first.last+tag@mail.example.org, <me@example.de>."),
            (Texts{"first.last+tag@mail.example.org", "me@example.de"}));
}

TEST(Addresses, EndWhereTheScriptOrTheMarkupSays) {
  EXPECT_EQ(addresses_in("https://example.org/wiki/K\u00f6ln"), Texts{"https://example.org/wiki/K\u00f6ln"});
  EXPECT_EQ(addresses_in("\u8a73\u7d30\u306fhttps://example.jp/a\u3092\u3054\u89a7"), Texts{"https://example.jp/a"});
  EXPECT_EQ(addresses_in("&lt;https://example.org/?a=1&amp;b=2&gt;"), Texts{"https://example.org/?a=1&amp;b=2"});
}

TEST(Addresses, OfMailMayHaveLettersOfAllAlphabets) {
  EXPECT_EQ(addresses_in("an Anna.Müller@beispiel.de, größe@straße.de oder – ñ@a.es"),
            (Texts{"Anna.Müller@beispiel.de", "größe@straße.de", "ñ@a.es"}));
  EXPECT_EQ(addresses_in("“me@a.org” …you@b.org"), (Texts{"me@a.org", "you@b.org"}));
}

TEST(Addresses, MayBeDomains) {
  EXPECT_EQ(addresses_in("Visit example.com, Booking.com or münchen.de/rathaus?a=1. See shop.example.co.uk."),
            (Texts{"example.com", "Booking.com", "münchen.de/rathaus?a=1", "shop.example.co.uk"}));
  for (const char* const text : {"the end.They", "Node.js", "a.de", "x.com_y", "report.docx", "3.de facto", "user@",
                                 "C:\\a.com", ".com", "com", "foo.comet", "example.com@"})
    EXPECT_EQ(addresses_in(text), Texts{}) << text;
  EXPECT_EQ(segments_of("Booking.com is a company."), Texts{"Booking.com is a company."}) << "sentences need them";
}

TEST(Addresses, OtherWordsAreNone) {
  for (const char* const text : {"", "a", "@", "a@b", "@home", "me@localhost", "a@.org", "a@b.1", "www.", "www. x",
                                 "http://", "http:// x", "https://...", "awww.example", "e.g. this", "3:30", "and/or"})
    EXPECT_EQ(addresses_in(text), Texts{}) << text;
}

TEST(Addresses, StayInTextAndMarkup) {
  EXPECT_EQ(in_capitals("visit https://example.org/a for more.\nor write to a@b.org.\n", Format::text),
            "VISIT https://example.org/a FOR MORE.\nOR WRITE TO a@b.org.\n");
  EXPECT_EQ(in_capitals("<p>visit <a href='x'>www.example.org</a>, or https://a.b/?c=1&amp;d=2 now</p>", Format::html),
            "<p>VISIT <a href='x'>www.example.org</a>, OR https://a.b/?c=1&amp;d=2 NOW</p>");
  EXPECT_EQ(in_capitals("1\n00:00:01,000 --> 00:00:02,000\nsubtitles by www.example.org today\n", Format::srt),
            "1\n00:00:01,000 --> 00:00:02,000\nSUBTITLES BY www.example.org TODAY\n");
  EXPECT_EQ(in_capitals("msgid \"see https://a.b/%s here\"\nmsgstr \"\"\n", Format::po),
            "#, fuzzy\nmsgid \"see https://a.b/%s here\"\nmsgstr \"SEE https://a.b/%s HERE\"\n");
}

TEST(Addresses, AreNotPartOfTheTextToTranslate) {
  EXPECT_EQ(segments_of("visit https://example.org  for more"), Texts{"visit for more"});
  EXPECT_EQ(segments_of("visit https://example.org."), Texts{"visit."});
  EXPECT_EQ(segments_of("See www.example.org. Then write to me@example.org, please."),
            (Texts{"See.", "Then write to, please."}));
  EXPECT_EQ(segments_of("https://example.org\nme@example.org"), Texts{});
  EXPECT_EQ(segments_of("<p>press <kbd>Esc</kbd>.</p>", Format::html), Texts{"press."});
}

TEST(Addresses, AreWrittenOnceWhereverTheWordsGo) {
  const Document document = Document::parse("visit https://example.org for more.", Format::text);
  EXPECT_EQ(document.render({with_word_links("visit for more.", "f\u00fcr mehr besuchen.", {{0, 2}, {1, 0}, {2, 1}})}),
            "https://example.org f\u00fcr mehr besuchen.");
  EXPECT_EQ(document.render({{"", {}}}), "https://example.org");
  const Document last = Document::parse("visit https://example.org.", Format::text);
  EXPECT_EQ(last.render({{"besuchen Sie.", {{0, 5, 0, 8}}}}), "besuchen Sie https://example.org.");
}

TEST(Addresses, KeepTheMarksAroundThem) {
  EXPECT_EQ(segments_of("visit (https://example.org) now"), Texts{"visit now"});
  EXPECT_EQ(segments_of("visit „www.example.org“ or (see www.b.org) now"), (Texts{"visit or (see) now"}));
  EXPECT_EQ(in_capitals("visit \"www.example.org\" or [me@a.org].", Format::text),
            "VISIT \"www.example.org\" OR [me@a.org].");
  EXPECT_EQ(in_capitals("<p>visit (www.a.org), now</p>", Format::html), "<p>VISIT (www.a.org), NOW</p>");
}

TEST(Addresses, TouchNoWordThatTheyDidNotTouch) {
  const Document document = Document::parse("our site, https://example.org, sells shoes.", Format::text);
  ASSERT_EQ(document.segments(), Texts{"our site,, sells shoes."});
  EXPECT_EQ(document.render({{"die Seite verkauft Schuhe.", {{0, 3, 0, 3}, {4, 8, 4, 9}, {11, 16, 10, 18}}}}),
            "die Seite https://example.org verkauft Schuhe.");
  EXPECT_EQ(document.render({{"\u8cb7\u7269", {}}}).find(" \u8cb7"), std::string::npos) << "Han has no spaces";
  const Document code = Document::parse("<p>use <code>-v</code>, please.</p>", Format::html);
  EXPECT_EQ(code.render({{"bitte.", {}}}), "<p><code>-v</code> bitte.</p>");
}

TEST(Emoji, AreKeptAsAddressesAre) {
  // A family joined by joiners, a thumb with a skin tone, a heart with a variation selector, a flag of letters.
  const std::string family = "\U0001f468\u200d\U0001f469\u200d\U0001f467", thumb = "\U0001f44d\U0001f3fd",
                    heart = "\u2764\ufe0f", flag = "\U0001f1e9\U0001f1ea", check = "\u2713";
  EXPECT_EQ(segments_of("hello " + family + " world" + thumb + "! " + heart + heart), Texts{"hello world!"});
  EXPECT_EQ(
      in_capitals("hello " + family + " world" + thumb + "! " + heart + flag + "\n" + check + " done\n", Format::text),
      "HELLO " + family + " WORLD" + thumb + "! " + heart + flag + "\n" + check + " DONE\n");
  EXPECT_EQ(in_capitals("<p>a " + thumb + "<b>bold " + heart + "</b></p>", Format::html),
            "<p>A " + thumb + "<b>BOLD " + heart + "</b></p>");
  EXPECT_EQ(segments_of(flag + " " + thumb), Texts{});
  EXPECT_EQ(segments_of("caf\u00e9 \u2013 \u201cyes\u201d \u20ac5 \u65e5\u672c"),
            Texts{"caf\u00e9 \u2013 \u201cyes\u201d \u20ac5 \u65e5\u672c"});
}

TEST(Addresses, MayEndSegments) {
  Options options;
  options.cuts_at_addresses = true;
  const Document document =
      Document::parse("visit https://example.org for more, or me@a.org.\n", Format::text, options);
  EXPECT_EQ(document.segments(), (Texts{"visit", "for more, or"}));
  EXPECT_EQ(document.gaps(), (Texts{"", " https://example.org ", " me@a.org.\n"}));
  EXPECT_FALSE(document.has_inner_tags());
}

}  // namespace
}  // namespace dragoman::document

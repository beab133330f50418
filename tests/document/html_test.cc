// What HTML pages and fragments keep, and what of them is translated.
#include <gtest/gtest.h>

#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

Texts html_segments(const std::string& html) { return Document::parse(html, Format::html).segments(); }

std::string html_in_capitals(const std::string& html) { return in_capitals(html, Format::html); }

TEST(Html, TagsAreNotPartOfTheText) {
  EXPECT_EQ(html_segments("a <b>bold</b> word"), Texts{"a bold word"});
  EXPECT_EQ(html_in_capitals("a <b>bold</b> word"), "A <b>BOLD</b> WORD");
}

TEST(Html, BlocksEndSentences) {
  EXPECT_EQ(
      html_segments("<h1>Title</h1><p>One<br>two</p><ul><li>three<li>four</ul><table><tr><td>five<td>six</table>"),
      (Texts{"Title", "One", "two", "three", "four", "five", "six"}));
  EXPECT_EQ(html_segments("<div>outer <p>inner</p> outer</div>"), (Texts{"outer", "inner", "outer"}));
}

TEST(Html, SentencesAreSegmentsOfTheirOwn) {
  EXPECT_EQ(html_segments("<p>It rains. We stay <i>at home. You</i> go.</p>"),
            (Texts{"It rains.", "We stay at home.", "You go."}));
  EXPECT_EQ(html_in_capitals("<p>It rains.  We stay <i>at home.\nYou</i> go.</p>"),
            "<p>IT RAINS.  WE STAY <i>AT HOME.\nYOU</i> GO.</p>");
}

TEST(Html, WhatIsNotLanguageStays) {
  for (const std::string html : {"<script>if (a < b) run(\"<p>no</p>\");</script>",
                                 "<style>p { color: red }</style>",
                                 "<!-- a comment -->",
                                 "<!DOCTYPE html>",
                                 "<![CDATA[ text ]]>",
                                 "<?php echo 'text'; ?>",
                                 "<code>make all</code>",
                                 "<kbd>Enter</kbd>",
                                 "<samp>ok</samp>",
                                 "<var>length</var>",
                                 "<textarea>my words</textarea>",
                                 "<svg><text>label</text></svg>",
                                 "<p translate=\"no\">Dragoman</p>",
                                 "<div class='big notranslate'>Dragoman <b>too</b></div>",
                                 "<p translate=no>one<div>two</div></p>",
                                 "12:30 - 14:00",
                                 "<math><mi>x</mi></math>",
                                 "<svg/>",
                                 "<span translate=no>a<span>b</span>c</span>",
                                 "<plaintext>all of <b>this"})
    EXPECT_EQ(html_in_capitals(html), html);
  EXPECT_EQ(html_in_capitals("<p translate=no>stays<p>moves"), "<p translate=no>stays<p>MOVES");
}

TEST(Html, WhatStaysInsideASentenceMovesWithItsNeighbours) {
  EXPECT_EQ(html_segments("<p>Press <kbd>Enter</kbd> to go on.</p>"), Texts{"Press to go on."});
  EXPECT_EQ(html_in_capitals("<p>Press <kbd>Enter</kbd> to go on.</p>"), "<p>PRESS <kbd>Enter</kbd> TO GO ON.</p>");
  EXPECT_EQ(html_in_capitals("<p>Call <code>f(x)</code>, then wait<img src=a> here<wbr>by.</p>"),
            "<p>CALL <code>f(x)</code>, THEN WAIT<img src=a> HEREBY<wbr>.</p>")
      << "a translated word has no place inside";
}

TEST(Html, TextOfPreKeepsItsLines) {
  EXPECT_EQ(html_segments("<pre>roses are red\n  violets are blue</pre>"),
            (Texts{"roses are red", "violets are blue"}));
  EXPECT_EQ(html_in_capitals("<pre>\nroses are red\n\n  violets <b>are</b> blue\n</pre>"),
            "<pre>\nROSES ARE RED\n\n  VIOLETS <b>ARE</b> BLUE\n</pre>");
}

TEST(Html, AttributesStayByteForByte) {
  const std::string html = "see <a HREF = 'x?a=1&b=2' title=\"a > b\"  data-x=y disabled>the page</A > now";
  EXPECT_EQ(html_in_capitals(html), "SEE <a HREF = 'x?a=1&b=2' title=\"a > b\"  data-x=y disabled>THE PAGE</A > NOW");
}

TEST(Html, ReferencesAreDecodedAndWrittenAgain) {
  EXPECT_EQ(html_segments("<p>caf&eacute; &amp; tea&nbsp;&#8211; 1 &lt; 2 &notit; &unknown; AT&T</p>"),
            Texts{"café & tea\u00a0– 1 < 2 ¬it; &unknown; AT&T"});
  EXPECT_EQ(html_in_capitals("<p>x &lt; y &amp;&nbsp;z</p>"), "<p>X &lt; Y &amp;&nbsp;Z</p>");
  EXPECT_EQ(html_in_capitals("AT&T"), "AT&T") << "unchanged text keeps its bytes";
}

TEST(Html, MalformedMarkupLosesNothing) {
  EXPECT_EQ(html_in_capitals("a < b and c > d"), "A &lt; B AND C &gt; D");
  EXPECT_EQ(html_in_capitals("an <b>open element"), "AN <b>OPEN ELEMENT");
  EXPECT_EQ(html_in_capitals("a closed</b> element"), "A CLOSED</b> ELEMENT");
  EXPECT_EQ(html_in_capitals("<b>over <i>lapping</b> elements</i> here"), "<b>OVER <i>LAPPING</b> ELEMENTS</i> HERE");
  EXPECT_EQ(html_in_capitals("a tag <a href='x>without end"), "A TAG <a href='x>without end");
  EXPECT_EQ(html_in_capitals("a comment <!-- without end"), "A COMMENT <!-- without end");
  EXPECT_EQ(html_in_capitals("one <!-- a --!> two <!-- b --> c --!> four"),
            "ONE <!-- a --!> TWO <!-- b --> C --!&gt; FOUR");
  EXPECT_EQ(html_in_capitals("one <!-- a -- ---> two <!-- b -!> ---!> three"),
            "ONE <!-- a -- ---> TWO <!-- b -!> ---!> THREE");
  EXPECT_EQ(html_in_capitals("nothing </> and </ 1> <"), "NOTHING </> AND </ 1> &lt;");
  EXPECT_EQ(html_in_capitals("<a>link <div>block</div> rest</a> end"), "<a>LINK <div>BLOCK</div> REST</a> END");
}

TEST(Html, TitlesAreTranslatedAsTextWithoutTags) {
  EXPECT_EQ(html_in_capitals("<head><title>a <b> &amp; c</title></head>"),
            "<head><title>A &lt;B&gt; &amp; C</title></head>");
}

TEST(Html, APageSaysItsNewLanguage) {
  Options options;
  options.target = "pt_BR";
  const auto page = [&](const std::string& html) { return in_capitals(html, Format::html, options); };
  EXPECT_EQ(page("<!DOCTYPE html>\n<html lang=\"en\" class=x><p lang=\"en\">a</p></html>"),
            "<!DOCTYPE html>\n<html lang=\"pt-BR\" class=x><p lang=\"en\">A</p></html>");
  EXPECT_EQ(page("<HTML LANG=en xml:lang='en-GB'>a"), "<HTML LANG=pt-BR xml:lang='pt-BR'>A");
  EXPECT_EQ(page("<!-- c --><html><body>a"), "<!-- c --><html lang=\"pt-BR\"><body>A");
  EXPECT_EQ(page("<p>a <html> b</p>"), "<p>A <html> B</p>");
  EXPECT_EQ(page("just a text"), "JUST A TEXT");
}

}  // namespace
}  // namespace dragoman::document

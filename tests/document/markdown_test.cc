// What Markdown keeps.
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

Texts segments(const std::string& text) { return Document::parse(text, Format::markdown).segments(); }
std::string capitals(const std::string& text) { return in_capitals(text, Format::markdown); }

TEST(Markdown, HeadingsListsAndQuotationsKeepTheirMarks) {
  EXPECT_EQ(capitals("# Title #\n\nSub\n---\n\n- one\n  * two\n1. three\n10) four\n- [x] done\n> > said\n\n***\n"),
            "# TITLE #\n\nSUB\n---\n\n- ONE\n  * TWO\n1. THREE\n10) FOUR\n- [x] DONE\n> > SAID\n\n***\n");
  EXPECT_EQ(capitals("1. one\n2. two\n   - > said\n     > more\n3. three\ntext\n> quoted\n"),
            "1. ONE\n2. TWO\n   - > SAID MORE\n3. THREE TEXT\n> QUOTED\n");
  EXPECT_EQ(segments("#hashtag\n## A title {#anchor}\n"), (Texts{"#hashtag", "A title"}));
  EXPECT_EQ(capitals("## A title {#anchor}\n"), "## A TITLE {#anchor}\n");
}

TEST(Markdown, LinesOfAParagraphAreJoined) {
  EXPECT_EQ(segments("A sentence that\ngoes on. And\nanother\n\n- an item\n  goes on\n\n> a quotation\n> goes on\n"),
            (Texts{"A sentence that goes on.", "And another", "an item goes on", "a quotation goes on"}));
  EXPECT_EQ(segments("In the year\n2019. it rained\n"), (Texts{"In the year 2019. it rained"})) << "not a list";
  EXPECT_EQ(segments("a break  \nhere\\\nand here"), (Texts{"a break", "here", "and here"}));
  EXPECT_EQ(capitals("a break  \nhere\\\nand here\r\n"), "A BREAK  \nHERE\\\nAND HERE\r\n");
}

TEST(Markdown, CodeStays) {
  for (const std::string code : {"```sh\nls # list files\n```\n", "~~~~\n~~~\nwords\n~~~~\n", "    indented words\n",
                                 "\tindented words\n", "- item\n\n      indented words\n", "> ```\n> words\n> ```\n",
                                 "- ```\n  words\n  ```\n", "```\nno end\n", "$$\nx words\n$$\n"})
    for (const std::string& text : segments(code)) EXPECT_EQ(text, "item") << code;
  EXPECT_EQ(capitals("Run `make all` or ``a ` b`` now.\n"), "RUN `make all` OR ``a ` b`` NOW.\n");
  EXPECT_EQ(capitals("```\na\n```\nb\n> ```\n> c\nd\n"), "```\na\n```\nB\n> ```\n> c\nD\n");
  EXPECT_EQ(capitals("- item\n\n  another paragraph\n\n      code\n"), "- ITEM\n\n  ANOTHER PARAGRAPH\n\n      code\n");
  EXPECT_EQ(capitals("a ` b\n"), "A \\` B\n") << "no code";
}

TEST(Markdown, FrontMatterHtmlAndDefinitionsStay) {
  const std::string kept =
      "---\ntitle: A title\n---\n\n<div align=\"center\">\n  words\n</div>\n\n<!-- a\n\ncomment -->\n\n"
      "[label]: https://example.org \"words\"\n\n<details>\n\n:::note\n\n> [!NOTE]\n";
  EXPECT_EQ(segments(kept), Texts{});
  EXPECT_EQ(capitals(kept + "\nwords\n"), kept + "\nWORDS\n");
  EXPECT_EQ(segments("words\n---\nmore\n"), (Texts{"words", "more"})) << "not at the beginning";
  EXPECT_EQ(capitals("[^1]: a note\n"), "[^1]: A NOTE\n");
  EXPECT_EQ(capitals("<b>bold</b> words\n"), "<b>BOLD</b> WORDS\n") << "inline";
}

TEST(Markdown, EmphasisGoesAroundTheSameWords) {
  for (const std::string text : {"A **red** *car*.", "A ***red** car*.", "A __red__ _car_ and ~~nothing~~.",
                                 "**All of it.**", "snake_case_name *here*", "(*red*)", "*a **b** c*"}) {
    const std::string changed = capitals(text);
    EXPECT_EQ(changed, in_capitals(text));
  }
  EXPECT_EQ(capitals("a * b * c"), "A \\* B \\* C");
  EXPECT_EQ(segments("A **red** *car*."), Texts{"A red car."});
  EXPECT_EQ(segments("snake_case_name *here*"), Texts{"snake_case_name here"});
  EXPECT_EQ(segments("a * b * c_d"), Texts{"a * b * c_d"});
  const Document moved = Document::parse("A **red** *car*.", Format::markdown);
  const std::string source = moved.segments()[0];
  EXPECT_EQ(moved.render({with_word_links(source, "Une voiture rouge.", {{0, 0}, {1, 2}, {2, 1}})}),
            "Une *voiture* **rouge**.");
}

TEST(Markdown, LinksKeepTheirDestinations) {
  EXPECT_EQ(capitals("See [the *big* guide](docs/guide_(1).md \"a title\") and [it][ref].\n\n[ref]: x\n"),
            "SEE [THE *BIG* GUIDE](docs/guide_(1).md \"a title\") AND [IT][ref].\n\n[ref]: x\n");
  EXPECT_EQ(segments("See [the guide](a.md)."), Texts{"See the guide."});
  EXPECT_EQ(capitals("[![Build](a.svg)](b) works, ![a picture](c.png) too[^1].\n"),
            "[![Build](a.svg)](b) WORKS, ![a picture](c.png) TOO[^1].\n");
  EXPECT_EQ(capitals("[Label] and [Label][] and [other]\n\n[label]: x\n"),
            "[Label] AND [Label][] AND \\[OTHER\\]\n\n[label]: x\n")
      << "a text that is a label";
  EXPECT_EQ(capitals("<https://example.org/a> or https://example.org/a_b_c*d or [www.a.org](https://www.a.org)\n"),
            "<https://example.org/a> OR https://example.org/a_b_c*d OR [www.a.org](https://www.a.org)\n");
  EXPECT_EQ(segments("[open"), Texts{"[open"});
}

TEST(Markdown, CellsOfTablesAreParagraphs) {
  const std::string table = "| Name | What *it* does |\n|:-----|---:|\n| `a\\|b` | one \\| two |\n| c | |\n\nx | y\n";
  EXPECT_EQ(segments(table), (Texts{"Name", "What it does", "one | two", "c", "x | y"}));
  EXPECT_EQ(capitals(table),
            "| NAME | WHAT *IT* DOES |\n|:-----|---:|\n| `a\\|b` | ONE \\| TWO |\n| C | |\n\nX \\| Y\n");
  EXPECT_EQ(capitals("a | b\n--|--\nc | d\n"), "A | B\n--|--\nC | D\n");
}

TEST(Markdown, EscapesReferencesTemplatesAndFormulasStayWhatTheyMean) {
  EXPECT_EQ(segments("not \\*bold\\*, &amp; more"), Texts{"not *bold*, & more"});
  EXPECT_EQ(capitals("not \\*bold\\* more"), "NOT \\*BOLD\\* MORE");
  EXPECT_EQ(capitals("Hello {{ user.name }}, $x^2$ costs $5 :smile:"), "HELLO {{ user.name }}, $x^2$ COSTS $5 :smile:");
  EXPECT_EQ(capitals("a \\<b> c"), "A \\<B> C");
}

TEST(Markdown, ItselfAsATranslationGivesTheSameBytes) {
  const std::string marks = "#*_-+>`|[](){}!~<&\\: \n\n\t1.ab=\"$^x";
  Random random(11, 1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t k = 1 + random.below(40); k > 0; --k) text += marks[random.below(marks.size())];
    const Document document = Document::parse(text, Format::markdown);
    ASSERT_EQ(document.render(translate_to_itself(document)), text);
    ASSERT_NO_THROW(document.render(translate_to_capitals(document)));
    for (const std::string& segment : document.segments())
      ASSERT_TRUE(!segment.empty() && segment.front() != ' ' && segment.back() != ' ') << text;
  }
}

// The translation of one segment, with links between words.
std::string translated(const std::string& text, const std::string& target, const std::vector<AlignmentLink>& links) {
  const Document document = Document::parse(text, Format::markdown);
  return document.render({with_word_links(document.segments().at(0), target, links)});
}

TEST(Markdown, EmphasisWithoutWordsGoesAndALinkWithoutWordsKeepsThem) {
  EXPECT_EQ(translated("I **do** like it.", "Es gefällt mir.", {{0, 2}, {2, 1}, {3, 0}}), "Es gefällt mir.");
  EXPECT_EQ(translated("I ***do*** like it.", "Es gefällt mir.", {{0, 2}, {2, 1}, {3, 0}}), "Es gefällt mir.");
  EXPECT_EQ(translated("It is [the house](a.html) here", "Es ist hier", {{0, 0}, {1, 1}, {4, 2}}),
            "Es ist [the house](a.html) hier");
  EXPECT_EQ(translated("It **`is`** here", "Es hier", {{0, 0}, {1, 1}}), "Es **`is`** hier") << "code stays";
}

TEST(Markdown, LabelsHaveAtMost999Bytes) {
  const std::string label(999, 'a');
  EXPECT_EQ(segments("[words][" + label + "]\n\n[" + label + "]: b.html\n"), (Texts{"words"}));
  EXPECT_EQ(segments("[words][" + label + "a]\n\n[" + label + "a]: b.html\n").at(0), "[words][" + label + "a]");
}

}  // namespace
}  // namespace dragoman::document

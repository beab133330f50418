// What holds for all documents, translations and alignments. Random ones are drawn here; realistic pages are in
// pages.h.
#include <gtest/gtest.h>
#include <gumbo.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "document/markup_tokens.h"
#include "tests/document/pages.h"
#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

std::size_t draw_below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random.below(limit)); }

const std::vector<std::string> kWords = {"sun",        "moon", "tree.", "House", "is",
                                         "\"quoted\"", "big,", "Ende!", "日本",  "5"};

// A well-formed fragment: words, elements with an attribute that tells them apart, and points.
class FragmentMaker {
 public:
  explicit FragmentMaker(Random& random) : random_(random) {}

  std::string make(int depth, int parts) {
    std::string html;
    for (int i = 0; i < parts; ++i) {
      const std::size_t kind = draw_below(random_, depth > 0 ? 8 : 5);
      if (kind < 4) html += kWords[draw_below(random_, kWords.size())];
      if (kind == 4) html += "<img n=" + std::to_string(++count_) + ">";
      if (kind > 4) html += element(depth);
      if (draw_below(random_, 3) > 0) html += ' ';
    }
    return html;
  }

 private:
  std::string element(int depth) {
    static const std::vector<std::string> names = {"b", "i", "a", "span", "custom-tag", "code", "p"};
    const std::string& name = names[draw_below(random_, names.size())];
    const std::string start = "<" + name + " n=" + std::to_string(++count_) + ">";
    return start + make(depth - 1, static_cast<int>(draw_below(random_, 5))) + "</" + name + ">";
  }

  Random& random_;
  int count_ = 0;
};

Translated draw_translation(Random& random, const std::string& source) {
  Translated translated;
  const std::size_t words = draw_below(random, 12);
  for (std::size_t i = 0; i < words; ++i)
    translated.text += (i > 0 && draw_below(random, 6) > 0 ? " " : "") + kWords[draw_below(random, kWords.size())];
  const auto any = [&](const std::string& text) {
    return static_cast<std::uint32_t>(draw_below(random, text.size() + 2));
  };
  for (std::size_t i = draw_below(random, 10); i > 0; --i) {
    const std::uint32_t a = any(source), b = any(translated.text);
    translated.links.push_back({a, a + any(source) / 4 + 1, b, b + any(translated.text) / 4 + 1});
  }
  return translated;
}

std::vector<std::string> tags_in(const std::string& document, Markup markup) {
  std::vector<std::string> tags;
  MarkupTokens tokens(document, markup);
  for (MarkupToken token; tokens.next(token);)
    if (token.kind != MarkupToken::Kind::text)
      tags.push_back(document.substr(token.bytes.begin, token.bytes.end - token.bytes.begin));
  return tags;
}

std::vector<std::string> sorted(std::vector<std::string> all) {
  std::sort(all.begin(), all.end());
  return all;
}

// Whether every closing tag closes the element that was opened last. Well-formed fragments only.
bool is_balanced(const std::string& html) {
  std::vector<std::string> open;
  MarkupTokens tokens(html, Markup::html);
  for (MarkupToken token; tokens.next(token);) {
    if (token.name == "img") continue;
    if (token.kind == MarkupToken::Kind::open) open.push_back(token.name);
    if (token.kind != MarkupToken::Kind::close) continue;
    if (open.empty() || open.back() != token.name) return false;
    open.pop_back();
  }
  return open.empty();
}

std::string text_without_tags(const std::string& html) {
  std::string text;
  MarkupTokens tokens(html, Markup::html);
  for (MarkupToken token; tokens.next(token);) {
    if (token.kind != MarkupToken::Kind::text) continue;
    for (std::size_t i = token.bytes.begin; i < token.bytes.end; ++i)
      if (html[i] != ' ') text += html[i];
  }
  return text;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(DocumentProperties, ItselfAsATranslationGivesTheSameBytes) {
  for (const Page& page : kPages) {
    const Document document = Document::parse(page.bytes, page.format);
    EXPECT_FALSE(document.segments().empty());
    EXPECT_EQ(document.render(translate_to_itself(document)), page.bytes);
  }
  Random random(3, 1);
  for (int i = 0; i < 2000; ++i) {
    const std::string html = FragmentMaker(random).make(3, 6);
    const Document document = Document::parse(html, Format::html);
    ASSERT_EQ(document.render(translate_to_itself(document)), html);
  }
}

// Words in capitals stay where they are, so every tag must find its old place again.
TEST(DocumentProperties, WordsThatStayKeepTheirTags) {
  for (const Page& page : kPages) {
    const Document document = Document::parse(page.bytes, page.format);
    std::string capitals = document.render(translate_to_capitals(document));
    EXPECT_NE(capitals, page.bytes);
    // Apart from the case, entities and the white space between words are all that may differ.
    EXPECT_EQ(tags_in(capitals, Markup::html), tags_in(document.render(translate_to_itself(document)), Markup::html));
  }
}

TEST(DocumentProperties, NoTagIsLostAndNestingStaysValid) {
  Random random(5, 1);
  for (int i = 0; i < 10000; ++i) {
    const std::string html = FragmentMaker(random).make(4, 7);
    const Document document = Document::parse(html, Format::html);
    std::vector<Translated> translations;
    for (const std::string& text : document.segments()) translations.push_back(draw_translation(random, text));
    const std::string result = document.render(translations);
    ASSERT_EQ(sorted(tags_in(result, Markup::html)), sorted(tags_in(html, Markup::html))) << html << "\n" << result;
    ASSERT_TRUE(is_balanced(result)) << html << "\n" << result;
  }
}

TEST(DocumentProperties, TheTextIsThatOfTheTranslation) {
  Random random(6, 1);
  for (int i = 0; i < 5000; ++i) {
    std::string html = FragmentMaker(random).make(3, 6);
    for (std::size_t at; (at = html.find("code")) != std::string::npos;) html.replace(at, 4, "mark");
    const Document document = Document::parse("<p>" + html + "</p>", Format::html);
    std::vector<Translated> translations;
    std::string expected;
    for (const std::string& text : document.segments()) {
      translations.push_back(draw_translation(random, text));
      // Fragments of digits and marks are not segments; keep them apart from words.
      for (char& c : translations.back().text) c = c == '5' ? '6' : c;
    }
    const std::string result = document.render(translations);
    std::string words = text_without_tags(result), rest;
    std::size_t at = 0;
    for (const Translated& translated : translations) {
      const std::string part = without_spaces(translated.text);
      at = words.find(part, at);
      ASSERT_NE(at, std::string::npos) << html << "\n" << result;
      at += part.size();
    }
  }
}

// Overlapping elements, missing ends and stray tags.
std::vector<Translated> draw_translations(Random& random, const Document& document) {
  std::vector<Translated> translations;
  for (const std::string& text : document.segments()) translations.push_back(draw_translation(random, text));
  return translations;
}

TEST(DocumentProperties, MalformedDocumentsLoseNothing) {
  Random random(7, 1);
  const std::vector<std::string> parts = {"<b>",  "</b>", "<i>", "</i>", "word ", "Other. ", "<p>",     "</p>", "<",
                                          "&amp", "<!--", "-->", "<br>", "<img>", "<code>",  "</code>", ">",    "<a '"};
  for (int i = 0; i < 10000; ++i) {
    std::string html;
    for (std::size_t k = 1 + draw_below(random, 14); k > 0; --k) html += parts[draw_below(random, parts.size())];
    const Document document = Document::parse(html, Format::html);
    EXPECT_EQ(document.render(translate_to_itself(document)), html);
    const std::string translated = document.render(draw_translations(random, document));
    ASSERT_EQ(sorted(tags_in(translated, Markup::html)), sorted(tags_in(html, Markup::html))) << html;
  }
}

TEST(DocumentProperties, WellFormedXmlStaysWellFormed) {
  Random random(8, 1);
  const std::vector<std::string> parts = {"<b>",     "</b>",         "<i>",           "</i>",      "word ",
                                          "Other. ", "<p>",          "</p>",          "&amp;",     "<!-- c -->",
                                          "<img/>",  "&entity;",     "<code>",        "</code>",   "www.a.b",
                                          " ",       "<?target a?>", "<![CDATA[a]]>", "one. Two! "};
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string xml;
    for (std::size_t k = 1 + draw_below(random, 14); k > 0; --k) xml += parts[draw_below(random, parts.size())];
    std::optional<Document> document;
    try {
      document = Document::parse(xml, Format::xml);
    } catch (const Error&) {
      continue;
    }
    ++accepted;
    EXPECT_EQ(document->render(translate_to_itself(*document)), xml);
    const std::string translated = document->render(draw_translations(random, *document));
    ASSERT_EQ(sorted(tags_in(translated, Markup::xml)), sorted(tags_in(xml, Markup::xml))) << xml;
    ASSERT_NO_THROW(Document::parse(translated, Format::xml)) << xml << "\n" << translated;
  }
  EXPECT_GT(accepted, 500);
}

// Gumbo is an independent parser of HTML: it finds the same text where our tokenizer does.
std::string text_by_gumbo(const std::string& html) {
  GumboOutput* const output = gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size());
  std::string text;
  std::vector<const GumboNode*> stack = {output->root};
  while (!stack.empty()) {
    const GumboNode* const node = stack.back();
    stack.pop_back();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE) text += node->v.text.text;
    if (node->type != GUMBO_NODE_ELEMENT) continue;
    const GumboTag tag = node->v.element.tag;
    if (tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD ||
        tag == GUMBO_TAG_TEXTAREA || tag == GUMBO_TAG_SVG || tag == GUMBO_TAG_VAR || tag == GUMBO_TAG_SAMP)
      continue;
    if (gumbo_get_attribute(&node->v.element.attributes, "translate") != nullptr) continue;
    const GumboVector& children = node->v.element.children;
    for (unsigned i = children.length; i-- > 0;) stack.push_back(static_cast<const GumboNode*>(children.data[i]));
  }
  gumbo_destroy_output(&kGumboDefaultOptions, output);
  return text;
}

std::string letters_of(const std::string& text) {
  std::string letters;
  for (const char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) letters += c;
  return letters;
}

TEST(DocumentProperties, TheTextOfAPageIsThatOfAnotherParser) {
  int pages = 0;
  for (const Page& page : kPages) {
    if (page.format != Format::html) continue;
    ++pages;
    std::string ours;
    for (const std::string& text : Document::parse(page.bytes, page.format).segments()) ours += text;
    EXPECT_EQ(letters_of(ours), letters_of(text_by_gumbo(page.bytes)));
  }
  EXPECT_GE(pages, 4);
}

}  // namespace
}  // namespace dragoman::document

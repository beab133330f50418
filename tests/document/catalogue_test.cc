// Catalogues of messages: what is translated, and how it is spelled.
#include <gtest/gtest.h>

#include "document/catalogue.h"
#include "document/placeholders.h"
#include "tests/document/translations.h"
#include "tests/support/errors.h"

namespace dragoman::document {
namespace {

using Texts = std::vector<std::string>;

const std::string kHeader =
    "# A comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n";

std::string catalogue_in_capitals(const std::string& entries, const Options& options = {}) {
  const std::string whole = in_capitals(kHeader + entries, Format::po, options);
  EXPECT_EQ(whole.substr(0, kHeader.size()), kHeader);
  return whole.substr(kHeader.size());
}

TEST(Catalogue, MissingTranslationsAreFilledIn) {
  EXPECT_EQ(catalogue_in_capitals("#: file.c:12\nmsgctxt \"menu\"\nmsgid \"Open the file\"\nmsgstr \"\"\n"),
            "#: file.c:12\n#, fuzzy\nmsgctxt \"menu\"\nmsgid \"Open the file\"\nmsgstr \"OPEN THE FILE\"\n");
}

TEST(Catalogue, NewTranslationsAreFuzzy) {
  const std::string messages = "msgid \"a\"\nmsgstr \"\"\n", filled = "msgid \"a\"\nmsgstr \"A\"\n";
  EXPECT_EQ(catalogue_in_capitals("#, c-format\n" + messages), "#, fuzzy, c-format\n" + filled);
  EXPECT_EQ(catalogue_in_capitals("#, fuzzy, c-format\n" + messages), "#, fuzzy, c-format\n" + filled);
  EXPECT_EQ(catalogue_in_capitals("#. note\n#| msgid \"b\"\n" + messages),
            "#. note\n#, fuzzy\n#| msgid \"b\"\n" + filled);
  EXPECT_EQ(catalogue_in_capitals("#, c-format\n#~ msgid \"x\"\n#~ msgstr \"y\"\n" + messages),
            "#, c-format\n#~ msgid \"x\"\n#~ msgstr \"y\"\n#, fuzzy\n" + filled);
  EXPECT_EQ(in_capitals("msgid \"a\"\r\nmsgstr \"\"\r\n", Format::po), "#, fuzzy\r\nmsgid \"a\"\r\nmsgstr \"A\"\r\n");
  const std::string plural = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"";
  EXPECT_EQ(catalogue_in_capitals(plural + "\"\n"), "#, fuzzy\n" + plural + "B\"\n");
}

TEST(Catalogue, ATextWithoutMessagesIsRefused) {
  EXPECT_NE(support::message([] { Document::parse("A letter.\n", Format::po); }).find("has no messages"),
            std::string::npos);
  EXPECT_TRUE(Document::parse("\n", Format::po).segments().empty());
}

TEST(Catalogue, TranslatedFuzzyAndObsoleteEntriesStay) {
  const std::string entries =
      "msgid \"Open\"\nmsgstr \"Öffnen\"\n\n#, fuzzy\nmsgid \"Close\"\nmsgstr \"Schluss\"\n\n"
      "#~ msgid \"Old\"\n#~ msgstr \"\"\n";
  EXPECT_EQ(catalogue_in_capitals(entries), entries);
  Options options;
  options.retranslate = true;
  EXPECT_EQ(catalogue_in_capitals(entries, options),
            "#, fuzzy\nmsgid \"Open\"\nmsgstr \"OPEN\"\n\n#, fuzzy\nmsgid \"Close\"\nmsgstr \"CLOSE\"\n\n"
            "#~ msgid \"Old\"\n#~ msgstr \"\"\n");
}

TEST(Catalogue, PluralFormsHaveTheirOwnSources) {
  EXPECT_EQ(catalogue_in_capitals("msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"),
            "#, fuzzy\nmsgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d FILE\"\nmsgstr[1] \"%d FILES\"\n");
}

TEST(Catalogue, SixPluralFormsAreFilledInAndTheOthersStay) {
  const std::string sources = "msgid \"file\"\nmsgid_plural \"files\"\n";
  std::string entry = sources, expected = "#, fuzzy\n" + sources;
  for (int form = 0; form < 12; ++form) {
    const std::string keyword = "msgstr[" + std::to_string(form) + "] ";
    entry += keyword + "\"\"\n";
    expected += keyword + (form == 0 ? "\"FILE\"\n" : form < 6 ? "\"FILES\"\n" : "\"\"\n");
  }
  EXPECT_EQ(catalogue_in_capitals(entry), expected);
}

TEST(Catalogue, ATranslationThatIsThereTwiceStays) {
  EXPECT_EQ(catalogue_in_capitals("msgid \"file\"\nmsgstr \"\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"file\"\nmsgstr \"FILE\"\nmsgstr \"\"\n");
  EXPECT_EQ(catalogue_in_capitals("msgid \"file\"\nmsgstr[0] \"\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"),
            "#, fuzzy\nmsgid \"file\"\nmsgstr[0] \"FILE\"\nmsgstr[0] \"\"\nmsgstr[1] \"FILE\"\n");
}

TEST(Catalogue, LinesOfAMessageAreSegmentsAndStringsAreNot) {
  const std::string entry =
      "msgid \"\"\n\"One sentence that \"\n\"goes on.\\n\"\n\"\\n\"\n\"  A \\\"second\\\" line\\n\"\nmsgstr \"\"\n";
  EXPECT_EQ(Document::parse(kHeader + entry, Format::po).segments(),
            (Texts{"One sentence that goes on.", "A \"second\" line"}));
  EXPECT_EQ(catalogue_in_capitals(entry),
            "#, fuzzy\nmsgid \"\"\n\"One sentence that \"\n\"goes on.\\n\"\n\"\\n\"\n\"  A \\\"second\\\" line\\n\"\n"
            "msgstr \"\"\n\"ONE SENTENCE THAT GOES ON.\\n\"\n\"\\n\"\n\"  A \\\"SECOND\\\" LINE\\n\"\n");
}

TEST(Catalogue, TabsSeparateSegments) {
  EXPECT_EQ(catalogue_in_capitals("msgid \"Name:\\tValue\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"Name:\\tValue\"\nmsgstr \"NAME:\\tVALUE\"\n");
}

TEST(Catalogue, PlaceholdersAndTagsStay) {
  EXPECT_EQ(
      catalogue_in_capitals("msgid \"Copy %s to %1$-5d of {name}: <a href=\\\"%s\\\">100%% sure</a>\"\nmsgstr \"\"\n"),
      "#, fuzzy\nmsgid \"Copy %s to %1$-5d of {name}: <a href=\\\"%s\\\">100%% sure</a>\"\n"
      "msgstr \"COPY %s TO %1$-5d OF {name}: <a href=\\\"%s\\\">100%% SURE</a>\"\n");
}

TEST(Catalogue, PlaceholdersAreRecognised) {
  for (const char* text :
       {"%s",         "%d",      "%1$s",    "%-10.3f", "%lu",   "%lld",        "%%",         "%(count)d",
        "%@",         "{}",      "{0}",     "{name}",  "{0:d}", "%*d",         "{{ name }}", "{{user.name|upper}}",
        "{% if x %}", "%{name}", "${name}", "#{name}", "$name", "$first_name", ":name",      ":smile:"})
    EXPECT_EQ(placeholder_length(text, 0), std::string_view(text).size()) << text;
  for (const char* text : {"",       "%",  "% of", "%!",     "{", "{ a }",  "{a", "50%", "%(a", "{{}}",  "{{ }}", "{{a",
                           "{{ a }", "$5", "$",    "$ name", ":", ": name", ":D", ":-)", "#1",  "#name", "%{"})
    EXPECT_EQ(placeholder_length(text, 0), 0u) << text;
  for (const char* text : {"{count, plural, one {# file} other {# files}}", "{sex, select, male {his} other {their}}",
                           "{n, selectordinal, one {{n}st} other {{n}th}}"})
    EXPECT_EQ(placeholder_length(text + std::string(" left"), 0), std::string_view(text).size()) << text;
  for (const char* text : {"{count, plural, one {# file}", "{one, two, three}", "{, plural, one {a}}"})
    EXPECT_EQ(placeholder_length(text, 0), 0u) << text;
  EXPECT_EQ(placeholder_length("%s and more", 0), 2u);
  EXPECT_EQ(placeholder_length("has $name.", 4), 5u);
  EXPECT_EQ(placeholder_length("has :name.", 4), 5u);
  EXPECT_EQ(placeholder_length("US$name", 2), 0u);
  EXPECT_EQ(placeholder_length("a:name", 1), 0u);
}

TEST(Catalogue, QuotationMarksAroundPlaceholdersStay) {
  const auto segments = [](const std::string& message) {
    return Document::parse(kHeader + "msgid \"" + message + "\"\nmsgstr \"\"\n", Format::po).segments();
  };
  for (const std::string quoted : {"'%s'", "\\\"%s\\\"", "“{name}”", "„$name“", "`%s'"}) {
    EXPECT_EQ(segments("Open " + quoted + " now"), Texts{"Open now"}) << quoted;
    EXPECT_EQ(catalogue_in_capitals("msgid \"open " + quoted + " now\"\nmsgstr \"\"\n"),
              "#, fuzzy\nmsgid \"open " + quoted + " now\"\nmsgstr \"OPEN " + quoted + " NOW\"\n");
  }
  EXPECT_EQ(segments("don't open 'it' or '%s and' more"), Texts{"don't open 'it' or ' and' more"});
  EXPECT_EQ(segments("see https://a.org/b:c#d for more"), Texts{"see for more"}) << "an address has such marks";
}

TEST(Catalogue, TagsMayHaveNumbers) {
  EXPECT_EQ(catalogue_in_capitals("msgid \"<0>terms</0> <1/> if 1 <2 > 1\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"<0>terms</0> <1/> if 1 <2 > 1\"\nmsgstr \"<0>TERMS</0> <1/> IF 1 <2 > 1\"\n");
}

TEST(Catalogue, MalformedLinesStay) {
  for (const std::string entries :
       {"msgid \"open\nmsgstr \"\"\n", "msgstr \"\"\n", "msgid\nmsgstr \"\"\n", "\"text\"\n", "msgid \"a\"\nmsgstr\n"})
    EXPECT_EQ(catalogue_in_capitals(entries), entries);
}

}  // namespace
}  // namespace dragoman::document

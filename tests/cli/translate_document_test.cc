// `dragoman translate --format`: documents, as users have them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/search/text_model.h"

namespace dragoman::cli {
namespace {

class TranslateDocumentCommand : public ::testing::Test {
 protected:
  void SetUp() override { write_model("transformer-small"); }

  void write_model(const std::string& preset) const {
    search::test::write_text_model(folder_.file("m.safetensors"), preset, 3);
  }
  Outcome translate(const std::string& arguments) const {
    return run_program(folder_, "translate --model m.safetensors --device cpu --quiet " + arguments);
  }
  std::string translate_line(const std::string& line) const {
    folder_.write("line", line + "\n");
    const std::string out = translate("--input line").out;
    return out.substr(0, out.size() - 1);
  }

  support::TempFolder folder_;
};

TEST_F(TranslateDocumentCommand, KeepsTheStructureAndTranslatesTheText) {
  const std::string dog = translate_line("the dog"), house = translate_line("the house");
  ASSERT_NE(dog, "the dog");
  folder_.write("page", "<html><p class=x>the dog</p>\n<ul><li>the house<li><code>the dog</code></ul></html>\n");
  const Outcome page = translate("--format html --input page --output out");
  ASSERT_EQ(page.status, 0) << page.err;
  EXPECT_EQ(page.said(), "");
  EXPECT_EQ(support::read_all(folder_.file("out")),
            "<html><p class=x>" + dog + "</p>\n<ul><li>" + house + "<li><code>the dog</code></ul></html>\n");
  folder_.write("text", "  - the dog\n\nthe house");
  EXPECT_EQ(translate("--format text < text").out, "  - " + dog + "\n\n" + house);
  folder_.write("po", "msgid \"the dog\"\nmsgstr \"\"\n\nmsgid \"the house\"\nmsgstr \"x\"\n");
  EXPECT_EQ(translate("--format po < po").out,
            "#, fuzzy\nmsgid \"the dog\"\nmsgstr \"" + dog + "\"\n\nmsgid \"the house\"\nmsgstr \"x\"\n");
  EXPECT_EQ(translate("--format po --retranslate < po").out, "#, fuzzy\nmsgid \"the dog\"\nmsgstr \"" + dog +
                                                                 "\"\n\n#, fuzzy\nmsgid \"the house\"\nmsgstr \"" +
                                                                 house + "\"\n");
  folder_.write("xml", "<a><b>the dog</b><c>the house</c></a>");
  EXPECT_EQ(translate("--format xml --ignored-tags c < xml").out, "<a><b>" + dog + "</b><c>the house</c></a>");
}

TEST_F(TranslateDocumentCommand, AFileWhoseNameSaysSoIsMarkdown) {
  const std::string dog = translate_line("the dog"), house = translate_line("the house");
  const std::string text = "# the dog\n\n```\nthe dog\n```\n- the house\n";
  const std::string translated = "# " + dog + "\n\n```\nthe dog\n```\n- " + house + "\n";
  folder_.write("page.md", text);
  EXPECT_EQ(translate("--input page.md").out, translated);
  EXPECT_EQ(translate("--format markdown < page.md").out, translated);
  EXPECT_NE(translate("--format lines --input page.md").out, translated);
  EXPECT_NE(translate("--input page.md --json").err.find("this is a document"), std::string::npos);
}

TEST_F(TranslateDocumentCommand, EveryOneOfManyFilesIsWhatItsNameSays) {
  const std::string dog = translate_line("the dog");
  std::filesystem::create_directory(folder_.file("in"));
  folder_.write("in/page.html", "<p>the dog</p>");
  folder_.write("in/page.md", "- the dog\n");
  folder_.write("in/page.po", "msgid \"the dog\"\nmsgstr \"\"\n");
  folder_.write("in/page.txt", "the dog\n");
  const Outcome outcome = translate("--input in --output out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(support::read_all(folder_.file("out/page.html")), "<p>" + dog + "</p>");
  EXPECT_EQ(support::read_all(folder_.file("out/page.md")), "- " + dog + "\n");
  EXPECT_EQ(support::read_all(folder_.file("out/page.po")), "#, fuzzy\nmsgid \"the dog\"\nmsgstr \"" + dog + "\"\n");
  EXPECT_EQ(support::read_all(folder_.file("out/page.txt")), dog + "\n");
  EXPECT_NE(translate("--input in/page.html --json").err.find("this is a document"), std::string::npos);
}

TEST_F(TranslateDocumentCommand, SaysOnceThatTagsArePlacedByProportion) {
  folder_.write("page", "<p>the <b>dog</b> is here</p><p>the <b>house</b> is here</p>");
  EXPECT_EQ(translate("--format html < page").err, "");
  write_model("seq2seq");
  const Outcome outcome = translate("--format html < page");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("in proportion"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("in proportion"), outcome.err.rfind("in proportion"));
  EXPECT_NE(outcome.out.find("<b>"), std::string::npos);
}

TEST_F(TranslateDocumentCommand, RefusesWhatIsForLines) {
  folder_.write("page", "<p>the dog</p>");
  for (const std::string flags :
       {"--json", "--n-best 2", "--alignments links", "--tree-svg tree.svg", "--prefixes page"}) {
    const Outcome outcome = translate("--format html " + flags + " < page");
    EXPECT_NE(outcome.status, 0) << flags;
    EXPECT_NE(outcome.err.find("--format"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(translate("--ignored-tags c < page").err.find("--format xml"), std::string::npos);
  EXPECT_NE(translate("--format odt < page").err.find("html"), std::string::npos);
}

TEST_F(TranslateDocumentCommand, SaysWhichByteIsNotUtf8) {
  folder_.write("page", "<p>caf\xe9</p>");
  const Outcome outcome = translate("--format html < page");
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("byte 7"), std::string::npos) << outcome.err;
  EXPECT_NE(translate("--format html < /dev/null").status, 1);
}

}  // namespace
}  // namespace dragoman::cli

// The server's page, used as people use it: in a browser, with mouse and keyboard.
#include "tests/browser/page_fixture.h"

namespace dragoman::browser {
namespace {

TEST_F(Page, TranslatesWhatIsTyped) {
  translate(kSentence);
  const nlohmann::json told = explanation();
  EXPECT_EQ(told["model"], "transformer");
  EXPECT_EQ(window_->text(".translation .text"), told["explanations"][0]["text"].get<std::string>());
  EXPECT_NE(window_->text("#status").find("Translated in"), std::string::npos);
  EXPECT_EQ(window_->text("#count"), "27 characters");
  window_->click("#clear");
  window_->wait_for("document.querySelectorAll('.word').length === 0 && document.querySelector('#insight').hidden");
}

TEST_F(Page, ShowsWhatTheServerTranslates) {
  for (const char* const text : {"- the red house .\n\n***\n  1. a dog ! Where is it ?", "***", "  the dog\n\n"}) {
    window_->evaluate("document.querySelector('#clear').click()");
    window_->click("#source");
    window_->type(text);
    window_->wait_for("document.querySelector('.translation .text')?.textContent === " +
                      answer("translate", text)["translatedText"].dump());
  }
}

TEST_F(Page, IsUsedWithTheKeyboard) {
  translate(kSentence);
  window_->evaluate("document.querySelector('.word').focus()");
  window_->press("ArrowRight");
  EXPECT_EQ(window_->evaluate("document.activeElement.textContent"), window_->text(".word:nth-of-type(2)"));
  EXPECT_EQ(window_->text("#card h3"), window_->text(".word:nth-of-type(2)"));
  EXPECT_EQ(window_->count(".word[tabindex=\"0\"]"), 1) << "one stop for the tab key";
  const nlohmann::json nameless = window_->evaluate(
      "[...document.querySelectorAll('button, select, textarea, input')].filter((one) => one.checkVisibility() && "
      "!one.textContent.trim() && !one.ariaLabel && !one.getAttribute('aria-labelledby') && !(one.labels?.length > "
      "0)).map((one) => one.outerHTML)");
  EXPECT_EQ(nameless, nlohmann::json::array());
}

TEST_F(Page, TurnsToAnotherTargetIfTheTextIsInIt) {
  EXPECT_EQ(window_->evaluate("document.querySelector('#from').value + document.querySelector('#to').value"), "autode");
  translate("Das rote Haus steht hier, und wo ist jetzt der blaue Hund?");
  EXPECT_EQ(window_->evaluate("document.querySelector('#from').selectedOptions[0].text"), "German (detected)");
  EXPECT_EQ(window_->evaluate("document.querySelector('#to').value"), "en");
}

TEST_F(Page, DetectsTheLanguage) {
  EXPECT_TRUE(window_->evaluate("document.querySelector('#swap').disabled")) << "there is no text yet";
  translate("The red house stands here, and where is the blue dog now?");
  EXPECT_EQ(window_->evaluate("document.querySelector('#from').selectedOptions[0].text"), "English (detected)");
  EXPECT_EQ(window_->count("#models .chip"), 2) << "those of the detected language";
  select("#to", "en");
  window_->wait_for("document.querySelector('#why').textContent.includes('in the target language already')");
  EXPECT_EQ(window_->text(".translation .text"), "The red house stands here, and where is the blue dog now?");
}

TEST_F(Page, SwapsTheLanguages) {
  translate(kSentence);
  const std::string before = window_->text(".translation .text");
  window_->click("#swap");
  EXPECT_EQ(window_->evaluate("document.querySelector('#from').value + document.querySelector('#to').value"), "deen");
  EXPECT_EQ(window_->evaluate("document.querySelector('#source').value"), before);
  EXPECT_TRUE(window_->evaluate("document.querySelector('#models').hidden")) << "there is one model for the way back";
  window_->wait_for("document.querySelector('.translation .text').lang === 'en'");
}

TEST_F(Page, CopiesATranslation) {
  window_->allow_clipboard();
  translate(kSentence);
  window_->click(".copy");
  window_->wait_for("document.querySelector('.copy').textContent === 'Copied'");
  EXPECT_EQ(window_->evaluate("navigator.clipboard.readText()"), window_->text(".translation .text"));
}

TEST_F(Page, LeavesNoOldTranslationBelowAnError) {
  translate(kSentence);
  window_->evaluate("document.querySelector('#source').value = ' dog'.repeat(1000)");
  window_->click("#source");
  window_->type(" dog");
  window_->wait_for("!document.querySelector('#problem').hidden");
  EXPECT_NE(window_->text("#problem-text").find("limit of 3000"), std::string::npos);
  EXPECT_EQ(window_->count(".translation"), 0);
  EXPECT_TRUE(window_->evaluate("document.querySelector('#insight').hidden"));
  EXPECT_EQ(window_->text("#count"), "4,004 of 3,000 characters");
  EXPECT_EQ(window_->complaints().size(), 1u) << "the browser reports the status 400";
}

TEST_F(Page, LetsTheTextGrow) {
  window_->click("#source");
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += "a\n";
  window_->type(lines);
  EXPECT_TRUE(window_->evaluate(
      "{ const {scrollHeight, clientHeight} = document.querySelector('#source'); scrollHeight <= clientHeight + 1; }"));
}

TEST_F(Page, HidesTheKeyUntilItIsShown) {
  window_->evaluate("document.querySelector('#key-box').hidden = false");
  const auto type = [] { return window_->evaluate("document.querySelector('#key').type"); };
  EXPECT_EQ(type(), "password");
  window_->click("#show-key");
  EXPECT_EQ(type(), "text");
  EXPECT_EQ(window_->text("#show-key"), "Hide");
  window_->click("#show-key");
  EXPECT_EQ(type(), "password");
}

TEST_F(Page, AllowsNoScriptOrStyleOfOthers) {
  const std::string policy =
      window_->evaluate("fetch('/').then((answer) => answer.headers.get('Content-Security-Policy'))");
  for (const char* const rule : {"default-src 'none'", "script-src 'self';", "style-src 'self';"})
    EXPECT_NE(policy.find(rule), std::string::npos) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
}

TEST_F(Page, WritesTheTermsOfTheGlossary) {
  window_->click("#glossary-fold summary");
  window_->click("#glossary");
  window_->type("house = hund");
  translate(kSentence);
  window_->wait_for("document.querySelector('.translation .text').textContent.includes('hund')");
  EXPECT_EQ(window_->text("#glossary-problems"), "");
  window_->click("#glossary");
  window_->type("\n\nred rot\n= x\ndog =");
  EXPECT_EQ(window_->text("#glossary-problems"),
            "Line 3 is not used: it has no equals sign.\n"
            "Line 4 is not used: it has no term before the equals sign.\n"
            "Line 5 is not used: it has no translation after the equals sign.");
}

TEST_F(Page, TranslatesAFile) {
  window_->choose_file("#file", folder_->write("notes.txt", "the red house\nthe dog\n"));
  window_->wait_for("document.querySelector('#file-result a') !== null");
  const std::string content =
      window_->evaluate("fetch(document.querySelector('#file-result a').href).then((answer) => answer.text())");
  EXPECT_EQ(std::count(content.begin(), content.end(), '\n'), 2) << content;
}

TEST_F(Page, SaysKindlyWhatWentWrong) {
  auto other = start();
  Window window(1280, 900);
  window.open(address(*other));
  window.wait_for("document.querySelector('#from')?.options.length > 0");
  other.reset();
  window.click("#source");
  window.type(kSentence);
  window.wait_for("!document.querySelector('#problem').hidden");
  EXPECT_EQ(window.text("#problem-text"), "The server does not answer. Is it still running?");
}

}  // namespace
}  // namespace dragoman::browser

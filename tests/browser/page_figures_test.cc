// The figures of the server's page: what words looked at, attention maps, the beam.
#include "tests/browser/page_fixture.h"

namespace dragoman::browser {
namespace {

class PageFigures : public Page {};

TEST_F(PageFigures, ShowsWhatAWordLookedAt) {
  translate(kSentence);
  window_->point_at(".word:nth-of-type(2)");
  EXPECT_EQ(window_->text("#card h3"), window_->text(".word:nth-of-type(2)"));
  EXPECT_GT(window_->count(".link[data-lit]"), 0);
  EXPECT_GT(window_->count(".key .line-word[data-lit]"), 0);
  EXPECT_GT(window_->count(".matrix rect[data-lit]"), 0);
  EXPECT_GT(window_->count("#card .alternatives li"), 3);
  window_->point_at("h1");
  EXPECT_EQ(window_->count(".link[data-lit]"), 0);
  EXPECT_EQ(window_->text("#card h3"), window_->text(".word:nth-of-type(2)")) << "on the way to the card it stays";
}

TEST_F(PageFigures, ShowsWhichWordsLookedAtASourceWord) {
  translate(kSentence);
  window_->click("#models .chip:nth-of-type(2)");
  window_->wait_for("document.querySelectorAll('.translation').length === 2");
  window_->point_at(".key .line-word:nth-of-type(3)");
  EXPECT_EQ(window_->text("#card h3"), "house");
  EXPECT_EQ(window_->text("#card .looked").find("Looked at by"), 0u);
  EXPECT_GT(window_->count(".query .line-word[data-lit]"), 0);
  EXPECT_EQ(window_->evaluate("[...new Set([...document.querySelectorAll('.matrix rect[data-lit]')].map((one) => "
                              "one.dataset.column))].join()"),
            "2");
}

TEST_F(PageFigures, DrawsTheLinesOfTheChosenAttention) {
  translate(kSentence);
  select("#kind", "encoder");
  EXPECT_EQ(window_->text(".line-words.query"), window_->text(".line-words.key"));
  window_->point_at(".query .line-word:nth-of-type(2)");
  EXPECT_GT(window_->count(".link[data-lit][data-query=\"1\"]"), 0);
  EXPECT_EQ(window_->text("#card h3"), "red");
  select("#kind", "past");
  EXPECT_EQ(window_->text(".key .line-word"), "<s>");
  window_->point_at(".word");
  EXPECT_EQ(window_->count(".key .line-word[data-lit]"), 1) << "the first word has only the beginning to look at";
}

TEST_F(PageFigures, ContinuesFromAnAlternativeAndBack) {
  translate(kSentence);
  const std::string before = window_->text(".translation .text");
  window_->click(".word:nth-of-type(2)");
  const std::string other = window_->evaluate("/“(.*)”/.exec(document.querySelector('button.alternative').title)[1]");
  EXPECT_NE(before.find(other), 0u);
  window_->click("button.alternative");
  window_->wait_for("document.querySelector('.undo') !== null");
  EXPECT_EQ(window_->text(".translation .text").find(other), 0u) << window_->text(".translation .text");
  EXPECT_NE(window_->text("#status").find("Continued from"), std::string::npos);
  EXPECT_EQ(window_->count(".word[data-chosen]"), 1);
  const std::string chosen = window_->text(".word[data-chosen]");
  EXPECT_TRUE(chosen.starts_with(other.substr(other.rfind(' ') + 1))) << chosen << " after " << other;
  EXPECT_EQ(window_->text("#card h3"), chosen);
  window_->click(".undo");
  EXPECT_EQ(window_->text(".translation .text"), before);
  fail_requests("prefix", 503);
  window_->click(".word:nth-of-type(2)");
  window_->click("button.alternative");
  window_->wait_for("!document.querySelector('#problem').hidden");
  EXPECT_EQ(window_->text(".translation .text"), before) << "it is still the translation of the text";
}

TEST_F(PageFigures, ShowsEveryHeadAndTheBeam) {
  translate(kSentence);
  const nlohmann::json told = explanation()["explanations"][0];
  std::size_t heads = 0;
  for (const auto& layer : told["attention"])
    if (layer["kind"] == "source") heads += layer["heads"].size();
  EXPECT_EQ(window_->count(".head"), static_cast<int>(heads));
  EXPECT_EQ(window_->count(".matrix .cell"), static_cast<int>(told["tokens"].size() * told["source_tokens"].size()));
  window_->click(".head");
  EXPECT_EQ(window_->evaluate("document.querySelector('#layer').value + document.querySelector('#head').value"), "00");
  EXPECT_EQ(window_->count(".head[aria-pressed=true]"), 1);
  select("#kind", "encoder");
  const std::size_t source = told["source_tokens"].size();
  EXPECT_EQ(window_->count(".matrix .cell"), static_cast<int>(source * source));
  std::size_t best = 0;
  for (const auto& node : told["tree"]) best += node["best"] == true;
  EXPECT_EQ(window_->count(".beam-tree > .best .token"), static_cast<int>(best) + 1) << "and the root";
  EXPECT_GT(window_->count("[data-node].dropped .cross"), 0);
  window_->point_at(".beam-tree > .dropped .token");
  EXPECT_NE(window_->text("#hypothesis").find("dropped from the beam"), std::string::npos);
  EXPECT_EQ(small_letters(*window_), nlohmann::json::array());
}

TEST_F(PageFigures, ShowsBytesAsCharactersOrMarked) {
  select("#from", "de");
  select("#to", "fr");
  translate("das rote haus .");
  window_->wait_for("document.querySelector('.beam-tree') !== null");
  const std::string shown = window_->evaluate("document.querySelector('#insight').textContent");
  EXPECT_EQ(shown.find("<0x"), std::string::npos);
  EXPECT_NE(shown.find("\u2039"), std::string::npos) << "random weights write bytes of no character";
  // Written in parts, read as a whole.
  const nlohmann::json read = window_->evaluate(
      "import('/tokens.js').then(({Speller}) => [['<0xC3>', '<0xA4>', '\u2581b', '<0xE2>', 'c'], ['\u0120Ã', '¤', "
      "'\u0120']]"
      ".map((tokens) => new Speller(tokens).sequence(tokens).map((one) => one.label)))");
  EXPECT_EQ(read,
            (nlohmann::json{{"\u2039C3\u203a", "ä", "b", "\u2039E2\u203a", "c"}, {"\u2039C3\u203a", "ä", "\u2423"}}));
}

// Parts of characters can leave a word without tokens.
TEST_F(PageFigures, AWordWithoutTokensStandsAfterTheOneBefore) {
  const nlohmann::json places = window_->evaluate(
      "import('/explanation.js').then(({targetWords}) => targetWords({text: 'one \" two', tokens: [{token: 'one', "
      "word: 0, begin: 0, end: 3}, {token: 'two', word: 2, begin: 5, end: 9}]}).map((word) => [word.begin, "
      "word.end]))");
  EXPECT_EQ(places, (nlohmann::json{{0, 3}, {3, 3}, {6, 9}}));
}

TEST_F(PageFigures, ComparesTwoModels) {
  translate(kSentence);
  EXPECT_EQ(window_->count("#models .chip"), 2);
  window_->click("#models .chip:nth-of-type(2)");
  window_->wait_for("document.querySelectorAll('.translation').length === 2");
  EXPECT_EQ(window_->text(".translation:nth-of-type(2) h3"), "seq2seq");
  EXPECT_GT(window_->count(".translation:nth-of-type(2) .differs"), 0);
  EXPECT_EQ(window_->count(".translation:nth-of-type(1) .differs"), 0);
  EXPECT_EQ(window_->count("#maps .matrix"), 1);
  EXPECT_NE(window_->text("#maps figure:nth-of-type(2)").find("No attention"), std::string::npos);
  window_->point_at(".translation:nth-of-type(2) .word");
  EXPECT_EQ(window_->count("#maps .matrix"), 1) << "the map of the first model stays beside it";
  EXPECT_EQ(window_->count("#lines .vector"), 1);
  EXPECT_EQ(window_->text("#shown .chip[aria-pressed=true]"), "seq2seq");
  EXPECT_EQ(window_->text("#tree-title"), "The beam of seq2seq");
  window_->click("#shown .chip:nth-of-type(1)");
  EXPECT_EQ(window_->text("#tree-title"), "The beam of transformer");
}

TEST_F(PageFigures, AModelThatFailsSaysSoInItsPlace) {
  translate(kSentence);
  fail_requests("seq2seq", 400);
  window_->click("#models .chip:nth-of-type(2)");
  window_->wait_for("document.querySelectorAll('.translation').length === 2");
  EXPECT_EQ(window_->text(".translation:nth-of-type(2)"), "seq2seqtoo busy");
  EXPECT_GT(window_->count(".translation:nth-of-type(1) .word"), 0);
  EXPECT_TRUE(window_->evaluate("document.querySelector('#problem').hidden"));
}

TEST_F(PageFigures, TranslatesALongTextWithoutFigures) {
  std::string text;
  while (text.size() <= 1500) text += "the red house . ";
  window_->click("#source");
  window_->type(text);
  window_->wait_for("document.querySelector('.translation .text')?.textContent.length > 100");
  EXPECT_TRUE(window_->evaluate("document.querySelector('#insight').hidden"));
  EXPECT_EQ(window_->text("#why"),
            "No figures for this text: it has 1,504 characters, and texts of up to 1,500 are explained.");
}

TEST_F(PageFigures, SaysWhyThereAreNoFigures) {
  select("#to", "fr");
  window_->click("#source");
  window_->type(kSentence);
  window_->wait_for("document.querySelector('.translation .text') !== null");
  EXPECT_NE(window_->text("#why").find("third language"), std::string::npos);
  select("#to", "de");
  window_->wait_for("document.querySelector('#why').hidden && !document.querySelector('#insight').hidden");
  std::string lines;
  for (int i = 0; i < 51; ++i) lines += "a\n";
  window_->type(lines);
  window_->wait_for("document.querySelector('#why').textContent.includes('sentences exceed the limit of 50')");
  EXPECT_EQ(window_->count(".translation .text"), 1) << "translated all the same";
  EXPECT_EQ(window_->complaints().size(), 1u) << "the browser reports the status 400";
}

TEST_F(PageFigures, MarksTheEndsThatScroll) {
  translate("the red house stands here . a blue dog sees you ! where is it , now ?");
  translate(" the red house stands here , a blue dog sees you , where is it , now , the red house stands here .");
  window_->wait_for("document.querySelector('#lines [data-after]') !== null");
  EXPECT_EQ(window_->count("#lines [data-before]"), 0);
  window_->evaluate("document.querySelector('#lines .scrolling').scrollLeft = 1e6");
  window_->wait_for("document.querySelector('#lines [data-before]:not([data-after])') !== null");
}

TEST_F(PageFigures, KeepsLinesAndShowsTextAsText) {
  translate("the dog .\nsee <img src=x onerror=alert(1)> it .");
  EXPECT_EQ(window_->evaluate("document.images.length"), 0);
  window_->wait_for("document.querySelector('#sentence').textContent === 'Sentence 1 of 2'");
  window_->click("#next");
  EXPECT_NE(window_->text("#lines").find("<img"), std::string::npos);
}

TEST_F(PageFigures, FitsAPhoneInLightAndDark) {
  Window phone(390, 800);
  for (const char* const scheme : {"light", "dark"}) {
    phone.prefer(scheme);
    phone.open(address(*server_) + "#the%20red%20house%20stands%20here%20.");
    phone.wait_for("document.querySelector('.beam-tree[role=img]') !== null");
    EXPECT_TRUE(phone.evaluate("document.documentElement.scrollWidth <= 390")) << scheme;
    EXPECT_EQ(phone.evaluate("getComputedStyle(document.body).backgroundColor === 'rgb(246, 247, 249)'"),
              std::string(scheme) == "light");
    phone.evaluate("document.querySelector('#models .chip:nth-of-type(2)').click()");
    phone.wait_for("document.querySelectorAll('#maps figure').length === 2");
    EXPECT_TRUE(phone.evaluate("document.documentElement.scrollWidth <= 390")) << scheme << ", two models";
    EXPECT_EQ(small_letters(phone), nlohmann::json::array());
    EXPECT_FALSE(phone.evaluate("document.querySelector('#card').checkVisibility()")) << "there is no word yet";
    phone.click(".query .line-word:nth-of-type(2)");
    EXPECT_EQ(phone.evaluate(
                  "{ const card = document.querySelector('#card').getBoundingClientRect(), word = "
                  "document.querySelector('.query .line-word:nth-of-type(2)').getBoundingClientRect(); "
                  "[card.bottom === innerHeight, card.top < innerHeight - 100, word.bottom <= card.top].join(); }"),
              "true,true,true")
        << "the card is in view, and so is its word";
    phone.click("#card .close");
    EXPECT_FALSE(phone.evaluate("document.querySelector('#card').checkVisibility()"));
  }
  EXPECT_EQ(phone.complaints(), std::vector<std::string>());
}

}  // namespace
}  // namespace dragoman::browser

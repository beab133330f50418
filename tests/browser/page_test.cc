// The server's page, used as people use it: in a browser, with mouse and keyboard.
#include <gtest/gtest.h>

#include "serve/server.h"
#include "tests/browser/devtools.h"
#include "tests/search/text_model.h"

namespace dragoman::browser {
namespace {

const char* const kSentence = "the red house stands here .";

// Two models with random weights for the same languages, one of them without attention, and a way back.
class Page : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_browser().empty()) return;
    folder_ = new support::TempFolder;
    search::test::write_text_model(folder_->file("transformer.safetensors"), "transformer-small", 3);
    search::test::write_text_model(folder_->file("seq2seq.safetensors"), "seq2seq", 4);
    server_ = start().release();
    window_ = new Window(1280, 900);
  }
  static void TearDownTestSuite() {
    delete window_;
    delete server_;
    delete folder_;
    window_ = nullptr;
    server_ = nullptr;
    folder_ = nullptr;
  }
  static std::unique_ptr<serve::Server> start() {
    serve::ServeOptions options;
    options.port = 0;
    options.models = {"en-de=" + folder_->file("transformer.safetensors"),
                      "en-de=" + folder_->file("seq2seq.safetensors"),
                      "de-en=" + folder_->file("transformer.safetensors")};
    ComputeOptions compute;
    compute.device = "cpu";
    compute.threads = 2;
    return std::make_unique<serve::Server>(options, compute);
  }
  static std::string address(const serve::Server& server) {
    return "http://127.0.0.1:" + std::to_string(server.port()) + "/";
  }

  void SetUp() override {
    if (find_browser().empty()) GTEST_SKIP() << "needs Chromium: apt install chromium";
    window_->open(address(*server_));
    window_->wait_for("document.readyState === 'complete' && document.querySelector('#from')?.options.length > 0");
  }
  // Nothing went wrong, and nothing was asked of other servers.
  void TearDown() override {
    if (find_browser().empty()) return;
    EXPECT_EQ(window_->complaints(), std::vector<std::string>());
    for (const std::string& url : window_->requests())
      EXPECT_TRUE(url.starts_with("http://127.0.0.1:") || url == "about:blank") << url;
  }

  static void translate(const std::string& text) {
    window_->click("#source");
    window_->type(text);
    window_->wait_for("document.querySelectorAll('.word').length > 0");
  }
  // The explanation that the page has shown, asked for once more.
  static nlohmann::json explanation() {
    return window_->evaluate(std::string("fetch('v1/explain', {method: 'POST', headers: {'Content-Type': "
                                         "'application/json'}, body: JSON.stringify({q: '") +
                             kSentence + "', source: 'en', target: 'de'})}).then((answer) => answer.json())");
  }

  inline static support::TempFolder* folder_ = nullptr;
  inline static serve::Server* server_ = nullptr;
  inline static Window* window_ = nullptr;
};

TEST_F(Page, TranslatesWhatIsTyped) {
  translate(kSentence);
  const nlohmann::json told = explanation();
  EXPECT_EQ(told["model"], "transformer");
  EXPECT_EQ(window_->text(".translation .text"), told["explanations"][0]["text"]);
  EXPECT_NE(window_->text("#status").find("Translated in"), std::string::npos);
  EXPECT_EQ(window_->text("#count"), "27 characters");
  window_->click("#clear");
  window_->wait_for("document.querySelectorAll('.word').length === 0 && document.querySelector('#insight').hidden");
}

TEST_F(Page, ShowsWhatAWordLookedAt) {
  translate(kSentence);
  window_->point_at(".word:nth-of-type(2)");
  EXPECT_EQ(window_->text("#card h3"), window_->text(".word:nth-of-type(2)"));
  EXPECT_GT(window_->count(".link[data-lit]"), 0);
  EXPECT_GT(window_->count(".above .line-word[data-lit]"), 0);
  EXPECT_GT(window_->count(".matrix rect[data-lit]"), 0);
  EXPECT_GT(window_->count("#card .alternatives li"), 3);
  window_->point_at("h1");
  EXPECT_EQ(window_->count(".link[data-lit]"), 0);
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

TEST_F(Page, ContinuesFromAnAlternativeAndBack) {
  translate(kSentence);
  const std::string before = window_->text(".translation .text");
  window_->click(".word:nth-of-type(2)");
  const std::string other = window_->evaluate("/“(.*)”/.exec(document.querySelector('button.alternative').title)[1]");
  EXPECT_NE(before.find(other), 0u);
  window_->click("button.alternative");
  window_->wait_for("document.querySelector('.undo') !== null");
  EXPECT_EQ(window_->text(".translation .text").find(other), 0u) << window_->text(".translation .text");
  EXPECT_NE(window_->text("#status").find("Continued from"), std::string::npos);
  window_->click(".undo");
  EXPECT_EQ(window_->text(".translation .text"), before);
}

TEST_F(Page, ShowsEveryHeadAndTheBeam) {
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
  window_->evaluate(
      "{ const kind = document.querySelector('#kind'); kind.value = 'encoder'; "
      "kind.dispatchEvent(new Event('change')); }");
  const std::size_t source = told["source_tokens"].size();
  EXPECT_EQ(window_->count(".matrix .cell"), static_cast<int>(source * source));
  std::size_t best = 0;
  for (const auto& node : told["tree"]) best += node["best"] == true;
  EXPECT_EQ(window_->count(".beam-tree > .best .token"), static_cast<int>(best) + 1) << "and the root";
  EXPECT_GT(window_->count(".beam-tree .dropped"), 0);
}

TEST_F(Page, ComparesTwoModels) {
  translate(kSentence);
  EXPECT_EQ(window_->count(".chip"), 2);
  window_->click(".chip:nth-of-type(2)");
  window_->wait_for("document.querySelectorAll('.translation').length === 2");
  EXPECT_EQ(window_->text(".translation:nth-of-type(2) h3"), "seq2seq");
  EXPECT_GT(window_->count(".translation:nth-of-type(2) .differs"), 0);
  EXPECT_EQ(window_->count(".translation:nth-of-type(1) .differs"), 0);
  EXPECT_NE(window_->text("#others").find("This model has no attention"), std::string::npos);
  window_->point_at(".translation:nth-of-type(2) .word");
  EXPECT_EQ(window_->count("#others .matrix"), 1) << "of the first model";
  EXPECT_NE(window_->text("#lines").find("This model has no attention"), std::string::npos);
  EXPECT_TRUE(window_->evaluate("document.querySelector('#map-section').hidden"));
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

TEST_F(Page, TranslatesALongTextWithoutFigures) {
  std::string text;
  while (text.size() <= 1500) text += "the red house . ";
  window_->click("#source");
  window_->type(text);
  window_->wait_for("document.querySelector('.translation .text')?.textContent.length > 100");
  EXPECT_TRUE(window_->evaluate("document.querySelector('#insight').hidden"));
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
}

TEST_F(Page, KeepsLinesAndShowsTextAsText) {
  translate("the dog .\nsee <img src=x onerror=alert(1)> it .");
  EXPECT_EQ(window_->evaluate("document.images.length"), 0);
  window_->wait_for("document.querySelector('#sentence').textContent === 'Sentence 1 of 2'");
  window_->click("#next");
  EXPECT_NE(window_->text("#lines").find("<img"), std::string::npos);
}

TEST_F(Page, TranslatesAFile) {
  window_->choose_file("#file", folder_->write("notes.txt", "the red house\nthe dog\n"));
  window_->wait_for("document.querySelector('#file-result a') !== null");
  const std::string content =
      window_->evaluate("fetch(document.querySelector('#file-result a').href).then((answer) => answer.text())");
  EXPECT_EQ(std::count(content.begin(), content.end(), '\n'), 2) << content;
}

TEST_F(Page, FitsAPhoneInLightAndDark) {
  Window phone(390, 800);
  for (const char* const scheme : {"light", "dark"}) {
    phone.prefer(scheme);
    phone.open(address(*server_) + "#the%20red%20house%20stands%20here%20.");
    phone.wait_for("document.querySelectorAll('.beam-tree').length === 1");
    EXPECT_TRUE(phone.evaluate("document.documentElement.scrollWidth <= 390")) << scheme;
    EXPECT_EQ(phone.evaluate("getComputedStyle(document.body).backgroundColor === 'rgb(246, 247, 249)'"),
              std::string(scheme) == "light");
  }
  EXPECT_EQ(phone.complaints(), std::vector<std::string>());
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

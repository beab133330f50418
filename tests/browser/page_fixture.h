#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "serve/server.h"
#include "tests/browser/devtools.h"
#include "tests/search/text_model.h"

namespace dragoman::browser {

inline const char* const kSentence = "the red house stands here .";
inline constexpr int kMostCharacters = 3000;

// The server's page with two models with random weights for the same languages, one of them without attention, a way
// back, and a model that writes bytes into a third language.
class Page : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (find_browser().empty()) return;
    folder_ = new support::TempFolder;
    search::test::write_text_model(folder_->file("transformer.safetensors"), "transformer-small", 3);
    search::test::write_text_model(folder_->file("seq2seq.safetensors"), "seq2seq", 4);
    store::ModelInfo bytes = search::test::text_model_info("transformer-tiny");
    bytes.target_tokenizer = search::test::bytes_tokenizer({"une maison rouge .", "le chien est ici ."});
    bytes.config.target_vocabulary = text::deserialize_tokenizer(bytes.target_tokenizer)->size();
    search::test::write_text_model(folder_->file("bytes.safetensors"), bytes, 5);
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
    options.models = {
        "en-de=" + folder_->file("transformer.safetensors"), "en-de=" + folder_->file("seq2seq.safetensors"),
        "de-en=" + folder_->file("transformer.safetensors"), "de-fr=" + folder_->file("bytes.safetensors")};
    options.max_characters = kMostCharacters;
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
  // The server's answer to a text, asked for once more.
  static nlohmann::json answer(const std::string& path, const nlohmann::json& text) {
    const nlohmann::json body = {{"q", text}, {"source", "en"}, {"target", "de"}};
    return window_->evaluate(
        "fetch('" + path + "', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(" +
        body.dump() + ")}).then((answer) => answer.json())");
  }
  static nlohmann::json explanation() { return answer("v1/explain", kSentence); }
  static void select(const std::string& selector, const std::string& value) {
    window_->evaluate("{ const one = document.querySelector('" + selector + "'); one.value = '" + value +
                      "'; one.dispatchEvent(new Event('change')); }");
  }
  // Requests whose body contains a text are answered with this error.
  static void fail_requests(const std::string& text, int status) {
    window_->evaluate("{ const real = fetch; window.fetch = (path, options) => options?.body?.includes('" + text +
                      "') ? Promise.resolve(Response.json({error: 'too busy'}, {status: " + std::to_string(status) +
                      "})) : real(path, options); }");
  }
  // The names of the elements in which letters are smaller than 12 pixels, pictures included.
  static nlohmann::json small_letters(Window& window) {
    return window.evaluate(
        "[...document.querySelectorAll('body, body *')].filter((one) => one.checkVisibility() && "
        "[...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && "
        "!one.closest('title, noscript, option, script') && "
        "parseFloat(getComputedStyle(one).fontSize) < 12).map((one) => one.outerHTML.slice(0, 200))");
  }

  inline static support::TempFolder* folder_ = nullptr;
  inline static serve::Server* server_ = nullptr;
  inline static Window* window_ = nullptr;
};

}  // namespace dragoman::browser

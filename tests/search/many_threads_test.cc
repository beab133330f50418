// Eight threads use one translator at once, through C++ and through C. The thread sanitizer watches this test too.
#include <gtest/gtest.h>

#include <thread>

#include "dragoman/dragoman.h"
#include "dragoman/scorer.h"
#include "dragoman/translator.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

constexpr std::size_t kUsers = 8;
constexpr int kRounds = 3;

// Calls use(user) on eight threads at once, `kRounds` times each.
template <class F>
void use_at_once(F&& use) {
  std::vector<std::thread> users;
  for (std::size_t user = 0; user < kUsers; ++user)
    users.emplace_back([&, user] {
      for (int round = 0; round < kRounds; ++round) use(user);
    });
  for (std::thread& user : users) user.join();
}

std::string text_of_user(std::size_t user) {
  static const std::string words[] = {"the dog", "a red house stands here", "where is it ?", "you see"};
  std::string text = words[user % 4];
  if (user % 2 == 0) text += " . The blue dog sees you . Where is it , now ? The house stands here .";  // parts
  return text;
}

class ManyThreads : public ::testing::Test {
 protected:
  void SetUp() override { write_text_model(model_, "transformer-small", 3); }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

TEST_F(ManyThreads, ShareATranslatorOfTheCppInterface) {
  TranslatorOptions options = on_cpu();
  options.threads = 3;
  options.max_input_tokens = 12;
  options.batch = 4;
  const Translator translator(model_, options);
  const auto ask = [&](std::size_t user) {
    SearchOptions search;
    search.beam = 1 + static_cast<int>(user % 4);
    search.sample = user == 5;
    search.alignment = search.attention = search.token_scores = user % 3 == 0;
    Request request;
    request.text = text_of_user(user);
    if (user % 4 == 1) request.terms = {{"house", "Zyx hund"}};
    if (user % 4 == 2) request.banned = {"hund", "dich"};
    if (user % 4 == 3) request.prefix = "ein Qwv";
    return translator.translate({request, request}, search).at(1).translations.at(0).text;
  };
  std::vector<std::string> expected;
  for (std::size_t user = 0; user < kUsers; ++user) expected.push_back(ask(user));
  use_at_once([&](std::size_t user) {
    EXPECT_EQ(ask(user), expected[user]);
    SearchOptions refused;
    refused.beam = 0;
    EXPECT_THROW(translator.translate("the dog", refused), Error);
  });
}

TEST_F(ManyThreads, ShareATranslatorOfTheCInterface) {
  dragoman_options* options = dragoman_options_new();
  ASSERT_EQ(dragoman_options_set(options, "device", "cpu"), 0);
  ASSERT_EQ(dragoman_options_set(options, "max-input-tokens", "12"), 0);
  const char* file = model_.c_str();
  dragoman_translator* translator = dragoman_open_with(&file, 1, options);
  dragoman_options_free(options);
  ASSERT_NE(translator, nullptr) << dragoman_last_error();
  const auto ask = [&](std::size_t user) {
    char* text = dragoman_translate(translator, text_of_user(user).c_str(), 1 + static_cast<int>(user % 4));
    const std::string copy = text ? text : dragoman_last_error();
    dragoman_free(text);
    return copy;
  };
  std::vector<std::string> expected;
  for (std::size_t user = 0; user < kUsers; ++user) expected.push_back(ask(user));
  use_at_once([&](std::size_t user) {
    EXPECT_EQ(ask(user), expected[user]);
    // Each thread has its own last error.
    if (user % 2 == 0) {
      EXPECT_EQ(dragoman_translate(translator, "the dog", -1 - static_cast<int>(user)), nullptr);
      EXPECT_NE(std::string(dragoman_last_error()).find("-" + std::to_string(user + 1)), std::string::npos);
    } else {
      EXPECT_EQ(std::string(dragoman_last_error()), "");
    }
  });
  dragoman_close(translator);
}

TEST_F(ManyThreads, ShareAScorer) {
  const Scorer scorer(model_, {.device = "cpu", .threads = 2});
  const auto ask = [&](std::size_t user) {
    return scorer.score({{text_of_user(user), "ein blauer hund sieht dich !"}}, true).at(0).log_probability;
  };
  std::vector<double> expected;
  for (std::size_t user = 0; user < kUsers; ++user) expected.push_back(ask(user));
  use_at_once([&](std::size_t user) { EXPECT_EQ(ask(user), expected[user]); });
}

}  // namespace
}  // namespace dragoman::search::test

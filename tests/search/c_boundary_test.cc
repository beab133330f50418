// No call of the C interface lets an exception out, whatever it is given.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>

#include "dragoman/dragoman.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

class CBoundary : public ::testing::Test {
 protected:
  void SetUp() override {
    write_text_model(model_, "transformer-small", 3);
    translator_ = dragoman_open(model_.c_str(), 1);
    ASSERT_NE(translator_, nullptr) << dragoman_last_error();
    result_ = dragoman_translate_with(translator_, "the dog", nullptr);
    ASSERT_NE(result_, nullptr) << dragoman_last_error();
  }
  void TearDown() override {
    dragoman_result_free(result_);
    dragoman_close(translator_);
  }
  static bool failed() { return std::string(dragoman_last_error()) != ""; }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
  dragoman_translator* translator_ = nullptr;
  dragoman_result* result_ = nullptr;
};

TEST_F(CBoundary, OpeningFailsWithAReason) {
  for (const int threads : {INT_MIN, -1, 1025, 200'000, INT_MAX}) {
    EXPECT_EQ(dragoman_open(model_.c_str(), threads), nullptr);
    EXPECT_NE(std::string(dragoman_last_error()).find("between 0 and 1024"), std::string::npos) << threads;
  }
  const std::string cut = folder_.write("cut", support::read_all(model_).substr(0, 3000));
  const std::string noise = folder_.write("noise", "no model at all");
  const std::string empty = folder_.write("empty", "");
  for (const std::string& path : {cut, noise, empty, folder_.path(), folder_.file("absent"), std::string()}) {
    EXPECT_EQ(dragoman_open(path.c_str(), 0), nullptr) << path;
    EXPECT_TRUE(failed()) << path;
  }
  EXPECT_EQ(dragoman_open(nullptr, 0), nullptr);
  EXPECT_EQ(dragoman_open_with(nullptr, 3, nullptr), nullptr);
  const char* const files[] = {model_.c_str(), nullptr};
  EXPECT_EQ(dragoman_open_with(files, 2, nullptr), nullptr);
  EXPECT_EQ(dragoman_open_with(files, -1, nullptr), nullptr);
  EXPECT_TRUE(failed());
}

TEST_F(CBoundary, OptionsOutsideTheirRangeAreRefused) {
  dragoman_options* options = dragoman_options_new();
  const std::pair<const char*, const char*> cases[] = {{"beam", "100000"},
                                                       {"beam", "99999999999999999999"},
                                                       {"n-best", "2000000000"},
                                                       {"max-length", "1000000"},
                                                       {"min-length", "-1"},
                                                       {"temperature", "nan"},
                                                       {"temperature", "0"},
                                                       {"length-penalty", "inf"},
                                                       {"threads", "200000"},
                                                       {"batch", "2000000000"},
                                                       {"max-input-tokens", "-3"},
                                                       {"seed", "minus one"},
                                                       {"", ""},
                                                       {"beam", ""},
                                                       {"ranking", "sideways"}};
  for (const auto& [name, value] : cases) {
    EXPECT_EQ(dragoman_options_set(options, name, value), -1) << name << "=" << value;
    EXPECT_TRUE(failed());
  }
  EXPECT_EQ(dragoman_options_set(options, nullptr, "1"), -1);
  EXPECT_EQ(dragoman_options_set(options, "beam", nullptr), -1);
  EXPECT_EQ(dragoman_options_get(nullptr, "beam"), nullptr);
  EXPECT_EQ(dragoman_options_get(options, nullptr), nullptr);
  EXPECT_TRUE(failed());
  dragoman_options_free(options);
  dragoman_options_free(nullptr);
}

TEST_F(CBoundary, TranslatingFailsWithAReason) {
  for (const int beam : {INT_MIN, 0, 1001, INT_MAX}) {
    EXPECT_EQ(dragoman_translate(translator_, "the dog", beam), nullptr) << beam;
    EXPECT_EQ(dragoman_translate(translator_, "", beam), nullptr) << beam;
    EXPECT_TRUE(failed());
  }
  const char* const texts[] = {"the dog", nullptr};
  char* out[2] = {nullptr, nullptr};
  EXPECT_EQ(dragoman_translate_batch(translator_, texts, 2, 1, out), -1);
  EXPECT_EQ(dragoman_translate_batch(translator_, texts, 1, 1, nullptr), -1);
  EXPECT_EQ(dragoman_translate_batch(translator_, nullptr, 1, 1, out), -1);
  EXPECT_EQ(dragoman_translate_batch(nullptr, texts, 1, 1, out), -1);
  EXPECT_EQ(dragoman_translate_batch(translator_, texts, INT_MIN, 1, out), -1);
  EXPECT_EQ(dragoman_translate_with(nullptr, "x", nullptr), nullptr);
  EXPECT_EQ(dragoman_translate_with(translator_, nullptr, nullptr), nullptr);
  EXPECT_EQ(dragoman_translate_batch_with(translator_, texts, 1, nullptr, nullptr), -1);
  EXPECT_TRUE(failed());
  char* bytes = dragoman_translate(translator_, "\xff\xfe \x01", 1);
  EXPECT_NE(bytes, nullptr) << dragoman_last_error();
  dragoman_free(bytes);
}

TEST_F(CBoundary, ResultsAreReadWithinTheirBounds) {
  int number = 0;
  for (const dragoman_result* result :
       {static_cast<const dragoman_result*>(nullptr), static_cast<const dragoman_result*>(result_)})
    for (const int index : {INT_MIN, -1, 1, INT_MAX}) {
      EXPECT_EQ(dragoman_result_text(result, index), nullptr);
      EXPECT_TRUE(std::isnan(dragoman_result_score(result, index)));
      EXPECT_TRUE(std::isnan(dragoman_result_log_probability(result, index)));
      EXPECT_EQ(dragoman_result_token_count(result, index), -1);
      EXPECT_EQ(dragoman_result_token(result, index, 0), nullptr);
      EXPECT_EQ(dragoman_result_token(result, 0, index == 1 ? 1000 : index), nullptr);
      EXPECT_TRUE(std::isnan(dragoman_result_token_score(result, index, 0)));
      EXPECT_EQ(dragoman_result_source_token(result, index == 1 ? 1000 : index), nullptr);
      EXPECT_EQ(dragoman_result_link_count(result, index), -1);
      EXPECT_EQ(dragoman_result_link(result, 0, index, &number, &number), -1);
      EXPECT_EQ(dragoman_result_link(result, 0, 0, nullptr, nullptr), -1);
      EXPECT_EQ(dragoman_result_attention(result, index, 0, &number), nullptr);
      EXPECT_EQ(dragoman_result_attention(result, 0, 0, nullptr), nullptr);
      EXPECT_EQ(dragoman_result_past_attention(result, index, 0, &number), nullptr);
      EXPECT_TRUE(failed());
    }
  EXPECT_EQ(dragoman_result_count(nullptr), -1);
  EXPECT_EQ(dragoman_result_source_token_count(nullptr), -1);
  dragoman_result_free(nullptr);
  dragoman_close(nullptr);
  dragoman_free(nullptr);
}

}  // namespace
}  // namespace dragoman::search::test

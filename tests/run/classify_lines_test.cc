#include "run/classify_lines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/search/classifier_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

class ClassifyLines : public ::testing::Test {
 protected:
  static std::string write_model(const support::TempFolder& folder) {
    search::test::write_classifier(folder.file("m"), "transformer-small", 3);
    return folder.file("m");
  }

  support::TempFolder folder_;
  search::ClassifierModel model_{write_model(folder_), search::test::kHost};
};

TEST_F(ClassifyLines, WritesOneResultPerLineInOrder) {
  constexpr int kLines = 10000;  // more than are read ahead
  int read = 0;
  std::uint64_t written = 0;
  classify_lines(model_, {},
                 {.read =
                      [&](std::string& text) {
                        text = read % 3 == 0 ? "" : fmt::format("the dog {}", read);
                        return read++ < kLines;
                      },
                  .write =
                      [&](std::uint64_t line, const std::string& text, const search::Prediction& prediction) {
                        ASSERT_EQ(line, ++written);
                        ASSERT_EQ(text, (line - 1) % 3 == 0 ? "" : fmt::format("the dog {}", line - 1));
                        ASSERT_EQ(prediction.best.size(), text.empty() ? 0u : 1u);
                      }});
  EXPECT_EQ(written, static_cast<std::uint64_t>(kLines));
}

TEST_F(ClassifyLines, ASlowProducerGetsEachResultBeforeItsNextLine) {
  // Every line but the first is read only after the result of the line before it was written and flushed.
  constexpr std::uint64_t kLines = 4;
  std::atomic<std::uint64_t> flushed = 0;
  std::uint64_t read = 0, written = 0;
  bool waited_in_vain = false;
  classify_lines(model_, {},
                 {.read =
                      [&](std::string& text) {
                        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
                        while (flushed < read && std::chrono::steady_clock::now() < end) std::this_thread::yield();
                        waited_in_vain = waited_in_vain || flushed < read;
                        text = "the dog";
                        return read++ < kLines;
                      },
                  .write = [&](std::uint64_t line, const auto&, const auto&) { written = line; },
                  .idle = [&] { flushed = written; }});
  EXPECT_EQ(read, kLines + 1);
  EXPECT_EQ(written, kLines);
  EXPECT_FALSE(waited_in_vain) << "the output is flushed before waiting";
}

TEST_F(ClassifyLines, ErrorsOfReadingAndWritingReachTheCaller) {
  const auto dogs = [](std::string& text) {
    text = "the dog";
    return true;
  };
  int read = 0, written = 0;
  const auto count = [&](auto&&...) { ++written; };
  const auto breaks = [&](std::string& text) {
    if (read++ == 5) throw std::runtime_error("the disk is gone");
    return text = "the dog", true;
  };
  EXPECT_THROW(classify_lines(model_, {}, {.read = breaks, .write = count}), std::runtime_error);
  EXPECT_EQ(written, 5) << "lines before the error are written";
  EXPECT_THROW(classify_lines(model_, {}, {.read = dogs, .write = [](auto&&...) { throw std::runtime_error("full"); }}),
               std::runtime_error);
  EXPECT_NE(support::message([&] { classify_lines(model_, {.top = -1}, {.read = dogs, .write = count}); }).find("top"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::run

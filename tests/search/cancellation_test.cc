// Jobs that nobody waits for any more.
#include <gtest/gtest.h>

#include <latch>

#include "search/engine/text_translator.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search {
namespace {

struct CancellationOutcome {
  std::vector<std::string> texts;
  int cancelled = 0;
};

// Translates the texts, those at odd places being cancelled.
CancellationOutcome translate_every_other(TextTranslator& translator, const std::vector<std::string>& texts,
                                          bool cancels) {
  const auto flag = std::make_shared<std::atomic<bool>>(cancels);
  const auto options = std::make_shared<const SearchOptions>();
  CancellationOutcome outcome;
  outcome.texts.resize(texts.size());
  std::mutex mutex;
  std::latch left(static_cast<std::ptrdiff_t>(texts.size()));
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Job job;
    job.request.text = texts[i];
    job.options = options;
    job.answer = Answer([&, i](const TranslationResult& result, const std::exception_ptr& error) {
      {
        const std::lock_guard lock(mutex);
        try {
          if (error) std::rethrow_exception(error);
          outcome.texts[i] = result.translations.front().text;
        } catch (const Cancelled&) {
          ++outcome.cancelled;
        }
      }
      left.count_down();
    });
    if (i % 2 == 1) job.cancelled = flag;
    jobs.push_back(std::move(job));
  }
  translator.submit(std::move(jobs));
  left.wait();
  return outcome;
}

TEST(Cancellation, DropsJobsAndLeavesTheOthersAsTheyAre) {
  const support::TempFolder folder;
  for (const char* const preset : {"transformer-tiny", "lstm-luong"}) {
    test::write_text_model(folder.file("model"), preset, 5);
    TextTranslator translator({folder.file("model")}, test::on_cpu());
    const std::vector<std::string> texts = {"the red house", "a blue dog sees you !", "where is it , now ?",
                                            "the dog",       "a red dog stands here", "you see the house ."};
    const CancellationOutcome all = translate_every_other(translator, texts, false);
    const CancellationOutcome half = translate_every_other(translator, texts, true);
    EXPECT_EQ(all.cancelled, 0);
    EXPECT_EQ(half.cancelled, 3);
    for (const std::size_t i : {0, 2, 4}) EXPECT_EQ(half.texts[i], all.texts[i]);
    EXPECT_EQ(translate_every_other(translator, texts, false).texts, all.texts);
  }
}

}  // namespace
}  // namespace dragoman::search

// Documents through a translator.
#include "search/engine/translate_document.h"

#include <gtest/gtest.h>

#include "tests/search/fake_engine.h"

namespace dragoman::search {
namespace {

using document::Document;

// Says what it was given, in capitals, and links every word to itself, if it aligns.
class CapitalEngine : public test::EchoEngine {
 public:
  explicit CapitalEngine(bool aligns) : EchoEngine(100), aligns_(aligns) {}

  void submit(std::vector<Job> jobs) override {
    for (Job& job : jobs) {
      EXPECT_TRUE(aligns_ || !job.options->alignment);
      TranslationResult result;
      for (int rank = 0; rank < job.options->n_best; ++rank) {
        Translation& translation = result.translations.emplace_back();
        for (const char c : job.request.text) translation.text += static_cast<char>(std::toupper(c));
        if (rank > 0) translation.text += " " + std::to_string(rank);
        if (job.options->alignment) translation.span_links.push_back({0, 1, 0, 1});
      }
      texts.push_back(job.request.text);
      job.answer.give(std::move(result));
    }
  }
  bool aligns() const override { return aligns_; }

  std::vector<std::string> texts;

 private:
  bool aligns_;
};

DocumentBatch two_documents() {
  std::vector<Document> documents;
  documents.push_back(Document::parse("<p>a <b>dog</b></p><p>a cat</p><p>a cat</p>", document::Format::html));
  documents.push_back(Document::parse("- a cat\n\n- a bird\n", document::Format::text));
  return DocumentBatch(std::move(documents), [](Request& request) { request.banned = {"x"}; });
}

TEST(TranslateDocuments, EachTextIsTranslatedOnce) {
  const DocumentBatch batch = two_documents();
  ASSERT_EQ(batch.requests().size(), 3u);
  EXPECT_EQ(batch.requests()[2].text, "a bird");
  EXPECT_EQ(batch.requests()[2].banned, std::vector<std::string>{"x"});
  EXPECT_TRUE(batch.has_inner_tags());
}

TEST(TranslateDocuments, ATextInTwoLanguagesIsTwoRequests) {
  std::vector<Document> documents;
  for (const char* const text : {"die", "die", "die"})
    documents.push_back(Document::parse(text, document::Format::text));
  const DocumentBatch batch(std::move(documents), [](Request&) {}, {"en", "de", "en"});
  ASSERT_EQ(batch.requests().size(), 2u);
  EXPECT_EQ(batch.language(0), "en");
  EXPECT_EQ(batch.language(1), "de");
  std::vector<TranslationResult> results(2);
  results[0].translations.emplace_back().text = "sterben";
  results[1].translations.emplace_back().text = "the";
  EXPECT_EQ(batch.render(results), (std::vector<std::string>{"sterben", "the", "sterben"}));
}

TEST(TranslateDocuments, AllDocumentsAreRendered) {
  for (const bool aligns : {false, true}) {
    auto owned = std::make_unique<CapitalEngine>(aligns);
    const CapitalEngine& engine = *owned;
    search::TextTranslator translator(std::move(owned), {});
    EXPECT_EQ(translate_documents(translator, two_documents(), {}),
              (std::vector<std::string>{"<p>A <b>DOG</b></p><p>A CAT</p><p>A CAT</p>", "- A CAT\n\n- A BIRD\n"}));
    EXPECT_EQ(engine.texts.size(), 3u);
  }
}

TEST(TranslateDocuments, RanksAreDocumentsOfTheirOwn) {
  search::TextTranslator translator(std::make_unique<CapitalEngine>(true), {});
  const DocumentBatch batch = two_documents();
  SearchOptions options;
  options.n_best = 2;
  const std::vector<TranslationResult> results = translator.translate(batch.requests(), options);
  EXPECT_EQ(batch.render(results, 1)[1], "- A CAT 1\n\n- A BIRD 1\n");
  EXPECT_EQ(batch.render(results, 7)[1], "- A CAT 1\n\n- A BIRD 1\n");
}

}  // namespace
}  // namespace dragoman::search

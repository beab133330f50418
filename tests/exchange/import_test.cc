// Imported models compute what their own programs computed (tests/golden/make_import.py).
#include "exchange/import.h"

#include <gtest/gtest.h>

#include "data/utf8.h"
#include "dragoman/scorer.h"
#include "dragoman/translator.h"
#include "tests/exchange/case.h"
#include "tests/support/errors.h"
#include "tests/support/mixed_lines.h"
#include "text/language_tags.h"

namespace dragoman::exchange {
namespace {

using Ids = std::vector<std::int32_t>;

const char* const kCases[] = {
    "marian", "marian_tags", "marian_separate", "m2m100",     "nllb",           "mbart",         "mbart50",
    "bart",   "t5",          "madlad",          "marian_npz", "marian_prenorm", "marian_firefox"};

Packed one_sentence(const Context& cx, const Ids& ids) {
  return Packed::from_host(cx, ids, Ids{0, static_cast<std::int32_t>(ids.size())});
}

void expect_logits(const ImportedCase& one) {
  const models::Seq2seq& network = one.model().network();
  for (const nlohmann::json& golden : one.expected()["logits"]) {
    Workspace workspace(cpu_device());
    Context cx(workspace);
    const models::Memory memory = network.encode(cx, one_sentence(cx, golden["source"]));
    models::State state = network.start(cx, memory, false);
    const models::Decoded decoded = network.decode(cx, one_sentence(cx, golden["target"]), memory, state);
    const std::vector<float> logits = network.logits(cx, decoded.features).to_host<float>();
    const std::vector<float> expected = golden["values"];
    ASSERT_EQ(logits.size(), expected.size());
    for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(logits[i], expected[i], 1e-4) << i;
  }
}

TEST(Import, LogitsEqualThoseOfTheirOwnPrograms) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    expect_logits(ImportedCase(name));
  }
}

void expect_tokens(const ImportedCase& one) {
  for (const nlohmann::json& sentence : one.expected()["sentences"])
    EXPECT_EQ(one.model().encode_source(sentence["text"].get<std::string>(), {.to = one.to(), .from = one.from()}),
              sentence["ids"].get<Ids>())
        << sentence["text"];
}

TEST(Import, SentencesHaveTheSameTokensAndMarks) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    expect_tokens(ImportedCase(name));
  }
}

// MarianTokenizer takes >>fra<< at the very beginning of a text for a token, and elsewhere for text.
TEST(Import, TextsMayBeginWithTheirLanguage) {
  const ImportedCase one("marian_tags");
  int tagged = 0;
  for (const nlohmann::json& pair : one.expected()["prefixed"]) {
    const std::string text = pair[0];
    Ids ids;
    if (one.model().language_in(text).empty()) {
      one.model().source().encode(text, ids);
      ids.push_back(one.model().source().special().end);
    } else {
      ids = one.model().encode_source(text);
      ++tagged;
    }
    EXPECT_EQ(ids, pair[1].get<Ids>()) << text;
  }
  EXPECT_EQ(tagged, 110);
  EXPECT_EQ(one.model().language_in(">>deu<< the house"), "");
  const text::Encoded encoded = one.model().encode_source_spans(">>fra<< the");
  ASSERT_EQ(encoded.spans.size(), 3u);
  EXPECT_EQ(encoded.spans[1].end, 11u);
}

TEST(Import, ALanguageInTheTextIsThatOfItsTranslation) {
  const ImportedCase one("marian_tags");
  const Translator translator(one.path(), {.device = "cpu", .threads = 1, .max_input_tokens = 12});
  std::string text = "the old house under the bridge";
  const auto translate = [&](const std::string& source, const std::string& to) {
    SearchOptions search;
    search.to = to;
    search.max_length = 10;
    const Request request{.text = source, .prefix = "", .terms = {}, .banned = {}};
    return translator.translate(std::vector<Request>{request}, search).front().translations.front();
  };
  for (const char* language : {"fra", "cmn_Hans"}) {
    const std::string tag = fmt::format(">>{}<< ", language);
    EXPECT_EQ(translate(tag + text, "").log_probability, translate(text, language).log_probability);
    EXPECT_EQ(translate(tag + text, "fra").text, translate(text, language).text);  // the text decides
  }
  EXPECT_NE(translate(text, "fra").log_probability, translate(text, "cmn_Hans").log_probability);
  // A text of several parts has one language.
  for (int i = 0; i < 3; ++i) text += ". " + text;
  EXPECT_EQ(translate(">>cmn_Hans<< " + text, "").tokens.size(), translate(text, "cmn_Hans").tokens.size());
  EXPECT_NE(support::message([&] { translate(text, ""); }).find("the model translates into fra, cmn_Hans"),
            std::string::npos);
}

TEST(Import, LinesOfMixedScriptsHaveTheSameTokens) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    support::LineGenerator generator(3);
    std::uint32_t hash = 0;
    const std::vector<int> ties = one.expected()["ties"];
    const int lines = one.expected()["lines"];
    ASSERT_LT(std::ssize(ties), lines / 5);
    for (int number = 0; number < lines;) {
      const std::string line = generator.next();
      if (data::find_invalid_utf8(line) != std::string::npos) continue;
      if (std::binary_search(ties.begin(), ties.end(), number++)) continue;
      Ids ids;
      one.model().source().encode(line, ids);
      ASSERT_EQ(one.model().source().encode_spans(line).ids, ids) << line;
      hash = support::fnv({static_cast<std::int32_t>(hash), static_cast<std::int32_t>(support::fnv(ids))});
    }
    EXPECT_EQ(hash, one.expected()["tokens"].get<std::uint32_t>());
  }
}

// Whether every sentence is translated into the ids that the other program found.
void expect_answers(const ImportedCase& one, const char* key, const SearchOptions& search) {
  const Translator translator(one.path(), {.device = "cpu", .threads = 1, .shortlist = false});
  std::vector<Request> requests;
  std::vector<Ids> expected;
  for (const nlohmann::json& sentence : one.expected()["sentences"]) {
    if (!sentence.contains(key) || sentence[key].is_null()) continue;  // the beam did not end
    requests.push_back({.text = sentence["text"], .prefix = "", .terms = {}, .banned = {}});
    expected.push_back(sentence[key]);
  }
  ASSERT_GT(requests.size(), key == std::string("greedy") ? 99u : 50u);
  const std::vector<TranslationResult> results = translator.translate(requests, search);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    std::vector<std::string> pieces;
    for (const std::int32_t id : expected[i]) pieces.push_back(one.model().target().piece(id));
    EXPECT_EQ(results[i].translations.at(0).tokens, pieces) << requests[i].text;
  }
}

TEST(Import, GreedyAndBeamSearchFindTheSameTranslations) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    SearchOptions search;
    search.max_length = 23;  // as make_import.py
    search.to = one.to();
    search.from = one.from();
    search.ranking = one.expected().value("ranking", "mean") == "sum" ? Ranking::sum : Ranking::mean;
    search.beam = 1;
    expect_answers(one, "greedy", search);
    search.beam = 4;
    if (one.expected()["sentences"][0].contains("beam")) expect_answers(one, "beam", search);
  }
}

TEST(Import, VocabulariesOfMarianMayBeListsOfWords) {
  const ImportedCase one("marian_words", {"vocab.src.yml", "vocab.trg.yml"});
  EXPECT_NE(one.summary().source_vocabulary, one.summary().target_vocabulary);
  expect_tokens(one);
  expect_logits(one);
  SearchOptions search;
  search.max_length = 23;
  search.beam = 1;
  expect_answers(one, "greedy", search);
  EXPECT_EQ(one.model().target().decode(Ids{4, 0, 6}),
            one.model().target().piece(4) + " <unk> " + one.model().target().piece(6));
}

TEST(Import, TranslationsHaveTheSameText) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    if (!one.expected().contains("decoded")) continue;
    ASSERT_GT(one.expected()["decoded"].size(), 10u);
    for (const nlohmann::json& pair : one.expected()["decoded"]) {
      Ids ids = pair[0];
      std::erase(ids, one.model().target().special().unknown);  // which the other program leaves out
      EXPECT_EQ(one.model().target().decode(ids), pair[1].get<std::string>());
    }
  }
}

// `dragoman serve` reads them.
TEST(Import, DirectionsThatTheFilesNameAreInTheCard) {
  const auto directions = [](const ImportedCase& one) {
    const auto found = one.model().info().card.find(text::kLanguagesCard);
    return found == one.model().info().card.end() ? "" : found->second;
  };
  EXPECT_EQ(directions(ImportedCase("marian_firefox")), "de-en");
  EXPECT_EQ(directions(ImportedCase("marian_npz")), "");
  EXPECT_EQ(directions(ImportedCase("nllb")), "");
  const support::TempFolder folder;
  const auto of_folder = [&](const std::string& name, const std::string& languages) {
    std::filesystem::remove_all(folder.file("model"));
    std::filesystem::copy(case_folder(name), folder.file("model"));
    folder.write("model/tokenizer_config.json", languages);
    import_model({folder.file("model")}, folder.file("m.safetensors"), store::StoredFormat::f32);
    const store::ModelFile file(folder.file("m.safetensors"));
    return file.info().card.contains(text::kLanguagesCard) ? file.info().card.at(text::kLanguagesCard) : "";
  };
  EXPECT_EQ(of_folder("marian", R"({"source_lang": "en", "target_lang": "de"})"), "en-de");
  EXPECT_EQ(of_folder("marian", R"({"source_lang": "en", "target_lang": "ROMANCE"})"), "");
  EXPECT_EQ(of_folder("marian", R"({"source_lang": "mul", "target_lang": "de"})"), "");
  EXPECT_EQ(of_folder("marian", "{}"), "");
  EXPECT_EQ(of_folder("marian_tags", R"({"source_lang": "en", "target_lang": "mul"})"), "en-fra en-cmn_Hans");
}

TEST(Import, AModelOfFirefoxBringsItsShortlist) {
  const ImportedCase one("marian_firefox");
  EXPECT_TRUE(one.summary().shortlist);
  const align::Shortlist& shortlist = one.model().info().shortlist;
  const nlohmann::json& expected = one.expected()["shortlist"];
  EXPECT_EQ(shortlist.frequent().size(), 50u);
  const Ids begins = expected["begins"], targets = expected["targets"];
  EXPECT_EQ(Ids(shortlist.begins().begin(), shortlist.begins().begin() + std::ssize(begins)), begins);
  EXPECT_EQ(Ids(shortlist.targets().begin(), shortlist.targets().begin() + std::ssize(targets)), targets);
}

// Forced decoding of the beam's answer gives the probability that the search gave it, also where the decoder starts
// with several tokens.
TEST(Import, ScoresEqualThoseOfTheSearch) {
  for (const char* name : {"marian", "nllb", "mbart", "bart"}) {
    SCOPED_TRACE(name);
    const ImportedCase one(name);
    const Translator translator(one.path(), {.device = "cpu", .threads = 1});
    const Scorer scorer(one.path(), {.device = "cpu"});
    SearchOptions search;
    search.max_length = 12;
    search.to = one.to();
    search.from = one.from();
    search.explain = true;
    int compared = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const std::string text = one.expected()["sentences"][i]["text"];
      const Request request{.text = text, .prefix = "", .terms = {}, .banned = {}};
      const TranslationResult result = translator.translate(std::vector<Request>{request}, search).front();
      const Translation& best = result.translations.front();
      const ScoredPair pair = scorer.score({{text, best.text}}, false, one.to(), one.from()).front();
      if (pair.tokens != best.tokens) continue;  // the text has another segmentation
      ++compared;
      EXPECT_NEAR(pair.log_probability, best.log_probability, 1e-3) << text;
      EXPECT_EQ(result.explanations.front().tokens.size(), best.tokens.size() + 1);
      for (const AttentionLayer& layer : result.explanations.front().attention)
        if (layer.kind != AttentionKind::encoder) {
          EXPECT_EQ(layer.heads.front().size(), best.tokens.size() + 1);
        }
    }
    EXPECT_GT(compared, 0);
  }
}

TEST(Import, ALanguageThatTheModelLacksIsRefusedWithTheList) {
  const ImportedCase one("nllb");
  const auto message = [&](const search::Direction& direction) {
    return support::message([&] { one.model().check_direction(direction); });
  };
  EXPECT_NE(message({.to = "fra_Latn"}).find("from eng_Latn, deu_Latn, fra_Latn; choose one of them (--from"),
            std::string::npos);
  EXPECT_NE(message({.to = "xx", .from = "eng_Latn"}).find("does not translate into 'xx'"), std::string::npos);
  EXPECT_EQ(message({.to = "fra_Latn", .from = "eng_Latn"}), "nothing was thrown");
}

}  // namespace
}  // namespace dragoman::exchange

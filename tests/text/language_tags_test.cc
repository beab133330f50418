#include "text/language_tags.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/text/support.h"
#include "text/tokenizer_file.h"

namespace dragoman::text {
namespace {

using support::message;

const std::vector<std::string> kTaggedLines = {"Where is the old station?", "Wo ist der alte Bahnhof?",
                                               "Où est la vieille gare ?", "the tag <2de> is text"};

// A tokenizer of every kind.
std::vector<std::shared_ptr<const Tokenizer>> every_kind() {
  std::vector<std::string> corpus;
  for (int i = 0; i < 20; ++i) corpus.insert(corpus.end(), kTaggedLines.begin(), kTaggedLines.end());
  std::vector<std::shared_ptr<const Tokenizer>> kinds;
  kinds.push_back(build_words(lines_of(corpus), {}, {}));
  for (const SubwordKind kind : {SubwordKind::bpe, SubwordKind::unigram})
    kinds.push_back(build_subwords(lines_of(corpus), {}, {.kind = kind, .size = 300}));
  kinds.push_back(build_byte_bpe(lines_of(corpus), 300, 1));
  return kinds;
}

TEST(LanguagePair, IsTwoCodesAndAHyphen) {
  EXPECT_EQ(LanguagePair::parse("en-pt_BR"), (LanguagePair{"en", "pt_BR"}));
  EXPECT_EQ(LanguagePair::parse("en-pt_BR").show(), "en-pt_BR");
  EXPECT_EQ(LanguagePair::parse_all(" en-de  de-en "), (std::vector<LanguagePair>{{"en", "de"}, {"de", "en"}}));
  for (const char* wrong : {"", "en", "en-", "-de", "en-de-fr", "en de", "en-d>e"})
    EXPECT_NE(message([&] { LanguagePair::parse(wrong); }).find("expected two languages, as in en-de"),
              std::string::npos)
        << wrong;
}

TEST(TaggedTokenizer, TagsComeAfterTheIdsOfTheText) {
  for (const auto& text : every_kind()) {
    const TaggedTokenizer tagged(text, {"de", "fr"}, 8);
    const LanguageTags& tags = tagged.language_tags();
    EXPECT_EQ(tags.ids, (std::vector<std::int32_t>{text->size(), text->size() + 1}));
    EXPECT_EQ(tags.choose("de"), text->size());
    EXPECT_EQ(tags.choose("fr"), text->size() + 1);
    EXPECT_EQ(tagged.piece(tags.choose("fr")), "<2fr>");
    EXPECT_EQ(tagged.size() % 8, 0);
    EXPECT_GE(tagged.size(), text->size() + 2);
    EXPECT_TRUE(text->language_tags().languages.empty());
  }
}

TEST(TaggedTokenizer, TextNeverContainsATag) {
  for (const auto& text : every_kind()) {
    const TaggedTokenizer tagged(text, {"de", "fr"}, 1);
    for (const std::string line : {"<2de>", "<2fr> Where is the station?", "a<2de>b", "the tag <2de> is text"}) {
      const std::vector<std::int32_t> ids = ids_of(tagged, line);
      EXPECT_EQ(ids, ids_of(*text, line));
      EXPECT_EQ(tagged.encode_spans(line).ids, text->encode_spans(line).ids);
      Random random(1);
      std::vector<std::int32_t> sampled;
      tagged.encode_sampled(line, 0.5, random, sampled);
      for (const auto& list : {ids, sampled})
        for (const std::int32_t id : list) EXPECT_LT(id, tagged.language_tags().ids[0]) << line;
    }
  }
}

TEST(TaggedTokenizer, DecodingDropsTagsAndKeepsTheText) {
  for (const auto& text : every_kind()) {
    const TaggedTokenizer tagged(text, {"de", "fr"}, 8);
    std::vector<std::int32_t> ids = ids_of(tagged, kTaggedLines[0]);
    ids.insert(ids.begin(), tagged.language_tags().choose("fr"));
    EXPECT_EQ(tagged.decode(ids), kTaggedLines[0]);
    EXPECT_THROW(tagged.decode(std::vector<std::int32_t>{tagged.size()}), Error);
  }
}

TEST(TaggedTokenizer, IsRestoredFromItsFile) {
  for (const auto& text : every_kind()) {
    const TaggedTokenizer tagged(text, {"de", "fr"}, 8);
    const auto again = deserialize_tokenizer(tagged.serialize());
    EXPECT_EQ(again->serialize(), tagged.serialize());
    EXPECT_EQ(again->size(), tagged.size());
    EXPECT_EQ(again->language_tags().languages, (std::vector<std::string>{"de", "fr"}));
    EXPECT_EQ(ids_of(*again, kTaggedLines[1]), ids_of(*text, kTaggedLines[1]));
  }
}

TEST(TaggedTokenizer, RefusesWrongLists) {
  const std::shared_ptr<const Tokenizer> text = build_words(lines_of(kTaggedLines), {}, {});
  const auto refusal = [](const std::shared_ptr<const Tokenizer>& inner, std::vector<std::string> languages) {
    return message([&] { TaggedTokenizer(inner, std::move(languages), 1); });
  };
  EXPECT_EQ(refusal(text, {}), "languages: expected 1 to 10000 target languages but got 0");
  EXPECT_EQ(refusal(text, {"de", "fr", "de"}), "languages: 'de' occurs twice");
  EXPECT_EQ(refusal(text, {"d>"}), "languages: expected letters, digits and underscores but got 'd>'");
  const auto tagged = std::make_shared<TaggedTokenizer>(text, std::vector<std::string>{"de"}, 1);
  EXPECT_EQ(refusal(tagged, {"fr"}), "languages: the tokenizer already has tags for de");
  TokenizerFile nested = unpack(tagged->serialize());
  nested.data = tagged->serialize();
  EXPECT_EQ(message([&] { deserialize_tokenizer(pack(nested)); }), "tokenizer: languages inside languages");
}

TEST(TokenizerFiles, ADamagedHeaderIsRefusedInPlainWords) {
  const auto problem = [](const std::string& header) {
    return message([&] { deserialize_tokenizer("dragoman-tokenizer 1\n" + header + "\ndata"); });
  };
  EXPECT_EQ(problem("{"), "tokenizer: its header: not valid JSON from byte 2 on");
  EXPECT_EQ(problem("[]"), "tokenizer: the second line is not a JSON object");
  EXPECT_EQ(problem("{}"), "tokenizer: its header has no 'kind'; the file is damaged");
  EXPECT_EQ(problem(R"({"kind": 7})"), "tokenizer: 'kind' must be a text but is 7");
  EXPECT_EQ(problem(R"({"kind": "words", "kind": "unigram"})"),
            "tokenizer: its header: an object has the key 'kind' twice");
  EXPECT_EQ(problem(R"({"kind": "words", "multiple": 1})"),
            "tokenizer: its header has no 'options'; the file is damaged");
  EXPECT_EQ(problem(R"({"kind": "unigram", "multiple": 1, "options": ""})"),
            "subwords: the SentencePiece model is damaged: unknown wire type 4");
}

TEST(LanguageTags, AChoiceIsNeededOnlyIfThereIsOne) {
  const LanguageTags none, one{{"de"}, {100}}, two{{"de", "fr"}, {100, 101}};
  EXPECT_EQ(none.choose(""), LanguageTags::kNone);
  EXPECT_EQ(one.choose(""), 100);
  EXPECT_EQ(two.choose("fr"), 101);
  EXPECT_EQ(two.choose("FR"), 101);
  EXPECT_EQ(two.choose("fr-CA"), 101);
  EXPECT_EQ(message([&] { two.choose(""); }), "the model translates into de, fr; choose one of them (--to de)");
  EXPECT_EQ(message([&] { two.choose("es"); }), "the model does not translate into 'es' but into de, fr");
  EXPECT_NE(message([&] { none.choose("fr"); }).find("trained on one direction only"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::text
